import type { Migration } from './migration.ts';

export const backupHolds: Migration = {
  number: 50,
  name: 'backup-holds',
  sql: `
-- Why, by whom and since when nothing removes the backup; null: nobody holds it.
ALTER TABLE backups ADD COLUMN hold jsonb;
`,
};
