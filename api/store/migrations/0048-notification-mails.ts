import type { Migration } from './migration.ts';

export const notificationMails: Migration = {
  number: 48,
  name: 'notification-mails',
  sql: `
ALTER TABLE notification_settings
  -- Kinds that a person gets by mail at once; null: those that are the default of their role.
  ADD COLUMN mail_kinds text[],
  -- Kinds that a person gets in one mail a day.
  ADD COLUMN digest_kinds text[] NOT NULL DEFAULT '{}',
  -- Number of the last event that such a mail, or the choice of it, came after.
  ADD COLUMN digest_through bigint NOT NULL DEFAULT 0,
  -- Null: no kind is chosen.
  ADD COLUMN digest_due_at timestamptz(3),
  -- Mails at once of this day, in UTC.
  ADD COLUMN mail_day date,
  ADD COLUMN mails_of_day integer NOT NULL DEFAULT 0;
CREATE INDEX notification_digests_due ON notification_settings (digest_due_at) WHERE digest_due_at IS NOT NULL;

-- Nobody gets mail of what happened before.
INSERT INTO event_positions (consumer, organization_id, sequence)
  SELECT 'notification mails', organization_id, sequence FROM event_heads;
`,
};
