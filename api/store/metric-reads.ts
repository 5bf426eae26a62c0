/**
 * Reads figures over time: from the coarsest roll-up that a step allows, and from finer tables where that roll-up is not made
 * yet. What is not rolled up is not packed either, so only steps shorter than every roll-up's need packs.
 */
import { sql, type RawBuilder } from 'kysely';
import { failurePlaces, type Figure } from '../model/metric-figures.ts';
import { uuidOf } from './ids.ts';
import type { FigureColumn, OnUnreadable } from './metric-packs.ts';
import { knownOf, metricTables, samplesOf } from './metric-rollups.ts';
import { oneGateway, sampleMs, tenMinutesOfSample } from './metric-samples.ts';
import { readSamples, type WantedFigure } from './sample-reads.ts';
import type { Reader } from './tables.ts';

interface MetricSpan {
  readonly databaseId: string;
  /** Begin and end, multiples of the step. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly stepSeconds: number;
  readonly onUnreadable?: OnUnreadable | undefined;
}

/** Values of one source in one step, in the order of the request. */
export interface StepOfSource {
  /** Number of the step, from 0. */
  readonly step: number;
  readonly source: string;
  readonly values: readonly (number | null)[];
}

/** `sum`: total over the time, for figures a second. `last`: the newest known figure. */
export type Aggregate = 'avg' | 'min' | 'max' | 'sum' | 'last';

/** Seconds of a row in which a figure was known, if it was at all; those of the whole row are its `weight`. */
const knownSeconds = (place: string): string =>
  `${knownOf(place, 'samples')} * ${sampleMs / 1_000}`;

const aggregates: Readonly<Record<Aggregate, (place: string) => string>> = {
  avg: (place) =>
    `sum(readings${place} * ${knownSeconds(place)}) / nullif(sum(${knownSeconds(place)}) FILTER (WHERE readings${place} IS NOT NULL), 0)`,
  min: (place) => `min(lowest${place})`,
  max: (place) => `max(highest${place})`,
  sum: (place) => `sum(readings${place} * ${knownSeconds(place)})`,
  last: (place) =>
    `(array_agg(readings${place} ORDER BY at DESC) FILTER (WHERE readings${place} IS NOT NULL))[1]`,
};

/** The same of the known values of a step that is shorter than every roll-up's, in order of time; there is at least one. */
const ofSamples: Readonly<Record<Aggregate, (values: readonly number[]) => number>> = {
  avg: (values) => sumOf(values) / values.length,
  min: (values) => Math.min(...values),
  max: (values) => Math.max(...values),
  sum: (values) => sumOf(values) * sampleSeconds,
  last: (values) => values.at(-1) ?? NaN,
};

const sampleSeconds = sampleMs / 1_000;
const sumOf = (values: readonly number[]): number => values.reduce((sum, one) => sum + one, 0);

const isFine = ({ stepSeconds }: MetricSpan): boolean => stepSeconds < metricTables.minutes.seconds;

const figuresAt = (column: FigureColumn, places: readonly number[]): readonly WantedFigure[] =>
  places.map((place) => ({ column, place }));

/** Reads figures by index. `sourceLike`: pattern of the sources, as for LIKE. */
export function readFigures(
  db: Reader,
  span: MetricSpan,
  sourceLike: string,
  aggregate: Aggregate,
  places: readonly number[],
): Promise<readonly StepOfSource[]> {
  if (isFine(span))
    return readFine(db, span, sourceLike, figuresAt('readings', places), ofSamples[aggregate]);
  return read(
    db,
    span,
    sourceLike,
    places.map((place) => aggregates[aggregate](`[${place + 1}]`)),
  );
}

/**
 * Longest span whose latencies are added up here, in half the time that PostgreSQL takes for a hundred sums. Those of a month are tens
 * of megabytes, and would take the time of this process from all requests.
 */
const addedHereMaxMs = 25 * 3_600_000;

/** Reads latencies by index, as weights of buckets. */
export async function readLatencies(
  db: Reader,
  span: MetricSpan,
  sourceLike: string,
  places: readonly number[],
): Promise<readonly StepOfSource[]> {
  if (isFine(span))
    return readFine(db, span, sourceLike, figuresAt('latencies', places), ofSamples.sum);
  if (span.toMs - span.fromMs > addedHereMaxMs) {
    const sums = places.map((place) => `sum(latencies[${place + 1}] * weight)`);
    return read(db, span, sourceLike, sums);
  }
  const parts = await partsOf(db, span);
  if (parts.length === 0) return [];
  const { rows } = await sql<{
    step: number;
    source: string;
    latencies: readonly Figure[];
    weight: number;
  }>`
    SELECT ${stepNumber(span)} AS step, source, to_json(latencies) AS latencies, weight
    FROM (${unionOf(parts, span, sourceLike)}) AS figures
    WHERE latencies IS NOT NULL
  `.execute(db);
  const sums = new Map<string, StepOfSource>();
  for (const { step, source, latencies, weight } of rows) {
    const key = `${step} ${source}`;
    const known = sums.get(key)?.values ?? [];
    const values = places.map((place, column) => {
      const rate = latencies[place] ?? null;
      return rate === null ? (known[column] ?? null) : (known[column] ?? 0) + rate * weight;
    });
    sums.set(key, { step, source, values });
  }
  return [...sums.values()];
}

/**
 * Places of failures that occurred in the span, which are few: so a database without failures costs no more than a look.
 */
export async function readFailurePlaces(
  db: Reader,
  span: MetricSpan,
  sourceLike: string,
): Promise<readonly number[]> {
  if (isFine(span)) {
    const places = Array.from({ length: failurePlaces }, (_, place) => place);
    const samples = await readSamples(db, span, sourceLike, figuresAt('failures', places));
    return places.filter((place) => samples.some(({ values }) => (values[place] ?? null) !== null));
  }
  const parts = await partsOf(db, span);
  if (parts.length === 0) return [];
  const { rows } = await sql<{ place: number }>`
    SELECT DISTINCT place - 1 AS place
    FROM (${unionOf(parts, span, sourceLike)}) AS figures, unnest(failures) WITH ORDINALITY AS of (rate, place)
    WHERE rate IS NOT NULL
    ORDER BY 1
  `.execute(db);
  return rows.map(({ place }) => Number(place));
}

/** Failures to read. `known`: index of the figure that is there where failures would have been told. */
interface WantedFailures {
  readonly places: readonly number[];
  readonly known: number;
  readonly aggregate: 'avg' | 'sum';
}

/** Reads failures by index. */
export async function readFailures(
  db: Reader,
  span: MetricSpan,
  sourceLike: string,
  { places, known, aggregate }: WantedFailures,
): Promise<readonly StepOfSource[]> {
  if (isFine(span)) {
    const wanted = [...figuresAt('readings', [known]), ...figuresAt('failures', places)];
    // Where failures would have been told, one that was not did not occur.
    return readFine(db, span, sourceLike, wanted, ofSamples[aggregate], ([told, ...failures]) =>
      told === null ? failures.map(() => null) : failures.map((failure) => failure ?? 0),
    );
  }
  const place = `[${known + 1}]`;
  const filter = `FILTER (WHERE readings${place} IS NOT NULL)`;
  return read(
    db,
    span,
    sourceLike,
    places.map((failure) => {
      const sum = `sum(coalesce(failures[${failure + 1}], 0) * weight) ${filter}`;
      return aggregate === 'sum'
        ? sum
        : `${sum} / nullif(sum(${knownSeconds(place)}) ${filter}, 0)`;
    }),
  );
}

async function readFine(
  db: Reader,
  span: MetricSpan,
  sourceLike: string,
  wanted: readonly WantedFigure[],
  aggregate: (values: readonly number[]) => number,
  shown: (values: readonly Figure[]) => readonly Figure[] = (values) => values,
): Promise<readonly StepOfSource[]> {
  const samples = await readSamples(db, span, sourceLike, wanted);
  const stepOf = (atMs: number) => Math.floor((atMs - span.fromMs) / span.stepSeconds / 1_000);
  const bySource = Map.groupBy(samples, ({ source }) => source);
  return [...bySource].flatMap(([source, own]) =>
    [...Map.groupBy(own, ({ atMs }) => stepOf(atMs))].map(([step, ofStep]) => {
      const rows = ofStep.map(({ values }) => shown(values));
      const values = (rows[0] ?? []).map((_, column) => {
        const known = rows.flatMap((row) => row[column] ?? []);
        return known.length === 0 ? null : aggregate(known);
      });
      return { step, source, values };
    }),
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
  // As JSON, which JavaScript reads many times faster than PostgreSQL's own text of an array.
  const { rows } = await sql<StepOfSource>`
    SELECT ${stepNumber(span)} AS step, source,
      to_json(ARRAY[${sql.raw(values.join())}]::float8[]) AS values
    FROM (${unionOf(parts, span, sourceLike)}) AS figures
    GROUP BY 1, 2
  `.execute(db);
  return rows;
}

const stepNumber = ({ fromMs, stepSeconds }: MetricSpan) =>
  sql`floor((extract(epoch FROM at) * 1000 - ${fromMs}::float8) / ${stepSeconds * 1_000}::float8)::int`;

const unionOf = (parts: readonly Part[], span: MetricSpan, sourceLike: string) =>
  sql.join(
    parts.map((part) => selectOf(part, span, sourceLike)),
    sql` UNION ALL `,
  );

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
  const { table } = metricTables[kind];
  const [begin, end] = [new Date(fromMs), new Date(toMs)];
  const ofSpan = sql`database_id = ${uuidOf(databaseId)} AND at >= ${begin} AND at < ${end}`;
  if (kind !== 'samples') {
    return sql`
      SELECT at, source, readings, lowest, highest, latencies, failures, known,
        ${sql.raw(samplesOf(kind))} AS samples, ${sql.raw(samplesOf(kind))} * ${sql.lit(sampleSeconds)} AS weight
      FROM ${sql.table(table)} WHERE ${ofSpan} AND source LIKE ${sourceLike}`;
  }
  const samples = oneGateway(
    sql`${ofSpan} AND ${tenMinutesOfSample} > ${begin}::timestamptz - interval '10 minutes' AND ${tenMinutesOfSample} < ${end}`,
  );
  return sql`
    SELECT at, source, readings, readings AS lowest, readings AS highest, latencies, failures,
      NULL::smallint[] AS known, 1 AS samples, ${sql.lit(sampleSeconds)} AS weight
    FROM (${samples}) AS samples WHERE source LIKE ${sourceLike}`;
}

/** The tables that a span of coarser steps is read from, in order of time. */
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
