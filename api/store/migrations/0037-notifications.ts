import type { Migration } from './migration.ts';

export const notifications: Migration = {
  number: 37,
  name: 'notifications',
  sql: `
-- What a person has read of an organization's notifications, and wants none of. The notifications are events; they are kept once.
-- person: user ID; empty: the local administrator.
CREATE TABLE notification_settings (
  organization_id uuid NOT NULL REFERENCES organizations,
  person text NOT NULL,
  read_through bigint NOT NULL DEFAULT 0,
  muted_kinds text[] NOT NULL DEFAULT '{}',
  muted_databases uuid[] NOT NULL DEFAULT '{}',
  PRIMARY KEY (organization_id, person)
);
`,
};
