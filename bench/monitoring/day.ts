/** A day of figures of some databases, as the collector and processes of the API write them: their size, and time of queries. */
import { sql } from 'kysely';
import { metricHandlers } from '../../api/monitoring/handlers.ts';
import {
  gatewayFigures,
  latencyBuckets,
  latencyPlaces,
  replicaFigures,
  type Figure,
  type GatewayFigure,
  type ReplicaFigure,
} from '../../api/model/metric-figures.ts';
import { Cursors } from '../../api/store/cursor.ts';
import { rollUp } from '../../api/store/metric-rollups.ts';
import { packMs } from '../../api/store/metric-packs.ts';
import { sampleMs, writeSamples, type MetricSample } from '../../api/store/metric-samples.ts';
import type { Organization } from '../../api/store/organizations.ts';
import type { Store } from '../../api/store/store.ts';
import { makeDatabase, signingKeys } from '../../test/support/api/store.ts';
import { highest, latencies } from '../../dashboard/src/pages/monitoring/series.ts';
import { percentile, type Row } from '../support/report.ts';

const dayMs = 86_400_000;
const databasesCount = 10;
const queriesCount = 60;
const megabyte = 1e6;

interface DayOptions {
  readonly store: Store;
  readonly organization: Organization;
  /** Hours that are written, the last ones of a day: sizes are those of a whole day. */
  readonly hours: number;
}

const processes = ['g:api-1', 'g:api-2'];

export async function dayRows({ store, organization, hours }: DayOptions): Promise<readonly Row[]> {
  const ids: string[] = [];
  for (let index = 0; index < databasesCount; index += 1) {
    ids.push((await makeDatabase(store, organization, `day-${index}`)).id);
  }
  const rows: Row[] = [];
  for (const [name, sources] of [
    ['one replica', ['r0']],
    ['one replica and two processes of the API', ['r0', ...processes]],
    ['three replicas and two processes of the API', ['r0', 'r1', 'r2', ...processes]],
  ] as const) {
    const day = await writeDay(store, ids, sources, hours);
    rows.push(
      size(`a day of 15 s of a busy database with ${name}, with indexes`, day.packed, 2),
      size('its day of 1 min', day.minutes),
      size('its day of 10 min', day.tens),
    );
  }
  return [
    ...rows,
    await queryRow(store, organization, ids, 'one series', ['transfers_per_second']),
    await queryRow(store, organization, ids, 'series of replicas, highest of each step', highest),
    await queryRow(store, organization, ids, 'latencies of engine and gateway', latencies),
    await queryRow(
      store,
      organization,
      ids,
      'series of replicas, highest of each step',
      highest,
      hourMs,
    ),
    await queryRow(store, organization, ids, 'latencies of engine and gateway', latencies, hourMs),
  ];
}

const hourMs = 3_600_000;

const size = (name: string, value: number, goal?: number): Row => ({
  name,
  value,
  unit: 'MB',
  ...(goal !== undefined && { goal }),
});

const noise = (mean: number): number => mean * (0.8 + 0.4 * Math.random());

/** Figures that change in a busy database; the others stay the same. `share`: the part of the day that is over. */
const moving = (share: number, leads: boolean): Partial<Record<ReplicaFigure, Figure>> => ({
  leader: Number(leads),
  clock_offset_seconds: Math.floor(Math.random() * 4) / 1_000,
  commit_lag_ops: leads ? 0 : Math.floor(Math.random() * 12),
  commits_per_second: noise(130),
  connections: 4,
  transfers: 1e6 + 1e7 * share,
  transfers_per_second: noise(120),
  memory_used_bytes: 5e8 + 1e8 * share,
  storage_used_bytes: 1e9 + 2e9 * share,
  cpu_cores: noise(0.3),
  process_memory_bytes: noise(6e8),
  'requests_per_second.create_transfers': noise(100),
  'requests_per_second.lookup_accounts': noise(40),
  'requests_per_second.query_transfers': noise(12),
  disk_written_bytes_per_second: noise(4e6),
  network_received_bytes_per_second: noise(2e6),
  network_sent_bytes_per_second: noise(1e6),
  'batch_fill_ratio.create_transfers': noise(0.1),
  'batch_fill_ratio.create_accounts': null,
  sync_stage: null,
  backup_age_seconds: leads ? 3_600 * 24 * share : null,
  cdc_lag_seconds: leads ? 0 : null,
});

