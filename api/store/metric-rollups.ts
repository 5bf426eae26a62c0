/** Upkeep of the tables of figures: one partition a day, and the roll-ups from 15 seconds to minutes and to ten minutes. */
import { sql, type RawBuilder } from 'kysely';
import { failurePlaces, figurePlaces, latencyPlaces } from '../model/metric-figures.ts';
import { dayMs, keepDays } from './day-partitions.ts';
import { packSamples, type OnUnreadable } from './metric-packs.ts';
import { oneGateway } from './metric-samples.ts';
import type { Reader } from './tables.ts';

/** Maximum delay of a sample's write after its time. */
const lateMs = 60_000;
/** Maximum time that one statement rolls up: after a long pause, the rest waits for the next call. */
const spanMaxMs = 3_600_000;

/**
 * Tables, with the number of days before today that are kept. The day of the last sample that may be requested is kept whole.
 */
export const metricTables = {
  samples: { table: 'metric_samples', seconds: 15, keptDays: 1 },
  minutes: { table: 'metric_minutes', seconds: 60, keptDays: 7 },
  tens: { table: 'metric_tens', seconds: 600, keptDays: 30 },
} as const;

/** Makes the partitions of yesterday, today and tomorrow and drops expired ones. Returns the number of dropped ones. */
export const keepPartitions = (db: Reader, now: Date): Promise<number> =>
  keepDays(
    db,
    [...Object.values(metricTables), { ...metricTables.samples, table: 'metric_packs' }].map(
      ({ table, keptDays }) => ({ table, keptDays, lateDays: 1 }),
    ),
    now,
  );

/** Number of samples in a row of a roll-up, as SQL. */
export const samplesOf = (kind: 'minutes' | 'tens'): string =>
  `coalesce(samples, ${metricTables[kind].seconds / metricTables.samples.seconds})`;

/** Number of them in which the figure at a place of `readings` was known, if it was at all. */
export const knownOf = (place: string, samples: string): string =>
  `coalesce(known${place}, ${samples})`;

const steps = [
  { kind: 'minutes', source: 'metric_samples' },
  { kind: 'tens', source: 'metric_minutes' },
] as const;

/** Rolls up what is due, and packs it. One process at a time does it; the others find nothing to do. */
export async function rollUp(
  db: Reader,
  now: Date,
  onUnreadable: OnUnreadable = () => undefined,
): Promise<void> {
  for (const { kind, source } of steps) {
    const { table, seconds } = metricTables[kind];
    await db.transaction().execute(async (transaction) => {
      const row = await transaction
        .selectFrom('metricRollups')
        .select('doneUntil')
        .where('kind', '=', kind)
        .forUpdate()
        .executeTakeFirstOrThrow();
      const ready = await readyUntil(transaction, kind, now);
      const stepMs = seconds * 1_000;
      // Days that no longer have a partition are left out.
      const begin = Math.max(row.doneUntil.getTime(), floor(now.getTime() - dayMs, dayMs));
      const end = floor(Math.min(ready, begin + spanMaxMs), stepMs);
      if (end <= begin) return;
      await insertRollup(transaction, { table, source, seconds, begin, end });
      await transaction
        .updateTable('metricRollups')
        .set({ doneUntil: new Date(end) })
        .where('kind', '=', kind)
        .execute();
    });
  }
  await packSamples(db, onUnreadable);
}

/** Time up to which the source of a roll-up is complete. */
async function readyUntil(db: Reader, kind: 'minutes' | 'tens', now: Date): Promise<number> {
  if (kind === 'minutes') return now.getTime() - lateMs;
  const { doneUntil } = await db
    .selectFrom('metricRollups')
    .select('doneUntil')
    .where('kind', '=', 'minutes')
    .executeTakeFirstOrThrow();
  return doneUntil.getTime();
}

interface RollupSpan {
  readonly table: string;
  readonly source: string;
  readonly seconds: number;
  readonly begin: number;
  readonly end: number;
}

async function insertRollup(
  db: Reader,
  { table, source, seconds, begin, end }: RollupSpan,
): Promise<void> {
  const isOfSamples = source === 'metric_samples';
  const [lowest, highest] = isOfSamples ? ['readings', 'readings'] : ['lowest', 'highest'];
  const weight = isOfSamples ? undefined : samplesOf('minutes');
  const samples = weight === undefined ? 'count(DISTINCT at)' : `sum(${weight})`;
  const weightAt = (place: string) => weight && knownOf(place, weight);
  const known = knownCounts((place) =>
    weight === undefined
      ? // Of two collectors' samples at the same time one counts.
        `least(count(readings${place}), ${samples})`
      : `coalesce(sum(${weightAt(place)}) FILTER (WHERE readings${place} IS NOT NULL), 0)`,
  );
  const span = sql`at >= ${new Date(begin)} AND at < ${new Date(end)}`;
  await sql`
    INSERT INTO ${sql.table(table)} (at, database_id, source, readings, lowest, highest, latencies, failures, samples, known)
    SELECT date_bin(${seconds} * interval '1 second', at, '2000-01-01Z'), database_id, source,
      ${each(figurePlaces, (place) => meanOf(`readings${place}`, weightAt(place)))},
      ${each(figurePlaces, (place) => `min(${lowest}${place})`)},
      ${each(figurePlaces, (place) => `max(${highest}${place})`)},
      ${happened('latencies', latencyPlaces, weight)},
      ${happened('failures', failurePlaces, weight)},
      ${sql.raw(samples)},
      CASE WHEN NOT ${known} <@ ARRAY[0, ${sql.raw(samples)}]::bigint[] THEN ${known}::smallint[] END
    FROM ${isOfSamples ? sql`(${oneGateway(span)}) AS samples` : sql.table(source)}
    WHERE ${span}
    GROUP BY 1, 2, 3
  `.execute(db);
}

/** One value for each place of an array. */
const each = (
  places: number,
  valueOf: (place: string) => string,
  type: 'real' | 'bigint' = 'real',
): RawBuilder<unknown> =>
  sql.raw(
    `ARRAY[${Array.from({ length: places }, (_, place) => valueOf(`[${place + 1}]`)).join()}]::${type}[]`,
  );

const knownCounts = (countOf: (place: string) => string): RawBuilder<unknown> =>
  each(figurePlaces, countOf, 'bigint');

/** Mean of what is known. */
const meanOf = (value: string, weight: string | undefined): string =>
  weight === undefined
    ? `avg(${value})`
    : `sum(${value} * ${weight}) / sum(${weight}) FILTER (WHERE ${value} IS NOT NULL)`;

/** An interval in which it did not happen counts as 0, and 0 is written as null, which takes no room. */
const happened = (
  column: 'latencies' | 'failures',
  places: number,
  weight: string | undefined,
): RawBuilder<unknown> => {
  const rates = each(
    places,
    (place) => `nullif(${meanOf(`coalesce(${column}${place}, 0)`, weight)}, 0)`,
  );
  return sql`CASE WHEN bool_or(${sql.raw(column)} IS NOT NULL) THEN ${rates} END`;
};

const floor = (ms: number, stepMs: number): number => Math.floor(ms / stepMs) * stepMs;
