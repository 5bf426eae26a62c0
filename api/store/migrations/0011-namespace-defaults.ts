import type { Migration } from './migration.ts';

export const namespaceDefaults: Migration = {
  number: 11,
  name: 'namespace-defaults',
  sql: `
-- Which namespace, by its uid, has got its defaults: they are given once, and an administrator's from then on.
CREATE TABLE namespace_defaults (
  organization_id uuid PRIMARY KEY REFERENCES organizations,
  namespace_uid uuid NOT NULL
);
`,
};
