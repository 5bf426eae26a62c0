import type { Migration } from './migration.ts';

export const suspendedStreams: Migration = {
  number: 55,
  name: 'suspended-streams',
  sql: `
-- streams_suspended: whether all change streams of the database are to stand still.
ALTER TABLE profiles ADD COLUMN streams_suspended boolean NOT NULL DEFAULT false;
-- suspended: what the database's resource says, so that workers need not ask another table.
ALTER TABLE change_streams ADD COLUMN suspended boolean NOT NULL DEFAULT false;
`,
};
