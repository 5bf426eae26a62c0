import type { Migration } from './migration.ts';

export const webhookEndpoints: Migration = {
  number: 6,
  name: 'webhook-endpoints',
  sql: `
CREATE TABLE webhook_endpoints (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL REFERENCES organizations,
  url text NOT NULL,
  description text NOT NULL,
  event_types text[] NOT NULL CHECK (cardinality(event_types) > 0),
  -- Null: all databases of the organization.
  database_id uuid,
  status text NOT NULL CHECK (status IN ('ENABLED', 'DISABLED', 'AUTO_DISABLED')),
  disabled_reason text,
  -- Encrypted: it signs, so that a hash would not do.
  sealed_secret bytea NOT NULL,
  version integer NOT NULL DEFAULT 1,
  created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  created_by jsonb NOT NULL,
  updated_at timestamptz(3) NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX webhook_endpoints_by_organization ON webhook_endpoints (organization_id, created_at, id);
`,
};
