import type { Migration } from './migration.ts';

export const changeStreamBytes: Migration = {
  number: 45,
  name: 'change-stream-bytes',
  sql: `
-- sent_bytes: bytes of the bodies of all requests to the sink, whatever it answered.
-- failing SERVICE: neither the ledger nor the sink, as when no signing key opens the secret.
ALTER TABLE change_streams
  ADD COLUMN sent_bytes bigint NOT NULL DEFAULT 0,
  DROP CONSTRAINT change_streams_failing_check,
  ADD CONSTRAINT change_streams_failing_check CHECK (failing IN ('LEDGER', 'SINK', 'SERVICE'));
`,
};
