import type { Migration } from './migration.ts';

export const configurationChanges: Migration = {
  number: 30,
  name: 'configuration-changes',
  sql: `
-- apply_after: time before which a queued change is not begun; null: as soon as nothing else is being applied.
-- generation: generation of the resource that has the change; null until it was written there.
-- profile_revision: the revision that it made; previous_revision: the one that it was made from.
CREATE TABLE configuration_changes (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL REFERENCES organizations,
  database_id uuid NOT NULL REFERENCES databases,
  status text NOT NULL CHECK (status IN ('QUEUED', 'APPLYING', 'APPLIED', 'FAILED', 'CANCELED')),
  origin text NOT NULL CHECK (origin IN ('api', 'kubernetes')),
  request jsonb NOT NULL,
  diff jsonb NOT NULL,
  impact jsonb NOT NULL,
  price_delta jsonb,
  apply_after timestamptz(3),
  job_id uuid,
  generation bigint,
  previous_revision integer NOT NULL,
  profile_revision integer,
  progress text,
  error jsonb,
  actor jsonb NOT NULL,
  request_id text,
  version integer NOT NULL DEFAULT 1,
  created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  updated_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  started_at timestamptz(3),
  finished_at timestamptz(3),
  CHECK ((finished_at IS NOT NULL) = (status IN ('APPLIED', 'FAILED', 'CANCELED')))
);
-- Of what is asked for over HTTP, one is applied and one waits; further ones join the one that waits.
CREATE UNIQUE INDEX configuration_changes_one_applying ON configuration_changes (database_id)
  WHERE status = 'APPLYING' AND origin = 'api';
CREATE UNIQUE INDEX configuration_changes_one_queued ON configuration_changes (database_id)
  WHERE status = 'QUEUED';
CREATE INDEX configuration_changes_by_creation ON configuration_changes (database_id, created_at, id);
CREATE INDEX configuration_changes_unfinished ON configuration_changes (status, apply_after)
  WHERE finished_at IS NULL;
`,
};
