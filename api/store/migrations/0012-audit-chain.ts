import type { Migration } from './migration.ts';

export const auditChain: Migration = {
  number: 12,
  name: 'audit-chain',
  sql: `
-- Version of the signing key that the hash was made with; null: a plain SHA-256 from before the chain had a key.
ALTER TABLE events ADD COLUMN key_version text;

-- keyed_from: number of the first event with a keyed hash, written with that event; null: there is none yet.
-- mac: HMAC of the head with the key of key_version.
ALTER TABLE event_heads
  ADD COLUMN keyed_from bigint,
  ADD COLUMN key_version text,
  ADD COLUMN mac bytea;

CREATE TRIGGER events_remain BEFORE DELETE OR TRUNCATE ON events
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE TRIGGER event_heads_remain BEFORE DELETE OR TRUNCATE ON event_heads
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
`,
};
