import type { Migration } from './migration.ts';

export const compressedPacks: Migration = {
  number: 63,
  name: 'compressed-packs',
  sql: `
-- Figures of packs as bytes (api/store/packed-figures.ts), which PostgreSQL cannot compress further. A release before this one finds
-- packs without figures: gaps.
-- What was packed becomes samples again, and is packed anew little by little.
INSERT INTO metric_samples (at, database_id, source, readings, latencies, failures)
  SELECT packs.at + slot * interval '15 seconds', database_id, source, of_readings.figures, of_latencies.figures, of_failures.figures
  FROM metric_packs AS packs CROSS JOIN LATERAL unpacked_figures(readings) AS of_readings
    LEFT JOIN LATERAL unpacked_figures(latencies) AS of_latencies USING (slot)
    LEFT JOIN LATERAL unpacked_figures(failures) AS of_failures USING (slot)
  WHERE array_remove(of_readings.figures, NULL) <> '{}';
TRUNCATE metric_packs;
ALTER TABLE metric_packs ALTER COLUMN readings DROP NOT NULL,
  ADD COLUMN packed_readings bytea, ADD COLUMN packed_latencies bytea, ADD COLUMN packed_failures bytea;
ALTER TABLE metric_packs ALTER COLUMN packed_readings SET STORAGE EXTERNAL,
  ALTER COLUMN packed_latencies SET STORAGE EXTERNAL, ALTER COLUMN packed_failures SET STORAGE EXTERNAL;
UPDATE metric_rollups SET done_until = date_bin('10 minutes', now() - interval '2 days', '2000-01-01Z') WHERE kind = 'packs';

-- Times of samples that a roll-up is made of: what was measured in part weighs less. Null: all, by a release before this one.
ALTER TABLE metric_minutes ADD COLUMN samples smallint;
ALTER TABLE metric_tens ADD COLUMN samples smallint;
`,
};
