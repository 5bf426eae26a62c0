import type { Migration } from './migration.ts';

export const apiKeys: Migration = {
  number: 2,
  name: 'api-keys',
  sql: `
-- Of the secret only its SHA-256 is kept: it is random enough not to be guessed from that.
CREATE TABLE api_keys (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL REFERENCES organizations,
  name text NOT NULL,
  public_id text NOT NULL UNIQUE,
  secret_hash bytea NOT NULL CHECK (octet_length(secret_hash) = 32),
  last_four text NOT NULL,
  -- Null: all databases of the organization.
  database_id uuid,
  permissions text[] NOT NULL,
  ip_allow_list text[] NOT NULL DEFAULT '{}',
  expires_at timestamptz(3),
  last_used_at timestamptz(3),
  last_used_ip text,
  last_used_user_agent text,
  created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  created_by jsonb NOT NULL,
  revoked_at timestamptz(3),
  revoked_by jsonb,
  rotated_from uuid REFERENCES api_keys,
  -- Of a key that another has taken the place of: until when both work.
  rotation_ends_at timestamptz(3)
);
CREATE INDEX api_keys_by_organization ON api_keys (organization_id, created_at, id);
`,
};
