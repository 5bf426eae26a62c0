import type { Migration } from './migration.ts';

export const metricPacks: Migration = {
  number: 62,
  name: 'metric-packs',
  sql: `
-- Samples of ten minutes of one source in one row (api/store/metric-packs.ts): 40 values of the first figure, then those of the next.
-- PostgreSQL compresses them and keeps them beside the table, in pieces that fill its pages.
CREATE TABLE metric_packs (
  at timestamptz(0) NOT NULL,
  database_id uuid NOT NULL,
  source text NOT NULL,
  readings real[] NOT NULL,
  latencies real[],
  failures real[]
) PARTITION BY RANGE (at);
CREATE INDEX metric_packs_by_database ON metric_packs (database_id, at);

-- The samples of a pack again: figures by the slot of their time.
CREATE FUNCTION unpacked_figures(packed real[]) RETURNS TABLE (slot integer, figures real[])
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT ((place - 1) % 40)::integer, array_agg(figure ORDER BY place)
  FROM unnest(packed) WITH ORDINALITY AS of (figure, place)
  GROUP BY 1
$$;

-- Older samples are packed little by little.
INSERT INTO metric_rollups (kind, done_until)
  VALUES ('packs', date_bin('10 minutes', now() - interval '2 days', '2000-01-01Z'));
`,
};
