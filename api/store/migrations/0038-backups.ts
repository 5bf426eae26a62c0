import type { Migration } from './migration.ts';

export const backups: Migration = {
  number: 38,
  name: 'backups',
  sql: `
-- Backups of databases. Each follows a resource in Kubernetes, which this service or somebody else made.
-- kubernetes_uid: UID of the resource; null until it is made. The backup's ID in the bucket is made from it.
-- resource_version: version of the resource that the row shows. resource_gone: there is none any more; the bucket has the backup still.
-- removing: the operator has begun to remove it from the bucket.
-- facts: what the resource says of a finished backup. verification: its last test restore.
-- removed_at: since then nobody can restore it.
CREATE TABLE backups (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL REFERENCES organizations,
  database_id uuid NOT NULL REFERENCES databases,
  name text NOT NULL,
  type text NOT NULL CHECK (type IN ('MANUAL', 'SCHEDULED', 'PRE_CHANGE', 'FINAL')),
  status text NOT NULL
    CHECK (status IN ('QUEUED', 'RUNNING', 'SUCCEEDED', 'FAILED', 'DELETING', 'DELETED', 'EXPIRED')),
  status_reason jsonb,
  protected boolean NOT NULL,
  expires_at timestamptz(3),
  schedule text,
  kubernetes_namespace text NOT NULL,
  resource_name text NOT NULL,
  kubernetes_uid text UNIQUE,
  resource_version text,
  resource_gone boolean NOT NULL DEFAULT false,
  removing boolean NOT NULL DEFAULT false,
  job_id uuid,
  facts jsonb,
  verification jsonb,
  actor jsonb NOT NULL,
  version integer NOT NULL DEFAULT 1,
  created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  updated_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  started_at timestamptz(3),
  completed_at timestamptz(3),
  removed_at timestamptz(3),
  CHECK ((removed_at IS NOT NULL) = (status IN ('DELETED', 'EXPIRED')))
);
CREATE INDEX backups_by_creation ON backups (database_id, created_at, id);
CREATE INDEX backups_unplaced ON backups (kubernetes_namespace, resource_name) WHERE kubernetes_uid IS NULL;
CREATE INDEX backups_placed ON backups (kubernetes_uid) WHERE removed_at IS NULL AND NOT resource_gone;
CREATE INDEX backups_removed ON backups (removed_at) WHERE removed_at IS NOT NULL;

-- The backup that a database began with: IDs of the backup, of its database, and of the backup in the bucket.
ALTER TABLE databases ADD COLUMN restored_from jsonb;
CREATE INDEX databases_restored ON databases ((restored_from ->> 'backupId')) WHERE restored_from IS NOT NULL;
`,
};
