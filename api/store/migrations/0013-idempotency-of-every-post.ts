import type { Migration } from './migration.ts';

export const idempotencyOfEveryPost: Migration = {
  number: 13,
  name: 'idempotency-of-every-post',
  sql: `
-- A caller's key names one request, whatever organization it acts for: some requests have none, and one can change it.
-- The columns organization_id and response, and the index on them, are for releases before this step.
DELETE FROM idempotency_keys AS one USING idempotency_keys AS other
  WHERE one.principal = other.principal AND one.key = other.key
    AND (one.created_at, one.organization_id) < (other.created_at, other.organization_id);
ALTER TABLE idempotency_keys DROP CONSTRAINT idempotency_keys_pkey;
ALTER TABLE idempotency_keys ALTER COLUMN organization_id DROP NOT NULL;
ALTER TABLE idempotency_keys ADD PRIMARY KEY (principal, key);
CREATE UNIQUE INDEX idempotency_keys_by_organization ON idempotency_keys (organization_id, principal, key);

-- The answer, encrypted: some answers hold a secret that is shown once.
ALTER TABLE idempotency_keys ADD COLUMN sealed_answer bytea;
ALTER TABLE idempotency_keys DROP CONSTRAINT idempotency_keys_check;
ALTER TABLE idempotency_keys ADD CONSTRAINT idempotency_keys_answered
  CHECK ((token IS NULL) = (response IS NOT NULL OR sealed_answer IS NOT NULL));
`,
};
