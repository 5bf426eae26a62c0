import type { Migration } from './migration.ts';

export const engineNotices: Migration = {
  number: 51,
  name: 'engine-notices',
  sql: `
-- What the members of a database's organization were told about a version of its engine. at: the date in the catalog that they were
-- told. not_before, look_at: of a version that is forced, the time before which it is not applied, and when a worker looks at it next.
CREATE TABLE engine_notices (
  database_id uuid NOT NULL REFERENCES databases (id) ON DELETE CASCADE,
  version text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('AVAILABLE', 'DEPRECATED', 'FORCED')),
  at timestamptz(3) NOT NULL,
  told_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  not_before timestamptz(3),
  look_at timestamptz(3),
  PRIMARY KEY (database_id, version, kind),
  CHECK ((kind = 'FORCED') = (not_before IS NOT NULL)),
  CHECK ((kind = 'FORCED') = (look_at IS NOT NULL))
);
CREATE INDEX engine_notices_to_look_at ON engine_notices (look_at) WHERE look_at IS NOT NULL;

-- A request for now that cannot begin yet waits beside a change that waits for its time.
DROP INDEX configuration_changes_one_queued;
CREATE INDEX configuration_changes_queued ON configuration_changes (database_id) WHERE status = 'QUEUED';
`,
};
