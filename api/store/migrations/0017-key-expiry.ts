import type { Migration } from './migration.ts';

export const keyExpiry: Migration = {
  number: 17,
  name: 'key-expiry',
  sql: `
-- When the key got its present expiry, if not at its creation; and how many days before it the last notice was given.
ALTER TABLE api_keys
  ADD COLUMN renewed_at timestamptz(3),
  ADD COLUMN told_days integer;
CREATE INDEX api_keys_by_expiry ON api_keys (expires_at) WHERE revoked_at IS NULL;
`,
};
