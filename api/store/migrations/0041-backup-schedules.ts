import type { Migration } from './migration.ts';

export const backupSchedules: Migration = {
  number: 41,
  name: 'backup schedules',
  sql: `
-- Schedules of backups. Each is what its resource in Kubernetes says, and goes with it.
-- id: UID of the resource. resource_version: version of the resource that the row shows.
-- database_id: the database that has the name in its specification; if none has it any more, the last one that had.
-- spec: the resource's specification. state: what the operator says of it.
CREATE TABLE backup_schedules (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL REFERENCES organizations,
  database_id uuid NOT NULL REFERENCES databases,
  name text NOT NULL,
  kubernetes_namespace text NOT NULL,
  resource_version text NOT NULL,
  spec jsonb NOT NULL,
  state jsonb NOT NULL,
  actor jsonb NOT NULL,
  version integer NOT NULL DEFAULT 1,
  created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  updated_at timestamptz(3) NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX backup_schedules_of_database ON backup_schedules (database_id, name);
`,
};
