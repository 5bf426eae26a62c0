import type { Migration } from './migration.ts';

export const failedEvents: Migration = {
  number: 60,
  name: 'failed-events',
  sql: `
-- Accounts and transfers a second that were not created, by the places in api/model/metric-figures.ts; null when there were none.
ALTER TABLE metric_samples ADD COLUMN failures real[];
ALTER TABLE metric_minutes ADD COLUMN failures real[];
ALTER TABLE metric_tens ADD COLUMN failures real[];
`,
};
