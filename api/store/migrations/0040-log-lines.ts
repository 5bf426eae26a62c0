import type { Migration } from './migration.ts';

export const logLines: Migration = {
  number: 40,
  name: 'log-lines',
  sql: `
-- Lines that the containers of databases logged, for some days. A partition for each day, made by the workers and dropped whole.
-- No foreign key: a row outlives its database until its day is dropped.
-- id: the order in which lines were kept. severity: as pino has it, 10 to 60. attributes: JSON, as text: nothing asks for a part of it.
CREATE SEQUENCE log_line_ids AS bigint;
CREATE TABLE log_lines (
  id bigint NOT NULL DEFAULT nextval('log_line_ids'),
  at timestamptz(3) NOT NULL,
  database_id uuid NOT NULL,
  severity smallint NOT NULL,
  component text NOT NULL,
  node smallint,
  message text NOT NULL,
  attributes text NOT NULL,
  bytes integer NOT NULL
) PARTITION BY RANGE (at);
CREATE INDEX log_lines_by_time ON log_lines (database_id, at, id);
CREATE INDEX log_lines_by_id ON log_lines (database_id, id);

-- Up to where the log of a container is kept. It is written with its lines, so that none is kept twice.
CREATE TABLE log_sources (
  database_id uuid NOT NULL,
  pod text NOT NULL,
  container text NOT NULL,
  place text NOT NULL DEFAULT '',
  seen_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (database_id, pod, container)
);
CREATE INDEX log_sources_by_time ON log_sources (seen_at);

-- Bytes of the lines that are kept of a database, by the day of the lines.
CREATE TABLE log_volumes (
  database_id uuid NOT NULL,
  day date NOT NULL,
  bytes bigint NOT NULL,
  PRIMARY KEY (database_id, day)
);
`,
};
