import type { Migration } from './migration.ts';

export const auditProofs: Migration = {
  number: 54,
  name: 'audit-proofs',
  sql: `
-- Up to which event of each organization the worker has checked the chain, and the retention that the events say there
-- (api/store/audit-proof.ts). mac: HMAC of the row with the key of key_version. A row that is lost is made again.
CREATE TABLE event_proofs (
  organization_id uuid PRIMARY KEY REFERENCES organizations,
  sequence bigint NOT NULL CHECK (sequence > 0),
  hash bytea NOT NULL,
  retention_days integer NOT NULL,
  chosen_at timestamptz(3),
  key_version text NOT NULL,
  mac bytea NOT NULL
);
`,
};
