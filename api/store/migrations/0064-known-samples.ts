import type { Migration } from './migration.ts';

export const knownSamples: Migration = {
  number: 64,
  name: 'known-samples',
  sql: `
-- Samples of a row of a roll-up in which each figure was known: what happened while a replica was silent is not made up. Null: each
-- figure was known in all of them, or in none.
ALTER TABLE metric_minutes ADD COLUMN known smallint[];
ALTER TABLE metric_tens ADD COLUMN known smallint[];
`,
};
