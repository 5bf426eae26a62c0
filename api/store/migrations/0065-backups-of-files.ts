import type { Migration } from './migration.ts';

export const backupsOfFiles: Migration = {
  number: 65,
  name: 'backups-of-files',
  sql: `
-- What a backup has: the rows of the ledger, or TigerBeetle's data files.
ALTER TABLE backups ADD COLUMN method text NOT NULL DEFAULT 'ROWS' CHECK (method IN ('ROWS', 'FILES'));
`,
};
