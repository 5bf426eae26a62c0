import type { Migration } from './migration.ts';

export const metrics: Migration = {
  number: 35,
  name: 'metrics',
  sql: `
-- Figures of databases: every 15 seconds, then one row a minute, then one in ten. Each table has a partition for each day, made by
-- the workers and dropped whole. The places of the arrays are in api/model/metric-figures.ts. No foreign key: a row outlives its
-- database until its day is dropped.
-- latencies: requests a second by operation and bucket; null when there were none.
CREATE TABLE metric_samples (
  at timestamptz(0) NOT NULL,
  database_id uuid NOT NULL,
  source text NOT NULL,
  readings real[] NOT NULL,
  latencies real[]
) PARTITION BY RANGE (at);
CREATE INDEX metric_samples_by_database ON metric_samples (database_id, at);
CREATE INDEX metric_samples_by_time ON metric_samples USING brin (at);

CREATE TABLE metric_minutes (
  at timestamptz(0) NOT NULL,
  database_id uuid NOT NULL,
  source text NOT NULL,
  readings real[] NOT NULL,
  lowest real[] NOT NULL,
  highest real[] NOT NULL,
  latencies real[]
) PARTITION BY RANGE (at);
CREATE INDEX metric_minutes_by_database ON metric_minutes (database_id, at);

CREATE TABLE metric_tens (
  at timestamptz(0) NOT NULL,
  database_id uuid NOT NULL,
  source text NOT NULL,
  readings real[] NOT NULL,
  lowest real[] NOT NULL,
  highest real[] NOT NULL,
  latencies real[]
) PARTITION BY RANGE (at);
CREATE INDEX metric_tens_by_database ON metric_tens (database_id, at);

-- done_until: everything before it is rolled up.
CREATE TABLE metric_rollups (
  kind text PRIMARY KEY,
  done_until timestamptz(0) NOT NULL
);
INSERT INTO metric_rollups (kind, done_until) VALUES
  ('minutes', date_bin('10 minutes', now(), '2000-01-01Z')),
  ('tens', date_bin('10 minutes', now(), '2000-01-01Z'));

-- Databases are collected in shards, each by one worker at a time.
CREATE TABLE metric_shards (
  shard smallint PRIMARY KEY,
  lease_owner text,
  lease_until timestamptz
);
INSERT INTO metric_shards (shard) SELECT generate_series(0, 15);
`,
};
