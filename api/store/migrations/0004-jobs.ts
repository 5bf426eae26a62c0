import type { Migration } from './migration.ts';

export const jobs: Migration = {
  number: 4,
  name: 'jobs',
  sql: `
CREATE TABLE jobs (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL REFERENCES organizations,
  database_id uuid REFERENCES databases,
  type text NOT NULL,
  status text NOT NULL
    CHECK (status IN ('QUEUED', 'RUNNING', 'WAITING', 'CANCELING', 'SUCCEEDED', 'FAILED', 'CANCELED')),
  input jsonb NOT NULL,
  progress jsonb NOT NULL,
  steps jsonb NOT NULL,
  attempt integer NOT NULL DEFAULT 1,
  max_attempts integer NOT NULL,
  -- Of tries in a row that ended in trouble, for the wait before the next.
  failures integer NOT NULL DEFAULT 0,
  timeout_ms integer NOT NULL CHECK (timeout_ms > 0),
  deadline_at timestamptz(3) NOT NULL,
  cancellable boolean NOT NULL,
  retryable boolean NOT NULL DEFAULT false,
  error jsonb,
  actor jsonb NOT NULL,
  request_id text,
  -- Not before then is it worked on.
  due_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  -- Something happened that it waits for, while it was being worked on.
  woken boolean NOT NULL DEFAULT false,
  lease_owner text,
  -- Every write of whoever works on it names the token; a worker whose lease ran out has another's.
  lease_token uuid,
  lease_until timestamptz,
  version integer NOT NULL DEFAULT 1,
  created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  started_at timestamptz(3),
  finished_at timestamptz(3),
  updated_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  CHECK ((finished_at IS NOT NULL) = (status IN ('SUCCEEDED', 'FAILED', 'CANCELED'))),
  CHECK ((lease_token IS NULL) = (lease_until IS NULL)),
  CHECK (lease_token IS NULL OR finished_at IS NULL)
);
CREATE UNIQUE INDEX jobs_one_at_a_time ON jobs (database_id) WHERE finished_at IS NULL;
CREATE INDEX jobs_due ON jobs (due_at) WHERE finished_at IS NULL;
CREATE INDEX jobs_by_database ON jobs (database_id, created_at, id);
CREATE INDEX jobs_by_organization ON jobs (organization_id, created_at, id);

-- Whoever writes a job, workers and watchers of it hear of it once that is committed; of heartbeats nobody does.
CREATE FUNCTION notify_job() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('ledgerhouse_job', NEW.id::text);
  IF NEW.finished_at IS NULL AND NEW.lease_token IS NULL AND NEW.due_at <= clock_timestamp() + interval '1 second' THEN
    PERFORM pg_notify('ledgerhouse_job_due', '');
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER job_inserted AFTER INSERT ON jobs FOR EACH ROW EXECUTE FUNCTION notify_job();
CREATE TRIGGER job_updated AFTER UPDATE ON jobs FOR EACH ROW
  WHEN (OLD.version <> NEW.version OR (NEW.woken AND NOT OLD.woken)) EXECUTE FUNCTION notify_job();
`,
};
