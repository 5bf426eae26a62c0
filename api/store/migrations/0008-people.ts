import type { Migration } from './migration.ts';

export const people: Migration = {
  number: 8,
  name: 'people',
  sql: `
CREATE TABLE users (
  id uuid PRIMARY KEY,
  -- As the identity provider said last, in lower case.
  email text,
  email_verified boolean NOT NULL,
  name text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  updated_at timestamptz(3) NOT NULL DEFAULT clock_timestamp()
);

-- Whom an identity provider means by a subject. A person is never found by their address: those change hands.
CREATE TABLE identities (
  issuer text NOT NULL,
  subject text NOT NULL,
  user_id uuid NOT NULL REFERENCES users,
  created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (issuer, subject)
);
CREATE INDEX identities_by_user ON identities (user_id);

CREATE TABLE memberships (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL REFERENCES organizations,
  user_id uuid NOT NULL REFERENCES users,
  role text NOT NULL CHECK (role IN ('owner', 'admin', 'developer', 'viewer', 'billing')),
  -- Null: all databases of the organization.
  database_ids uuid[] CHECK (database_ids IS NULL OR (cardinality(database_ids) > 0 AND role IN ('developer', 'viewer'))),
  version integer NOT NULL DEFAULT 1,
  created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  updated_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  UNIQUE (organization_id, user_id)
);
CREATE INDEX memberships_by_creation ON memberships (organization_id, created_at, id);
CREATE INDEX memberships_by_user ON memberships (user_id, created_at, id);

CREATE TABLE invitations (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL REFERENCES organizations,
  email text NOT NULL,
  role text NOT NULL CHECK (role IN ('owner', 'admin', 'developer', 'viewer', 'billing')),
  database_ids uuid[] CHECK (database_ids IS NULL OR (cardinality(database_ids) > 0 AND role IN ('developer', 'viewer'))),
  -- Of the token only its SHA-256 is kept.
  token_hash bytea NOT NULL UNIQUE CHECK (octet_length(token_hash) = 32),
  created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  created_by jsonb NOT NULL,
  sent_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  expires_at timestamptz(3) NOT NULL,
  accepted_at timestamptz(3),
  accepted_by uuid REFERENCES users,
  revoked_at timestamptz(3),
  CHECK (accepted_at IS NULL OR revoked_at IS NULL)
);
CREATE UNIQUE INDEX invitations_one_open ON invitations (organization_id, email)
  WHERE accepted_at IS NULL AND revoked_at IS NULL;
CREATE INDEX invitations_by_creation ON invitations (organization_id, created_at, id);

-- What is to be sent by mail: written with the change that it tells of, sent after it.
CREATE TABLE mails (
  id uuid PRIMARY KEY,
  recipient text NOT NULL,
  -- Encrypted, for it may hold what opens something; gone once it is sent.
  sealed_content bytea,
  created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  due_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  attempts integer NOT NULL DEFAULT 0,
  sent_at timestamptz(3),
  given_up_at timestamptz(3),
  CHECK ((sealed_content IS NULL) = (sent_at IS NOT NULL OR given_up_at IS NOT NULL))
);
CREATE INDEX mails_due ON mails (due_at) WHERE sealed_content IS NOT NULL;
`,
};
