import type { Migration } from './migration.ts';

export const archivingInProfiles: Migration = {
  number: 49,
  name: 'archiving-in-profiles',
  sql: `
-- Within how many seconds the archived log has an operation; null: the log is not archived.
ALTER TABLE profiles
  ADD COLUMN archive_rpo_seconds integer CHECK (archive_rpo_seconds BETWEEN 1 AND 300);
`,
};
