import type { Migration } from './migration.ts';

export const savedQueries: Migration = {
  number: 58,
  name: 'saved-queries',
  sql: `
-- Queries of the explorer that are saved for everybody who may see the database. filters: the fields of its form, as they were typed.
CREATE TABLE saved_queries (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL REFERENCES organizations,
  database_id uuid NOT NULL REFERENCES databases,
  name text NOT NULL,
  operation text NOT NULL,
  filters jsonb NOT NULL,
  version integer NOT NULL DEFAULT 1,
  created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  created_by jsonb NOT NULL,
  updated_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  UNIQUE (database_id, name)
);
`,
};
