import type { Migration } from './migration.ts';

export const bootstrapMacs: Migration = {
  number: 14,
  name: 'bootstrap-macs',
  sql: `
-- MAC of the bootstrap token that opened the local administrator's session, or whose session approved the device. Without it,
-- or once the installation has another token, the session is over.
ALTER TABLE sessions ADD COLUMN bootstrap_mac bytea CHECK (octet_length(bootstrap_mac) = 32);
ALTER TABLE device_requests ADD COLUMN bootstrap_mac bytea CHECK (octet_length(bootstrap_mac) = 32);
`,
};
