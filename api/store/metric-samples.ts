/** Samples of databases' figures: written every 15 seconds by the workers and the API, read for current figures. */
import { sql, type RawBuilder } from 'kysely';
import { typeIdOfUuid } from '../../domain/type-id.ts';
import {
  gatewayFigures,
  gatewaySource,
  latencyPlaces,
  type Figure,
} from '../model/metric-figures.ts';
import type { ObservedDatabase } from './database-record.ts';
import { uuidOf } from './ids.ts';
import { databasesOfShards } from './metric-shards.ts';
import type { Reader } from './tables.ts';

export interface MetricSample {
  /** TypeID `db_…`. */
  readonly databaseId: string;
  readonly source: string;
  readonly readings: readonly Figure[];
  /** Null: there were no requests. */
  readonly latencies: readonly Figure[] | null;
  /** Null: there were none. */
  readonly failures?: readonly Figure[] | null;
}

/** Interval between samples. */
export const sampleMs = 15_000;
/** Age up to which a sample describes the present. */
const fresh = sql`interval '60 seconds'`;
/** The begin of the ten minutes that a sample belongs to: the index of a database's samples has it in place of their time. */
export const tenMinutesOfSample = sql<Date>`date_bin('10 minutes', at, '2000-01-01Z')`;
/**
 * Samples of a span, those of the gateway added up at each time: the processes of the API are one source when they are kept for
 * longer.
 */
export const oneGateway = (span: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  SELECT at, database_id, source, readings, latencies, failures FROM metric_samples
  WHERE ${span} AND source LIKE 'r%'
  UNION ALL
  SELECT at, database_id, ${gatewaySource('')}, ${sums('readings', gatewayFigures.length)},
    ${sums('latencies', latencyPlaces)}, NULL FROM metric_samples
  WHERE ${span} AND source LIKE 'g:%'
  GROUP BY at, database_id`;

const sums = (column: string, places: number): RawBuilder<unknown> =>
  sql.raw(
    `CASE WHEN bool_or(${column} IS NOT NULL) THEN ARRAY[${Array.from({ length: places }, (_, place) => `sum(${column}[${place + 1}])`).join()}]::real[] END`,
  );

/** Rows of one statement. Its texts take several times the room of its figures until they are sent. */
const rowsAtOnce = 100;

export interface MonitoredDatabase {
  readonly id: string;
  readonly name: string;
  readonly namespace: string;
  readonly engine: string;
  readonly clusterId: string;
  /** `IP:port`, in the order of replica indexes. */
  readonly addresses: readonly string[];
}

/** Lists the databases of the shards whose engines can be asked. */
export async function listMonitored(
  db: Reader,
  shards: readonly number[],
): Promise<readonly MonitoredDatabase[]> {
  if (shards.length === 0) return [];
  const rows = await databasesOfShards(db, shards)
    .select(['databases.clusterId', 'databases.observed'])
    .where('databases.status', '=', 'READY')
    .where('databases.clusterId', 'is not', null)
    .execute();
  return rows.map(({ id, clusterId, observed, ...row }) => ({
    ...row,
    id: typeIdOfUuid('db', id),
    clusterId: clusterId ?? '',
    addresses: (observed as ObservedDatabase | null)?.addresses ?? [],
  }));
}

/** `at` is a multiple of `sampleMs`, the same for all samples of one round. */
export async function writeSamples(
  db: Reader,
  at: Date,
  samples: readonly MetricSample[],
): Promise<void> {
  for (let begin = 0; begin < samples.length; begin += rowsAtOnce) {
    await db
      .insertInto('metricSamples')
      .values(
        samples
          .slice(begin, begin + rowsAtOnce)
          .map(({ databaseId, source, readings, latencies, failures = null }) => ({
            at,
            databaseId: uuidOf(databaseId),
            source,
            readings: withoutEmptyEnd(readings),
            latencies: latencies && withoutEmptyEnd(latencies),
            failures: failures && withoutEmptyEnd(failures),
          })),
      )
      .execute();
  }
}

/** Places at the end that are null need not be kept: reading them gives null. */
function withoutEmptyEnd(figures: readonly Figure[]): Figure[] {
  return figures.slice(0, figures.findLastIndex((figure) => figure !== null) + 1);
}

export interface LatestReadings extends Omit<MetricSample, 'latencies' | 'failures'> {
  readonly at: Date;
}
export type LatestSample = LatestReadings & Pick<MetricSample, 'latencies' | 'failures'>;

/** The newest fresh sample of each source of these databases. */
export async function latestSamples(
  db: Reader,
  databaseIds: readonly string[],
): Promise<readonly LatestSample[]> {
  if (databaseIds.length === 0) return [];
  const rows = await latest(db)
    .select(['latencies', 'failures'])
    .where('databaseId', 'in', databaseIds.map(uuidOf))
    .where(tenMinutesOfSample, '>', sql<Date>`now() - interval '10 minutes' - ${fresh}`)
    .execute();
  return rows.map(withTypeId);
}

/** Likewise of all databases, without latencies. */
export async function latestReadings(db: Reader): Promise<readonly LatestReadings[]> {
  return (await latest(db).execute()).map(withTypeId);
}

/** None from a worker whose clock was ahead, since it would seem to be the newest for long after. */
const latest = (db: Reader) =>
  db
    .selectFrom('metricSamples')
    .distinctOn(['databaseId', 'source'])
    .select(['at', 'databaseId', 'source', 'readings'])
    .where('at', '>', sql<Date>`now() - ${fresh}`)
    .where('at', '<=', sql<Date>`now() + ${sampleMs / 1_000} * interval '1 second'`)
    .orderBy('databaseId')
    .orderBy('source')
    .orderBy('at', 'desc');

const withTypeId = <Row extends { readonly databaseId: string }>(row: Row): Row => ({
  ...row,
  databaseId: typeIdOfUuid('db', row.databaseId),
});