const ofGateway = (): Partial<Record<GatewayFigure, number>> => ({
  events_per_second: noise(50),
  'answered_per_second.create_transfers': noise(50),
  'answered_per_second.lookup_accounts': noise(20),
  'answered_per_second.query_transfers': noise(6),
  queue_depth: noise(1),
});

/** Writes a day in the order of time, and does each ten minutes what workers and autovacuum do. Returns the sizes of a database. */
async function writeDay(
  store: Store,
  ids: readonly string[],
  sources: readonly string[],
  hours: number,
) {
  const { read } = store;
  await sql`TRUNCATE metric_samples, metric_packs, metric_minutes, metric_tens`.execute(read);
  const endMs = Math.floor(Date.now() / packMs) * packMs;
  const begin = new Date(endMs - hours * hourMs);
  await sql`UPDATE metric_rollups SET done_until = ${begin}`.execute(read);
  for (let ms = begin.getTime(); ms < endMs; ms += sampleMs) {
    const share = 1 - (endMs - ms) / dayMs;
    const samples = ids.flatMap((databaseId) =>
      sources.map((source) => sampleOf(databaseId, source, share)),
    );
    await writeSamples(read, new Date(ms), samples);
    if ((ms + sampleMs) % packMs !== 0) continue;
    await rollUp(read, new Date(ms + sampleMs + 2 * 60_000));
    await sql`VACUUM metric_samples`.execute(read);
  }
  const ofDatabase = async (table: string) =>
    ((await sizeOf(store, table)) * (dayMs / hourMs / hours)) / databasesCount / megabyte;
  return {
    packed: (await ofDatabase('metric_samples')) + (await ofDatabase('metric_packs')),
    minutes: await ofDatabase('metric_minutes'),
    tens: await ofDatabase('metric_tens'),
  };
}

function sampleOf(databaseId: string, source: string, share: number): MetricSample {
  if (source.startsWith('g:')) {
    const figures = ofGateway();
    const readings = gatewayFigures.map((name) => figures[name] ?? 0);
    return { databaseId, source, readings, latencies: someLatencies() };
  }
  const leads = source === 'r0';
  const figures = moving(share, leads);
  const readings = replicaFigures.map((name) => (name in figures ? (figures[name] ?? null) : 1));
  return { databaseId, source, readings, latencies: leads ? someLatencies() : null };
}

/** Latencies of a database with requests of three operations, in six buckets each. */
const someLatencies = (): readonly Figure[] =>
  Array.from({ length: latencyPlaces }, (_, place) =>
    place < 3 * latencyBuckets && place % latencyBuckets < 6 ? noise(10) : null,
  );

async function sizeOf(store: Store, table: string): Promise<number> {
  const { rows } = await sql<{ bytes: string }>`
    SELECT sum(pg_total_relation_size(inhrelid)) AS bytes FROM pg_inherits WHERE inhparent = ${table}::regclass
  `.execute(store.read);
  return Number(rows[0]?.bytes ?? 0);
}

/** Queries of the last hours, of the databases in turn. */
async function queryRow(
  store: Store,
  { id }: Organization,
  ids: readonly string[],
  name: string,
  series: readonly string[],
  spanMs = dayMs,
): Promise<Row> {
  const handlers = metricHandlers({
    store,
    cursors: new Cursors(signingKeys),
    observed: () => true,
    onUnreadable: () => undefined,
  });
  const times: number[] = [];
  const now = Date.now();
  for (let index = 0; index < queriesCount; index += 1) {
    const request = {
      params: { databaseId: ids[index % ids.length] },
      body: {
        series,
        filters: [],
        from: new Date(now - spanMs).toISOString(),
        to: new Date(now).toISOString(),
      },
      principal: { organization: { id } },
    };
    const started = performance.now();
    const { body } = await handlers.queryMetrics(request as never);
    times.push(performance.now() - started);
    if (body.data.length === 0) throw new Error(`no figures of ${series.join()}`);
  }
  const hours = spanMs / hourMs;
  const value = percentile(times, 0.5);
  return { name: `${hours} hours, ${name}, p50`, value, unit: 'ms', goal: 100 };
}
