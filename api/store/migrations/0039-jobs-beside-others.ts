import type { Migration } from './migration.ts';

export const jobsBesideOthers: Migration = {
  number: 39,
  name: 'jobs-beside-others',
  sql: `
-- Jobs that change a database exclude each other. A job with exclusive = false, such as a backup, runs beside any other.
ALTER TABLE jobs ADD COLUMN exclusive boolean NOT NULL DEFAULT true;
DROP INDEX jobs_one_at_a_time;
CREATE UNIQUE INDEX jobs_one_at_a_time ON jobs (database_id) WHERE finished_at IS NULL AND exclusive;
`,
};
