import type { Migration } from './migration.ts';

export const auditFilters: Migration = {
  number: 53,
  name: 'audit-filters',
  sql: `
-- What the audit log is filtered by. Few events do not succeed, and a search for them must not read all the others.
CREATE INDEX events_by_outcome ON events (organization_id, sequence) WHERE outcome IN ('DENIED', 'FAILED');
CREATE INDEX events_by_database ON events (organization_id, database_id, sequence)
  WHERE database_id IS NOT NULL;
`,
};
