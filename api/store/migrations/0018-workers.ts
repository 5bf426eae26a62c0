import type { Migration } from './migration.ts';

export const workers: Migration = {
  number: 18,
  name: 'workers',
  sql: `
-- Heartbeats of the processes that work in the background. seen_at is PostgreSQL's time, so that clocks of machines do not count.
-- problem: why the process cannot work now. stopped_at: when it ended in order.
CREATE TABLE workers (
  id text PRIMARY KEY,
  version text NOT NULL,
  problem text,
  started_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  seen_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  stopped_at timestamptz(3)
);
CREATE INDEX workers_by_seen_at ON workers (seen_at);
`,
};
