import type { Migration } from './migration.ts';

export const usedSignIns: Migration = {
  number: 15,
  name: 'used-sign-ins',
  sql: `
-- Sign-ins at the identity provider that have opened a session, by the SHA-256 of their state, until their tickets expire.
CREATE TABLE used_sign_ins (
  state_hash bytea PRIMARY KEY CHECK (octet_length(state_hash) = 32),
  expires_at timestamptz(3) NOT NULL
);
CREATE INDEX used_sign_ins_by_expiry ON used_sign_ins (expires_at);
`,
};
