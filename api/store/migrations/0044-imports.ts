import type { Migration } from './migration.ts';

export const imports: Migration = {
  number: 44,
  name: 'imports',
  sql: `
-- Exported files that customers upload, so that a database begins with them. The files are in a store of objects.
-- cluster_id: the cluster that they were exported from, as a decimal; null until a head is known.
-- database_id: the database that begins, or began, with it.
-- ended_at: since then no database can begin with it.
-- remove_at: when to remove what is in the store; null: nothing is to be removed, or nothing is left.
-- removals: how often that was done. It is done twice: a part that was on its way may arrive after the first time.
CREATE TABLE imports (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL REFERENCES organizations,
  status text NOT NULL CHECK (status IN ('UPLOADING', 'READY', 'USED', 'EXPIRED', 'DELETED')),
  replica_count integer NOT NULL CHECK (replica_count IN (1, 3, 6)),
  part_size_bytes integer NOT NULL CHECK (part_size_bytes > 0),
  cluster_id text,
  database_id uuid REFERENCES databases,
  created_by jsonb NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  expires_at timestamptz(3) NOT NULL,
  ended_at timestamptz(3),
  remove_at timestamptz(3),
  removals integer NOT NULL DEFAULT 0,
  CHECK ((ended_at IS NOT NULL) = (status IN ('USED', 'EXPIRED', 'DELETED'))),
  CHECK (status <> 'READY' OR cluster_id IS NOT NULL),
  CHECK (status <> 'USED' OR database_id IS NOT NULL)
);
CREATE INDEX imports_of_organization ON imports (organization_id, created_at, id);
CREATE INDEX imports_open ON imports (expires_at) WHERE status IN ('UPLOADING', 'READY');
CREATE INDEX imports_to_remove ON imports (remove_at) WHERE remove_at IS NOT NULL;
CREATE INDEX imports_ended ON imports (ended_at) WHERE ended_at IS NOT NULL;

-- head: what its first bytes say; null until somebody has sent them.
-- upload_id: the multipart upload in the store; null: none was begun. is_whole: it is one object there.
CREATE TABLE import_files (
  import_id uuid NOT NULL REFERENCES imports ON DELETE CASCADE,
  replica_index integer NOT NULL CHECK (replica_index BETWEEN 0 AND 5),
  size_bytes bigint NOT NULL CHECK (size_bytes > 0),
  head jsonb,
  upload_id text,
  is_whole boolean NOT NULL DEFAULT false,
  PRIMARY KEY (import_id, replica_index)
);

-- Parts that the store has confirmed.
CREATE TABLE import_parts (
  import_id uuid NOT NULL,
  replica_index integer NOT NULL,
  number integer NOT NULL CHECK (number BETWEEN 1 AND 10000),
  sha256 bytea NOT NULL,
  PRIMARY KEY (import_id, replica_index, number),
  FOREIGN KEY (import_id, replica_index) REFERENCES import_files ON DELETE CASCADE
);

-- The import that a database began with: its ID, and the cluster of its files.
ALTER TABLE databases ADD COLUMN imported_from jsonb;
`,
};
