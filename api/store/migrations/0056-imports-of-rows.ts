import type { Migration } from './migration.ts';

export const importsOfRows: Migration = {
  number: 56,
  name: 'imports-of-rows',
  sql: `
-- Imports of accounts and transfers, which are tried before a database begins with them. Their files have index 0 (accounts) and 1
-- (transfers), and any number of replicas begins with them.
-- rows: how they are executed, and from CHECKING on what exactly was uploaded; null for data files.
-- report: what the trial has found; null before its end.
ALTER TABLE imports ADD COLUMN rows jsonb, ADD COLUMN report jsonb;
ALTER TABLE imports ALTER COLUMN replica_count DROP NOT NULL;
ALTER TABLE imports DROP CONSTRAINT imports_status_check, DROP CONSTRAINT imports_check, DROP CONSTRAINT imports_check1;
ALTER TABLE imports
  ADD CONSTRAINT imports_status_check
    CHECK (status IN ('UPLOADING', 'CHECKING', 'READY', 'FAULTY', 'USED', 'EXPIRED', 'DELETED')),
  ADD CONSTRAINT imports_end_check CHECK ((ended_at IS NOT NULL) = (status IN ('FAULTY', 'USED', 'EXPIRED', 'DELETED'))),
  ADD CONSTRAINT imports_kind_check CHECK ((rows IS NULL) = (replica_count IS NOT NULL)),
  ADD CONSTRAINT imports_ready_check
    CHECK (status <> 'READY' OR CASE WHEN rows IS NULL THEN cluster_id IS NOT NULL ELSE report IS NOT NULL END);
DROP INDEX imports_open;
CREATE INDEX imports_open ON imports (expires_at) WHERE status IN ('UPLOADING', 'CHECKING', 'READY');
CREATE INDEX imports_checking ON imports (id) WHERE status = 'CHECKING';
`,
};
