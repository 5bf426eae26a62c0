import type { Migration } from './migration.ts';

export const organizationLifecycle: Migration = {
  number: 19,
  name: 'organization-lifecycle',
  sql: `
-- databases_max: the organization's own quota; null: that of the installation.
-- deleted_at, purge_at: it can be restored between the two. purged_at: since then only the row and its audit log are left; the slug
-- stays taken, since its namespace may still hold things.
ALTER TABLE organizations
  ADD COLUMN databases_max integer CHECK (databases_max >= 0),
  ADD COLUMN suspended_at timestamptz(3),
  ADD COLUMN suspension_reason text,
  ADD COLUMN deleted_at timestamptz(3),
  ADD COLUMN purge_at timestamptz(3),
  ADD COLUMN purged_at timestamptz(3),
  ADD CONSTRAINT organizations_deletion CHECK ((deleted_at IS NULL) = (purge_at IS NULL));
CREATE INDEX organizations_to_purge ON organizations (purge_at) WHERE purge_at IS NOT NULL AND purged_at IS NULL;
`,
};
