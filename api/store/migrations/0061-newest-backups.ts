import type { Migration } from './migration.ts';

export const newestBackups: Migration = {
  number: 61,
  name: 'newest-backups',
  sql: `
-- The age of a database's newest backup is read every 15 seconds, and it may have thousands.
CREATE INDEX backups_newest ON backups (database_id, completed_at) WHERE status = 'SUCCEEDED';
`,
};
