/**
 * Reads figures over time: from the coarsest roll-up that a step allows, and from finer tables where that roll-up is not made
 * yet.
 */
import { sql, type RawBuilder } from 'kysely';
import { uuidOf } from './ids.ts';
import { metricTables } from './metric-rollups.ts';
import { tenMinutesOfSample } from './metric-samples.ts';
import type { Reader } from './tables.ts';

interface MetricSpan {
  readonly databaseId: string;
  /** Begin and end, multiples of the step. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly stepSeconds: number;
}

/** Values of one source in one step, in the order of the request. */
export interface StepOfSource {
  /** Number of the step, from 0. */
  readonly step: number;
  readonly source: string;
  readonly values: readonly (number | null)[];
}

export type Aggregate = 'avg' | 'min' | 'max';

/** Reads figures by index. `sourceLike`: pattern of the sources, as for LIKE. */
export function readFigures(
  db: Reader,
  span: MetricSpan,
  sourceLike: string,
  aggregate: Aggregate,
  places: readonly number[],
): Promise<readonly StepOfSource[]> {
  const column = { avg: 'readings', min: 'lowest', max: 'highest' }[aggregate];
  const value = (place: number) =>
    aggregate === 'avg'
      ? `sum(readings[${place}] * weight) / nullif(sum(weight) FILTER (WHERE readings[${place}] IS NOT NULL), 0)`
      : `${aggregate}(${column}[${place}])`;
  return read(
    db,
    span,
    sourceLike,
    places.map((place) => value(place + 1)),
  );
}

/** Reads latencies by index, as weights of buckets. */
export function readLatencies(
  db: Reader,
  span: MetricSpan,
  sourceLike: string,
  places: readonly number[],
): Promise<readonly StepOfSource[]> {
  return read(
    db,
    span,
    sourceLike,
    places.map((place) => `sum(latencies[${place + 1}] * weight)`),
  );
}

async function read(
  db: Reader,
  span: MetricSpan,
  sourceLike: string,
  values: readonly string[],
): Promise<readonly StepOfSource[]> {
  const parts = await partsOf(db, span);
  if (parts.length === 0) return [];
  const stepMs = span.stepSeconds * 1_000;
  // As JSON, which JavaScript reads many times faster than PostgreSQL's own text of an array.
  const { rows } = await sql<StepOfSource>`
    SELECT floor((extract(epoch FROM at) * 1000 - ${span.fromMs}::float8) / ${stepMs}::float8)::int AS step, source,
      to_json(ARRAY[${sql.raw(values.join())}]::float8[]) AS values
    FROM (${sql.join(
      parts.map((part) => selectOf(part, span, sourceLike)),
      sql` UNION ALL `,
    )}) AS figures
    GROUP BY 1, 2
  `.execute(db);
  return rows;
}

interface Part {
  readonly kind: keyof typeof metricTables;
  readonly fromMs: number;
  readonly toMs: number;
}

function selectOf(
  { kind, fromMs, toMs }: Part,
  { databaseId }: MetricSpan,
  sourceLike: string,
): RawBuilder<unknown> {
  const { table, seconds } = metricTables[kind];
  const extremes =
    kind === 'samples' ? 'readings AS lowest, readings AS highest' : 'lowest, highest';
  const indexed =
    kind === 'samples'
      ? sql`AND ${tenMinutesOfSample} > ${new Date(fromMs - 600_000)} AND ${tenMinutesOfSample} < ${new Date(toMs)}`
      : sql``;
  return sql`
    SELECT at, source, readings, ${sql.raw(extremes)}, latencies, ${sql.lit(seconds)} AS weight
    FROM ${sql.table(table)}
    WHERE database_id = ${uuidOf(databaseId)} AND at >= ${new Date(fromMs)} AND at < ${new Date(toMs)}
      ${indexed} AND source LIKE ${sourceLike}`;
}

/** The tables that a span is read from, in order of time. */
async function partsOf(db: Reader, span: MetricSpan): Promise<readonly Part[]> {
  const rows = await db.selectFrom('metricRollups').select(['kind', 'doneUntil']).execute();
  const doneUntil = (kind: string): number =>
    rows.find((row) => row.kind === kind)?.doneUntil.getTime() ?? 0;
  const parts: Part[] = [];
  let { fromMs } = span;
  for (const kind of ['tens', 'minutes', 'samples'] as const) {
    const isTooCoarse = metricTables[kind].seconds > span.stepSeconds;
    const toMs = Math.min(span.toMs, kind === 'samples' ? Infinity : doneUntil(kind));
    if (isTooCoarse || toMs <= fromMs) continue;
    parts.push({ kind, fromMs, toMs });
    fromMs = toMs;
  }
  return parts;
}

/** Trend of a figure, by a line through its ten-minute values. */
export interface FigureTrend {
  readonly source: string;
  readonly place: number;
  /** Change of the figure per second. */
  readonly perSecond: number;
  /** Length of time that the values cover. */
  readonly seconds: number;
}

const trendDays = 7;

/** Trends of figures over the last 7 days, by replica. A figure without two values has none. */
export async function readTrends(
  db: Reader,
  databaseId: string,
  places: readonly number[],
): Promise<readonly FigureTrend[]> {
  const trends = await Promise.all(
    places.map(async (place) => {
      const figure = sql.raw(`readings[${place + 1}]`);
      const { rows } = await sql<{ source: string; perSecond: number | null; seconds: number }>`
        SELECT source, regr_slope(${figure}::float8, extract(epoch FROM at)::float8) AS "perSecond",
          extract(epoch FROM max(at) - min(at))::float8 AS seconds
        FROM metric_tens
        WHERE database_id = ${uuidOf(databaseId)} AND source LIKE 'r%' AND ${figure} IS NOT NULL
          AND at > now() - ${trendDays} * interval '1 day'
        GROUP BY 1
      `.execute(db);
      return rows.flatMap(({ source, perSecond, seconds }) =>
        perSecond === null ? [] : [{ source, place, perSecond, seconds }],
      );
    }),
  );
  return trends.flat();
}
