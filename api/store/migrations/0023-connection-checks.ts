import type { Migration } from './migration.ts';

export const connectionChecks: Migration = {
  number: 23,
  name: 'connection-checks',
  sql: `
-- account_id: a number that is looked up once, to see that a client reaches the database. observed: null until it was.
-- troubles: what kept clients of the database from it meanwhile.
CREATE TABLE connection_checks (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL REFERENCES organizations,
  database_id uuid NOT NULL,
  language text,
  account_id numeric(39) NOT NULL UNIQUE,
  created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  created_by jsonb NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  observed jsonb,
  troubles jsonb NOT NULL DEFAULT '[]'
);
CREATE INDEX connection_checks_by_database ON connection_checks (database_id, expires_at);
CREATE INDEX connection_checks_by_expiry ON connection_checks (expires_at);
`,
};
