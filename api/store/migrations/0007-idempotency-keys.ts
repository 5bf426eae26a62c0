import type { Migration } from './migration.ts';

export const idempotencyKeys: Migration = {
  number: 7,
  name: 'idempotency-keys',
  sql: `
CREATE TABLE idempotency_keys (
  organization_id uuid NOT NULL REFERENCES organizations,
  -- Whose key it is: another's same key is another key.
  principal text NOT NULL,
  key text NOT NULL,
  request_hash bytea NOT NULL CHECK (octet_length(request_hash) = 32),
  -- Of whoever works on the request; null once it is answered.
  token uuid,
  lease_until timestamptz,
  response jsonb,
  created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  expires_at timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id, principal, key),
  CHECK ((token IS NULL) = (response IS NOT NULL)),
  CHECK ((token IS NULL) = (lease_until IS NULL))
);
CREATE INDEX idempotency_keys_by_expiry ON idempotency_keys (expires_at);
`,
};
