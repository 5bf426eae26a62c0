import type { Migration } from './migration.ts';

export const webhookDeliveries: Migration = {
  number: 32,
  name: 'webhook-deliveries',
  sql: `
-- previous_…: after a rotation, the secret that also signs until its grace is over.
-- due_at: a delivery is due then, at the earliest; null: none is pending.
-- throttled_until, failures: the receiver cannot take more, and how often in a row it could not.
-- failing_since, failed_at: the first and the last failure since the last success.
-- lease_…: the worker that delivers now.
ALTER TABLE webhook_endpoints
  ADD COLUMN previous_sealed_secret bytea,
  ADD COLUMN previous_secret_until timestamptz(3),
  ADD COLUMN tested_at timestamptz(3),
  ADD COLUMN due_at timestamptz,
  ADD COLUMN throttled_until timestamptz,
  ADD COLUMN failures integer NOT NULL DEFAULT 0,
  ADD COLUMN failing_since timestamptz(3),
  ADD COLUMN failed_at timestamptz(3),
  ADD COLUMN lease_owner text,
  ADD COLUMN lease_token uuid,
  ADD COLUMN lease_until timestamptz;
CREATE INDEX webhook_endpoints_due ON webhook_endpoints (due_at) WHERE due_at IS NOT NULL;

-- An event for an endpoint. Times that are compared with the clock have microseconds: a rounded one could lie in the future.
CREATE TABLE webhook_deliveries (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL REFERENCES organizations,
  endpoint_id uuid NOT NULL REFERENCES webhook_endpoints ON DELETE CASCADE,
  event_id uuid NOT NULL,
  event_type text NOT NULL,
  database_id uuid,
  status text NOT NULL DEFAULT 'PENDING' CHECK (status IN ('PENDING', 'SUCCEEDED', 'FAILED', 'CANCELED')),
  attempt_count integer NOT NULL DEFAULT 0,
  -- Attempts since the delivery was made or replayed: its place in the schedule.
  schedule_position integer NOT NULL DEFAULT 0,
  replay_generation integer NOT NULL DEFAULT 0,
  -- The next attempt was asked for by a person.
  manual boolean NOT NULL DEFAULT false,
  next_attempt_at timestamptz DEFAULT clock_timestamp(),
  last_attempt_at timestamptz(3),
  last_status_code integer,
  last_error text,
  created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  CHECK ((status = 'PENDING') = (next_attempt_at IS NOT NULL)),
  UNIQUE (endpoint_id, event_id)
);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (endpoint_id, next_attempt_at) WHERE next_attempt_at IS NOT NULL;
CREATE INDEX webhook_deliveries_by_organization ON webhook_deliveries (organization_id, created_at, id);
CREATE INDEX webhook_deliveries_by_endpoint ON webhook_deliveries (endpoint_id, created_at, id);
CREATE INDEX webhook_deliveries_by_age ON webhook_deliveries (created_at);

CREATE TABLE webhook_attempts (
  delivery_id uuid NOT NULL REFERENCES webhook_deliveries ON DELETE CASCADE,
  number integer NOT NULL,
  trigger text NOT NULL CHECK (trigger IN ('SCHEDULED', 'MANUAL')),
  outcome text NOT NULL,
  request_headers jsonb NOT NULL,
  status_code integer,
  error text,
  response_excerpt text,
  started_at timestamptz(3) NOT NULL,
  duration_ms integer NOT NULL,
  PRIMARY KEY (delivery_id, number)
);

-- Deliveries begin now: endpoints that exist already do not get the events of the past.
INSERT INTO event_positions (consumer, organization_id, sequence)
  SELECT 'webhooks', organization_id, sequence FROM event_heads;
`,
};
