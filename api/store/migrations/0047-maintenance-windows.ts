import type { Migration } from './migration.ts';

export const maintenanceWindows: Migration = {
  number: 47,
  name: 'maintenance-windows',
  sql: `
-- maintenance_window: weekday, start time, length and time zone; null: that of the organization, or the default.
-- in_window: the change begins only while the window is open; apply_after is then the beginning of the window that it waits for.
ALTER TABLE organizations ADD COLUMN maintenance_window jsonb;
ALTER TABLE databases ADD COLUMN maintenance_window jsonb;
ALTER TABLE configuration_changes ADD COLUMN in_window boolean NOT NULL DEFAULT false;
`,
};
