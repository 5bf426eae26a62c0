import type { Migration } from './migration.ts';

export const databases: Migration = {
  number: 3,
  name: 'databases',
  sql: `
CREATE TABLE databases (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL REFERENCES organizations,
  name text NOT NULL,
  mode text NOT NULL CHECK (mode IN ('new', 'import')),
  status text NOT NULL
    CHECK (status IN ('PROVISIONING', 'READY', 'SUSPENDED', 'FAILED', 'DELETING', 'DELETED')),
  status_reason jsonb,
  health text NOT NULL DEFAULT 'UNKNOWN'
    CHECK (health IN ('HEALTHY', 'DEGRADED', 'UNAVAILABLE', 'UNKNOWN')),
  -- As a decimal: it has 128 bits.
  cluster_id text,
  deletion_protection boolean NOT NULL,
  labels jsonb NOT NULL DEFAULT '{}',
  -- What the cluster showed last; null until it showed something.
  observed jsonb,
  kubernetes_namespace text NOT NULL,
  kubernetes_uid uuid UNIQUE,
  -- Applied by a person rather than made through the API.
  adopted boolean NOT NULL DEFAULT false,
  version integer NOT NULL DEFAULT 1,
  created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  created_by jsonb NOT NULL,
  updated_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  ready_at timestamptz(3),
  deleted_at timestamptz(3),
  purge_at timestamptz(3),
  purged_at timestamptz(3),
  CHECK ((deleted_at IS NOT NULL) = (status IN ('DELETING', 'DELETED')))
);
-- Deleting gives the name free at once.
CREATE UNIQUE INDEX databases_name_taken ON databases (organization_id, name) WHERE deleted_at IS NULL;
CREATE INDEX databases_by_creation ON databases (organization_id, created_at, id);
CREATE INDEX databases_by_name ON databases (organization_id, name, id);
CREATE INDEX databases_to_purge ON databases (purge_at) WHERE purge_at IS NOT NULL AND purged_at IS NULL;

-- Revisions of a database's configuration.
CREATE TABLE profiles (
  id uuid PRIMARY KEY,
  database_id uuid NOT NULL REFERENCES databases,
  revision integer NOT NULL CHECK (revision > 0),
  active boolean NOT NULL,
  status text NOT NULL
    CHECK (status IN ('PROVISIONING', 'READY', 'SUSPENDED', 'FAILED', 'DELETING', 'DELETED', 'SUPERSEDED')),
  provider text NOT NULL,
  region text NOT NULL,
  cluster_configuration text NOT NULL,
  cluster_size text NOT NULL,
  storage_tier text NOT NULL,
  selected_storage_gb integer NOT NULL CHECK (selected_storage_gb > 0),
  engine text NOT NULL,
  engine_version text NOT NULL,
  parameters jsonb NOT NULL,
  price jsonb,
  error jsonb,
  created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  ready_at timestamptz(3),
  superseded_at timestamptz(3),
  UNIQUE (database_id, revision)
);
CREATE UNIQUE INDEX profiles_one_active ON profiles (database_id) WHERE active;
`,
};
