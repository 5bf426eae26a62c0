import type { Migration } from './migration.ts';

export const sealedBy: Migration = {
  number: 21,
  name: 'sealed-by',
  sql: `
-- Version of the signing key with which the secret is sealed; null: not known, from a release before.
ALTER TABLE webhook_endpoints ADD COLUMN sealed_by text;
`,
};
