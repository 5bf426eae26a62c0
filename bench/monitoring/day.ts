/** A day of figures of some databases, as the collector and one process of the API write them: their size, and time of queries. */
import { sql } from 'kysely';
import { metricHandlers } from '../../api/monitoring/handlers.ts';
import {
  gatewayFigures,
  latencyBuckets,
  latencyPlaces,
  replicaFigures,
  type Figure,
} from '../../api/model/metric-figures.ts';
import { Cursors } from '../../api/store/cursor.ts';
import { rollUp } from '../../api/store/metric-rollups.ts';
import { sampleMs, writeSamples } from '../../api/store/metric-samples.ts';
import type { Organization } from '../../api/store/organizations.ts';
import type { Store } from '../../api/store/store.ts';
import { makeDatabase, signingKeys } from '../../test/support/api/store.ts';
import { highest, latencies } from '../../dashboard/src/pages/monitoring/series.ts';
import { percentile, type Row } from '../support/report.ts';

const dayMs = 86_400_000;
const databasesCount = 20;
const queriesCount = 60;
const megabyte = 1e6;

interface DayOptions {
  readonly store: Store;
  readonly organization: Organization;
}

export async function dayRows({ store, organization }: DayOptions): Promise<readonly Row[]> {
  const ids: string[] = [];
  for (let index = 0; index < databasesCount; index += 1) {
    ids.push((await makeDatabase(store, organization, `day-${index}`)).id);
  }
  const end = new Date(Math.floor(Date.now() / sampleMs) * sampleMs);
  const before = await sizeOf(store, 'metric_samples');
  await writeDay(store, ids, 'r0', replicaFigures.length, end);
  const afterReplica = await sizeOf(store, 'metric_samples');
  await writeDay(store, ids, 'g:api-1', gatewayFigures.length, end);
  const afterGateway = await sizeOf(store, 'metric_samples');
  const [minutes, tens] = await rolledUp(store, end);
  const perDatabase = (bytes: number) => bytes / databasesCount / megabyte;
  return [
    size('a day of 15 s of one replica, with indexes', perDatabase(afterReplica - before), 2),
    size('the same of one process of the API', perDatabase(afterGateway - afterReplica)),
    size('the day of both, of 1 min', perDatabase(minutes)),
    size('the day of both, of 10 min', perDatabase(tens)),
    await queryRow(store, organization, ids, 'one series', ['transfers_per_second']),
    await queryRow(store, organization, ids, 'seven series of replicas', highest),
    await queryRow(store, organization, ids, 'latencies of engine and gateway', latencies),
  ];
}

const size = (name: string, value: number, goal?: number): Row => ({
  name,
  value,
  unit: 'MB',
  ...(goal !== undefined && { goal }),
});

/** In the order of time, as they come. */
async function writeDay(
  store: Store,
  ids: readonly string[],
  source: string,
  figures: number,
  end: Date,
): Promise<void> {
  for (let ms = end.getTime() - dayMs; ms < end.getTime(); ms += sampleMs) {
    const samples = ids.map((databaseId) => ({
      databaseId,
      source,
      readings: Array.from({ length: figures }, () => Math.random() * 1_000_000),
      latencies: someLatencies(),
    }));
    await writeSamples(store.read, new Date(ms), samples);
  }
}

/** Of a database whose requests are of three operations, in six buckets each. */
const someLatencies = (): readonly Figure[] =>
  Array.from({ length: latencyPlaces }, (_, place) =>
    place < 3 * latencyBuckets && place % latencyBuckets < 6 ? Math.random() * 100 : null,
  );

/** Rolls the day up. Returns the bytes of both tables. */
async function rolledUp(store: Store, end: Date): Promise<readonly [number, number]> {
  const begin = new Date(end.getTime() - dayMs);
  await sql`DELETE FROM metric_minutes`.execute(store.read);
  await sql`UPDATE metric_rollups SET done_until = date_bin('10 minutes', ${begin}, '2000-01-01Z')`.execute(
    store.read,
  );
  // A call rolls up at most an hour.
  for (let hour = 0; hour <= 25; hour += 1) await rollUp(store.read, end);
  return [await sizeOf(store, 'metric_minutes'), await sizeOf(store, 'metric_tens')];
}

async function sizeOf(store: Store, table: string): Promise<number> {
  const { rows } = await sql<{ bytes: string }>`
    SELECT sum(pg_total_relation_size(inhrelid)) AS bytes FROM pg_inherits WHERE inhparent = ${table}::regclass
  `.execute(store.read);
  return Number(rows[0]?.bytes ?? 0);
}

/** Queries of the last 24 hours, of the databases in turn. */
async function queryRow(
  store: Store,
  { id }: Organization,
  ids: readonly string[],
  name: string,
  series: readonly string[],
): Promise<Row> {
  const handlers = metricHandlers({
    store,
    cursors: new Cursors(signingKeys),
    observed: () => true,
  });
  const times: number[] = [];
  const now = Date.now();
  for (let index = 0; index < queriesCount; index += 1) {
    const request = {
      params: { databaseId: ids[index % ids.length] },
      body: {
        series,
        filters: [],
        from: new Date(now - dayMs).toISOString(),
        to: new Date(now).toISOString(),
      },
      principal: { organization: { id } },
    };
    const started = performance.now();
    const { body } = await handlers.queryMetrics(request as never);
    times.push(performance.now() - started);
    if (body.data.length === 0) throw new Error(`no figures of ${series.join()}`);
  }
  return { name: `24 hours, ${name}, p50`, value: percentile(times, 0.5), unit: 'ms', goal: 100 };
}
