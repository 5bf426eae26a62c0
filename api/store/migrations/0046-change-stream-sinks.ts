import type { Migration } from './migration.ts';

export const changeStreamSinks: Migration = {
  number: 46,
  name: 'change-stream-sinks',
  sql: `
-- sink_options: what a sink has besides its type and its URL, by its type.
-- sealed_secret: of a webhook, the secret that signs; of a broker, the password, empty if there is none.
ALTER TABLE change_streams
  ADD COLUMN sink_options jsonb NOT NULL DEFAULT '{}',
  ADD COLUMN password_set boolean NOT NULL DEFAULT false,
  DROP CONSTRAINT change_streams_sink_type_check,
  ADD CONSTRAINT change_streams_sink_type_check CHECK (sink_type IN ('WEBHOOK', 'AMQP', 'KAFKA'));
`,
};
