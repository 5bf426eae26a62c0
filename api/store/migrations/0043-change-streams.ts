import type { Migration } from './migration.ts';

export const changeStreams: Migration = {
  number: 43,
  name: 'change-streams',
  sql: `
-- Change events of one database, pushed to a sink.
-- previous_…: after a rotation, the secret that also signs until its grace is over.
-- started_after, position: timestamps of the ledger. The sink has confirmed every event after the first one up to the second one.
-- pending_from: timestamp from which on an event is not confirmed yet; null: none is known.
-- failures, failing, failing_since: failures in a row, whose they are, and since when.
-- told_failing: an event said that it fails, and none yet that it recovered.
-- due_at: when to work on it next; null: never, until somebody lets it go on.
-- lease_…: the worker that works on it now. Only it moves the position.
CREATE TABLE change_streams (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL REFERENCES organizations,
  database_id uuid NOT NULL REFERENCES databases,
  description text NOT NULL,
  sink_type text NOT NULL CHECK (sink_type IN ('WEBHOOK')),
  url text NOT NULL,
  sealed_secret bytea NOT NULL,
  sealed_by text NOT NULL,
  previous_sealed_secret bytea,
  previous_secret_until timestamptz(3),
  state text NOT NULL DEFAULT 'RUNNING' CHECK (state IN ('RUNNING', 'PAUSED', 'RETRYING', 'FAILED')),
  state_reason text,
  started_after bigint NOT NULL,
  position bigint NOT NULL,
  delivered bigint NOT NULL DEFAULT 0,
  delivered_at timestamptz(3),
  pending_from bigint,
  failures integer NOT NULL DEFAULT 0,
  failing text CHECK (failing IN ('LEDGER', 'SINK')),
  failing_since timestamptz(3),
  told_failing boolean NOT NULL DEFAULT false,
  last_error jsonb,
  due_at timestamptz DEFAULT clock_timestamp(),
  lease_owner text,
  lease_token uuid,
  lease_until timestamptz,
  version integer NOT NULL DEFAULT 1,
  created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  created_by jsonb NOT NULL,
  updated_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  CHECK (position >= started_after),
  CHECK ((state IN ('RUNNING', 'RETRYING')) = (due_at IS NOT NULL)),
  CHECK ((failing IS NULL) = (failing_since IS NULL))
);
CREATE INDEX change_streams_of_database ON change_streams (database_id, created_at, id);
CREATE INDEX change_streams_of_organization ON change_streams (organization_id);
CREATE INDEX change_streams_due ON change_streams (due_at) WHERE due_at IS NOT NULL;
`,
};
