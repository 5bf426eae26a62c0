import type { Migration } from './migration.ts';

export const marksAndRequests: Migration = {
  number: 36,
  name: 'marks-and-requests',
  sql: `
-- What happened to the replicas of a database, as the workers saw it while they asked for figures.
CREATE TABLE metric_marks (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at timestamptz(3) NOT NULL,
  database_id uuid NOT NULL,
  kind text NOT NULL CHECK (kind IN ('FAILOVER', 'RESTART', 'UPGRADE')),
  replica smallint,
  detail text NOT NULL
);
CREATE INDEX metric_marks_by_database ON metric_marks (database_id, at);
CREATE INDEX metric_marks_by_time ON metric_marks (at);

-- Slow and failed requests over HTTP to a database's ledger: the newest ones, without anything of what was in them.
CREATE TABLE remarkable_requests (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at timestamptz(3) NOT NULL,
  database_id uuid NOT NULL,
  operation text NOT NULL,
  code text,
  events integer NOT NULL,
  duration_ms real NOT NULL,
  ledger_ms real,
  request_id text NOT NULL,
  credential_id text NOT NULL,
  -- Requests of this kind for which the row stands: more than one when there were too many to keep all.
  stands_for integer NOT NULL DEFAULT 1
);
CREATE INDEX remarkable_requests_by_database ON remarkable_requests (database_id, id);
`,
};
