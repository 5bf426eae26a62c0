import type { Migration } from './migration.ts';

export const organizations: Migration = {
  number: 1,
  name: 'organizations',
  sql: `
CREATE TABLE organizations (
  id uuid PRIMARY KEY,
  slug text NOT NULL,
  name text NOT NULL,
  namespace text NOT NULL,
  status text NOT NULL CHECK (status IN ('ACTIVE', 'SUSPENDED')),
  version integer NOT NULL DEFAULT 1,
  created_by jsonb NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  updated_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT organizations_slug_taken UNIQUE (slug),
  CONSTRAINT organizations_namespace_taken UNIQUE (namespace)
);
CREATE INDEX organizations_by_creation ON organizations (created_at, id);

-- Sessions of the local administrator. Of tokens only hashes are kept.
CREATE TABLE administrator_sessions (
  id uuid PRIMARY KEY,
  token_hash bytea NOT NULL UNIQUE CHECK (octet_length(token_hash) = 32),
  csrf_hash bytea NOT NULL CHECK (octet_length(csrf_hash) = 32),
  ip text,
  user_agent text,
  created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  expires_at timestamptz(3) NOT NULL,
  ended_at timestamptz(3)
);
CREATE INDEX administrator_sessions_by_expiry ON administrator_sessions (expires_at);
`,
};
