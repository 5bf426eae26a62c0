/** Figures of databases, from real engines through the collector and PostgreSQL to what clients read. */
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { sql, type RawBuilder } from 'kysely';
import { pino } from 'pino';
import { systemTimers, type Timers } from '../../../base/timers.ts';
import { MetricRegistry } from '../../../base/metrics/metrics.ts';
import { Collector } from '../../../api/monitoring/collector.ts';
import { collectorMetrics } from '../../../api/monitoring/collector-metrics.ts';
import { GatewayRecorder } from '../../../api/monitoring/gateway-recorder.ts';
import { MetricUpkeep } from '../../../api/monitoring/upkeep.ts';
import { UnreadablePacks } from '../../../api/monitoring/unreadable-packs.ts';
import { LogUpkeep } from '../../../api/logs/upkeep.ts';
import { metricHandlers } from '../../../api/monitoring/handlers.ts';
import type { MetricFunction, MetricSeriesName } from '../../../api/model/metric-series.ts';
import type { BackupStatus } from '../../../api/model/backup.ts';
import { createBackup, updateBackup } from '../../../api/store/backups.ts';
import { createChangeStream } from '../../../api/store/change-streams.ts';
import { updateDatabase } from '../../../api/store/databases.ts';
import { readLatencies } from '../../../api/store/metric-reads.ts';
import { dayMs } from '../../../api/store/day-partitions.ts';
import { keepPartitions, rollUp } from '../../../api/store/metric-rollups.ts';
import { writeSamples, type MetricSample } from '../../../api/store/metric-samples.ts';
import { listReplicaMarks } from '../../../api/store/metric-marks.ts';
import { claimShards, releaseShards } from '../../../api/store/metric-shards.ts';
import type { ObservedDatabase } from '../../../api/store/database-record.ts';
import { Cursors } from '../../../api/store/cursor.ts';
import { uuidOf } from '../../../api/store/ids.ts';
import { Sealer } from '../../../api/store/sealing.ts';
import { sweepRequests, writeRequests } from '../../../api/store/remarkable-requests.ts';
import type { Organization } from '../../../api/store/organizations.ts';
import { migrations } from '../../../api/store/migrations/all.ts';
import { readSamples } from '../../../api/store/sample-reads.ts';
import { Store } from '../../../api/store/store.ts';
import { storeTime } from '../../../api/store/time.ts';
import { beat, endHeartbeat } from '../../../api/store/workers.ts';
import { newTypeId } from '../../../domain/type-id.ts';
import {
  failurePlaces,
  figurePlaces,
  latencyPlaces,
  replicaFigures,
  type ReplicaFigure,
} from '../../../api/model/metric-figures.ts';
import { eventFailures } from '../../../api/monitoring/event-failures.ts';
import { TestPostgres } from '../../support/api/postgres.ts';
import {
  anotherOrganization,
  makeDatabase,
  openTestStore,
  patient,
  signingKeys,
  silent,
  tester,
} from '../../support/api/store.ts';
import { newBackup } from '../../support/api/stored-backups.ts';
import { readExposition } from '../../../api/monitoring/exposition.ts';
import { answerOf, readingsOf } from '../../../api/monitoring/replica-reading.ts';
import type { BuiltinStatus, EngineStatus } from '../../../domain/engine-status.ts';
import { Client } from '../../../engine/client/client.ts';
import { Operation } from '../../../engine/wire/operations.ts';
import { AccountStatus } from '../../../engine/wire/statuses.ts';
import { accountBytes, create, created } from '../../support/engine/ledger.ts';
import { TestEngine } from '../../support/engine/engine.ts';
import { onOneDay } from '../../support/on-one-day.ts';
import { eventually } from '../../support/shell.ts';
import { parseExposition } from '../../support/prometheus/exposition.ts';

let postgres: TestPostgres;
let store: Store;
let organization: Organization;
/** Tables have partitions for its day, even if the day changes while tests run. */
const began = new Date();

beforeAll(async () => {
  postgres = await TestPostgres.create();
  ({ store, organization } = await openTestStore(postgres));
  await keepPartitions(store.read, began);
});
afterAll(async () => {
  await store?.close();
  await postgres?.remove();
});

const never = new AbortController().signal;
const minuteMs = 60_000;

function collectorWith(
  statusUrls: readonly string[],
  identity = 'worker-1',
  timers: Timers = systemTimers,
) {
  return new Collector({
    timers,
    store,
    identity,
    logger: silent,
    metrics: collectorMetrics(new MetricRegistry(), 'test_'),
    statusUrl: (address) => statusUrls[Number(address.split(':')[1])] ?? 'http://127.0.0.1:1',
  });
}

/** A READY database; its addresses are places in the list of status URLs. */
async function readyDatabase(name: string, clusterId: string, places: readonly number[]) {
  const { id } = await makeDatabase(store, organization, name);
  const observed = { addresses: places.map((place) => `127.0.0.1:${place}`), nodes: [] };
  await store.change(tester, (change) =>
    updateDatabase(change, id, {
      status: 'READY',
      clusterId,
      observed: observed as unknown as ObservedDatabase,
    }),
  );
  return id;
}

/** What is told of packs that cannot be read. */
const told: unknown[] = [];
const toldMetrics = new MetricRegistry();
const unreadable = new UnreadablePacks(
  pino({ base: null }, { write: (line) => void told.push(JSON.parse(line)) }),
  toldMetrics,
  'test_',
);

const handlers = () =>
  metricHandlers({
    store,
    cursors: new Cursors(signingKeys),
    observed: () => true,
    onUnreadable: unreadable.tell,
  });

async function query(databaseId: string, series: readonly MetricSeriesName[], more = {}) {
  const request = {
    params: { databaseId },
    body: { series, filters: [], ...more },
    principal: { organization },
  };
  return (await handlers().queryMetrics(request as never)).body;
}

async function current(databaseId: string) {
  const request = { params: { databaseId }, principal: { organization } };
  return (await handlers().getCurrentMetrics(request as never)).body.current;
}

const rowOf = (figures: Partial<Record<ReplicaFigure, number>>) =>
  Array.from({ length: figurePlaces }, (_, place) => {
    const name = replicaFigures[place];
    return (name && figures[name]) ?? null;
  });

const sampleOf = (
  databaseId: string,
  figures: Partial<Record<ReplicaFigure, number>>,
  source = 'r0',
): MetricSample => ({ databaseId, source, readings: rowOf(figures), latencies: null });

const failuresWith = (status: string, perSecond: number) => {
  const wanted = eventFailures.find((one) => one.status === status);
  return Array.from({ length: failurePlaces }, (_, place) =>
    place === wanted?.place ? perSecond : null,
  );
};

type Answer = Awaited<ReturnType<typeof query>>;

/** The same lines and gaps, and values that are at most a part in 4,096 off. */
function expectNear(answer: Answer, expected: Answer): void {
  const linesOf = ({ data }: Answer) => data.map((line) => ({ ...line, points: [] }));
  const pointsOf = ({ data }: Answer) => data.flatMap(({ points }) => points);
  expect(linesOf(answer)).toEqual(linesOf(expected));
  const wanted = pointsOf(expected);
  const far = pointsOf(answer).filter(([at, value = null], index) => {
    const [atToo, known = null] = wanted[index] ?? [];
    if (value === null || known === null) return at !== atToo || value !== known;
    return at !== atToo || Math.abs(value - known) > Math.abs(known) / 4_096;
  });
  expect(far).toEqual([]);
}

/** Times of three rounds, of which the last is the current one. */
function ticks() {
  const last = Math.floor(Date.now() / 15_000) * 15_000;
  return [last - 30_000, last - 15_000, last].map((ms) => new Date(ms)) as [Date, Date, Date];
}

test('the work of a real engine is collected, and read back with its latencies', async () => {
  const engine = await TestEngine.create({ cluster: 7n });
  // What it says is kept: the room on its disk is another one a moment later, when others write there.
  const said: BuiltinStatus[] = [];
  const between = createServer((request, answer) => {
    void fetch(`http://127.0.0.1:${engine.statusPort}${request.url}`).then(async (response) => {
      const text = await response.text();
      if (request.url === '/status') said.push(JSON.parse(text) as BuiltinStatus);
      answer.writeHead(response.status).end(text);
    });
  });
  between.listen(0, '127.0.0.1');
  await once(between, 'listening');
  try {
    const statusUrls = [`http://127.0.0.1:${(between.address() as AddressInfo).port}`];
    const databaseId = await readyDatabase('payments', '7', [0, 1]);
    const collector = collectorWith(statusUrls);
    const [, earlier, now] = ticks();
    await collector.collect(earlier, never);
    const text = await (await fetch(`${statusUrls[0]}/metrics`)).text();
    expect(text).toContain(
      'ledgerhouse_engine_request_seconds_bucket{le="0.0005",operation="create_transfers"} 0',
    );
    const client = new Client({
      cluster: 7n,
      addresses: [{ host: '127.0.0.1', port: engine.port }],
      timeoutMs: 60_000,
    });
    const statuses = create(client, Operation.createAccounts, accountBytes([1n, 2n, 0n]));
    const refused = AccountStatus.id_must_not_be_zero;
    expect(await statuses.finally(() => client.close())).toEqual([created, created, refused]);
    await collector.collect(now, never);
    const { usage, forecast, ...rates } = await current(databaseId);
    expect(rates.requestsPerSecond).toBeGreaterThan(0);
    expect(rates.requestP99Seconds).toBeGreaterThan(0);
    expect(rates.transfersPerSecond).toBe(0);
    const limitBytes = said.at(-1)?.storage.limitBytes ?? 0;
    expect(usage).toMatchObject({
      nodes: [
        { index: 0, up: true, leader: true, commitLagOps: 0 },
        // Nothing listens where the second replica should be.
        { index: 1, up: false, leader: null, storage: { usedBytes: null } },
      ],
    });
    expect((usage?.storage.limitBytes ?? 0) / limitBytes).toBeCloseTo(1, 5);
    expect(usage?.cpuCores).toBeGreaterThanOrEqual(0);
    expect(forecast).toEqual({ memory: null, storage: null });
    const { data, stepSeconds } = await query(databaseId, ['replica_up', 'requests_per_second']);
    expect(stepSeconds).toBe(15);
    const up = data.filter(({ name }) => name === 'replica_up');
    expect(up.map(({ labels }) => labels)).toEqual([{ replica: '0' }, { replica: '1' }]);
    const seen = up.map(({ points }) => points.map(([, value]) => value));
    expect(seen.map((values) => values.filter((value) => value !== null))).toEqual([
      [1, 1],
      [0, 0],
    ]);
    expect(data.filter(({ name }) => name === 'requests_per_second')).toHaveLength(8);
    const more = await query(databaseId, [
      'accounts_per_second',
      'failed_events_per_second',
      'batch_fill_ratio',
      'disk_written_bytes_per_second',
    ]);
    const last = more.data.map(({ name, labels, points }) => {
      return [name, labels, points.findLast(([, value]) => value !== null)?.[1]] as const;
    });
    const perSecond = last[0]?.[2] ?? 0;
    const operation = 'create_accounts';
    expect(last).toEqual([
      ['accounts_per_second', {}, expect.any(Number)],
      [
        'failed_events_per_second',
        { operation, status: 'id_must_not_be_zero' },
        expect.closeTo(perSecond / 2, 3),
      ],
      ['batch_fill_ratio', { operation }, expect.closeTo(3 / 8_189, 6)],
      ['disk_written_bytes_per_second', { replica: '0' }, expect.any(Number)],
    ]);
    await collector.stop();
  } finally {
    between.closeAllConnections();
    between.close();
    await engine.dispose();
  }
});

test('another database’s replica at the address is not believed', async () => {
  const engine = await TestEngine.create({ cluster: 8n });
  try {
    const databaseId = await readyDatabase('ledger', '9', [0]);
    const collector = collectorWith([`http://127.0.0.1:${engine.statusPort}`]);
    await collector.collect(ticks()[2], never);
    expect((await current(databaseId)).usage?.nodes).toEqual([
      expect.objectContaining({ up: false }),
    ]);
    await collector.stop();
  } finally {
    await engine.dispose();
  }
});

test('gaps stay gaps, and means, extremes and steps are those of the samples', async () => {
  const { id: databaseId } = await makeDatabase(store, organization, 'gaps');
  // Four samples in a minute, a minute without any, then one.
  const begin = Math.floor(Date.now() / minuteMs) * minuteMs - 10 * minuteMs;
  for (const [index, value] of [1, 2, 3, 6].entries()) {
    await writeSamples(store.read, new Date(begin + index * 15_000), [
      {
        ...sampleOf(databaseId, { connections: value, transfers_per_second: 9 }),
        failures: index === 1 ? failuresWith('exceeds_credits', 8) : null,
      },
    ]);
  }
  await writeSamples(store.read, new Date(begin + 2 * minuteMs), [
    sampleOf(databaseId, { connections: 10, transfers_per_second: 9 }),
  ]);
  const span = {
    from: new Date(begin).toISOString(),
    to: new Date(begin + 3 * minuteMs).toISOString(),
    stepSeconds: 60,
  };
  const points = async (fn: string) =>
    (await query(databaseId, ['connections'], { ...span, fn })).data[0]?.points.map(
      ([, value]) => value,
    );
  await sql`UPDATE metric_rollups SET done_until = ${new Date(begin - minuteMs)}`.execute(
    store.read,
  );
  const failed = async () =>
    (await query(databaseId, ['failed_events_per_second'], span)).data.map(({ labels, points }) => [
      labels['status'],
      ...points.map(([, value]) => value),
    ]);
  expect(await failed()).toEqual([['exceeds_credits', 2, null, 0]]);
  expect(await points('avg')).toEqual([3, null, 10]);
  expect(await points('min')).toEqual([1, null, 10]);
  expect(await points('max')).toEqual([6, null, 10]);
  // Rolled up, the same is read.
  await rollUp(store.read, new Date());
  await sql`DELETE FROM metric_samples WHERE at < ${new Date(begin + minuteMs)}`.execute(
    store.read,
  );
  expect(await points('avg')).toEqual([3, null, 10]);
  expect(await points('min')).toEqual([1, null, 10]);
  expect(await points('max')).toEqual([6, null, 10]);
  expect(await failed()).toEqual([['exceeds_credits', 2, null, 0]]);
});

test('events of a step are counted over the measured time, also when it is rolled up and the replica was silent for most of it', async () => {
  const { id: databaseId } = await makeDatabase(store, organization, 'silent-mostly');
  const tenMinutesMs = 10 * minuteMs;
  const begin = Math.floor(Date.now() / tenMinutesMs) * tenMinutesMs - 2 * tenMinutesMs;
  const slots = Array.from({ length: 12 }, (_, slot) => slot);
  for (const slot of slots) {
    // Three samples of the first minute are known, none of the second one, and one of the third.
    const known = [1, 2, 3, 8].includes(slot);
    await writeSamples(store.read, new Date(begin + slot * 15_000), [
      {
        ...sampleOf(databaseId, known ? { up: 1, transfers_per_second: 8 } : { up: 0 }),
        failures: known ? failuresWith('exceeds_credits', 3) : null,
      },
    ]);
  }
  const to = new Date(begin + tenMinutesMs).toISOString();
  const points = async (name: MetricSeriesName, fn: string, stepSeconds: number) => {
    const span = { from: new Date(begin).toISOString(), to, stepSeconds };
    const { data } = await query(databaseId, [name], { ...span, fn });
    return data[0]?.points.map(([, value]) => value).slice(0, 3);
  };
  const told = async () => ({
    minutes: [
      await points('transfers_per_second', 'sum', 60),
      await points('transfers_per_second', 'avg', 60),
      await points('failed_events_per_second', 'sum', 60),
      await points('failed_events_per_second', 'avg', 60),
    ],
    tens: [
      await points('transfers_per_second', 'sum', 600),
      await points('transfers_per_second', 'avg', 600),
      await points('failed_events_per_second', 'sum', 600),
      await points('failed_events_per_second', 'avg', 600),
    ],
  });
  const expected = {
    minutes: [
      [360, null, 120],
      [8, null, 8],
      [135, null, 45],
      [3, null, 3],
    ],
    tens: [[480], [8], [180], [3]],
  };
  await sql`UPDATE metric_rollups SET done_until = ${new Date(begin)}`.execute(store.read);
  expect(await told()).toEqual(expected);
  await rollUp(store.read, new Date());
  expect(await told()).toEqual(expected);
  // As it is read when no sample is left.
  await sql`TRUNCATE metric_samples`.execute(store.read);
  expect(await told()).toEqual(expected);
});

test('samples that were packed are read as they were taken, to a part in 4,096 of what is measured, and so is one that came late; processes of the API are one source then', async () => {
  const { id: databaseId } = await makeDatabase(store, organization, 'packed');
  const tenMinutesMs = 10 * minuteMs;
  const begin = Math.floor(Date.now() / tenMinutesMs) * tenMinutesMs - 2 * tenMinutesMs;
  const latenciesWith = (perSecond: number) =>
    Array.from({ length: latencyPlaces }, (_, place) => (place === 3 ? perSecond : null));
  const write = (slot: number, value: number) =>
    writeSamples(store.read, new Date(begin + slot * 15_000), [
      {
        ...sampleOf(databaseId, {
          up: 1,
          connections: value,
          transfers: 16_777_213 + slot,
          transfers_per_second: value / 3,
        }),
        latencies: latenciesWith(value),
        failures: slot === 1 ? failuresWith('exceeds_credits', 8) : null,
      },
      sampleOf(databaseId, { up: 0 }, 'r1'),
      ...['g:api-1', 'g:api-2'].map((source) => ({
        databaseId,
        source,
        readings: [value, slot === 0 ? null : value],
        latencies: latenciesWith(value),
      })),
    ]);
  for (const [slot, value] of [0.1, 2, 3.7].entries()) await write(slot, value);
  await write(39, 1e9);
  const span = { from: new Date(begin).toISOString(), stepSeconds: 15 };
  const to = new Date(begin + tenMinutesMs).toISOString();
  const read = async () => {
    const names = ['connections', 'transfers_per_second', 'failed_events_per_second'] as const;
    const gateway = ['gateway_events_per_second', 'gateway_requests_per_second'] as const;
    const latencies = ['request_seconds', 'gateway_request_seconds'] as const;
    return query(databaseId, ['replica_up', ...names, ...gateway, ...latencies], { ...span, to });
  };
  const before = await read();
  expect(before.stepSeconds).toBe(15);
  expect(before.data.length).toBeGreaterThan(8);
  const pack = async () => {
    await sql`UPDATE metric_rollups SET done_until = ${new Date(begin - minuteMs)}`.execute(
      store.read,
    );
    await rollUp(store.read, new Date());
  };
  const rowsOf = async (table: string) =>
    (
      await sql<{ source: string }>`
        SELECT source FROM ${sql.table(table)} WHERE database_id = ${uuidOf(databaseId)} ORDER BY 1
      `.execute(store.read)
    ).rows.map(({ source }) => source);
  await pack();
  expect(await rowsOf('metric_samples')).toEqual([]);
  expect(await rowsOf('metric_packs')).toEqual(['g:', 'r0', 'r1']);
  expectNear(await read(), before);
  // Amounts keep each digit, because their changes are told.
  const amounts = async () =>
    (await query(databaseId, ['transfers'], { ...span, to, fn: 'last' })).data;
  expect((await amounts())[0]?.points[2]?.[1]).toBe(16_777_215);
  await write(7, 5);
  const withLate = await read();
  expect(withLate).not.toEqual(before);
  await pack();
  expect(await rowsOf('metric_samples')).toEqual([]);
  expectNear(await read(), withLate);
});

test('latencies of more than a day come out of the store as sums, not as rows that take the time of a process from others', async () => {
  const { id: databaseId } = await makeDatabase(store, organization, 'latencies-of-days');
  const stepMs = 10_800_000;
  const toMs = Math.floor(Date.now() / stepMs) * stepMs;
  const begin = new Date(toMs - 7 * stepMs);
  await sql`
    INSERT INTO metric_tens (at, database_id, source, readings, lowest, highest, latencies, samples)
    SELECT at, ${uuidOf(databaseId)}, 'r0', '{}', '{}', '{}', '{NULL,2}', 40
    FROM generate_series(${begin}::timestamptz, ${new Date(toMs - 1)}, interval '10 minutes') AS at
  `.execute(store.read);
  await sql`UPDATE metric_rollups SET done_until = ${new Date(toMs)}`.execute(store.read);
  let rows = 0;
  const counting = store.read.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      rows += result.rows.length;
      return result;
    },
  });
  const read = (steps: number) => {
    const span = { databaseId, fromMs: toMs - steps * stepMs, toMs, stepSeconds: stepMs / 1_000 };
    return readLatencies(counting, span, 'r%', [0, 1]);
  };
  const found = await read(20);
  expect(found.map(({ values }) => values)).toEqual(
    Array.from({ length: 7 }, () => [null, (2 * stepMs) / 1_000]),
  );
  expect(rows).toBeLessThan(20);
  // A shorter span says the same.
  expect((await read(7)).map(({ values }) => values)).toEqual(found.map(({ values }) => values));
});

test('a pack that cannot be read costs ten minutes of its source and nothing else, and is told once by name', async () => {
  const { id: databaseId } = await makeDatabase(store, organization, 'unreadable');
  const { id: other } = await makeDatabase(store, organization, 'readable');
  const tenMinutesMs = 10 * minuteMs;
  const begin = Math.floor(Date.now() / tenMinutesMs) * tenMinutesMs - 3 * tenMinutesMs;
  const write = (slot: number) =>
    writeSamples(
      store.read,
      new Date(begin + slot * 15_000),
      [databaseId, other].flatMap((id) => [
        { ...sampleOf(id, { connections: slot }), failures: failuresWith('exceeds_credits', 3) },
        sampleOf(id, { connections: slot }, 'r1'),
      ]),
    );
  const pack = async () => {
    const before = new Date(begin - minuteMs);
    await sql`UPDATE metric_rollups SET done_until = ${before}`.execute(store.read);
    await rollUp(store.read, new Date(), unreadable.tell);
    const { rows } =
      await sql`SELECT FROM metric_samples WHERE at < ${new Date(begin + 2 * tenMinutesMs)}
    `.execute(store.read);
    return rows.length;
  };
  const read = async (id: string) => {
    const [from, to] = [begin, begin + 2 * tenMinutesMs].map((ms) => new Date(ms).toISOString());
    const { data } = await query(id, ['connections'], { from, to, stepSeconds: 15 });
    return data.map(({ points }) => points.flatMap(([, value]) => value ?? []));
  };
  await write(1);
  await write(40);
  expect(await pack()).toBe(0);
  const whole = await read(other);
  expect(whole).toEqual(await read(databaseId));
  await sql`
    UPDATE metric_packs SET packed_readings = 'no pack'::bytea
    WHERE database_id = ${uuidOf(databaseId)} AND at = ${new Date(begin)} AND source = 'r0'
  `.execute(store.read);
  told.length = 0;
  expect(await read(other)).toEqual(whole);
  // One line for each replica.
  expect(await read(databaseId)).toEqual([[40], [1, 40]]);
  await write(7);
  expect(await pack()).toBe(0);
  expect(await read(databaseId)).toEqual([
    [7, 40],
    [1, 7, 40],
  ]);
  expect(await read(other)).toEqual([
    [1, 7, 40],
    [1, 7, 40],
  ]);
  expect(told).toEqual([
    expect.objectContaining({
      level: 50,
      databaseId,
      source: 'r0',
      at: new Date(begin).toISOString(),
      msg: 'a pack of figures cannot be read; its ten minutes are a gap',
    }),
  ]);
  expect(await toldMetrics.text()).toContain('test_unreadable_packs_total 1\n');
});

test('failures of a pack that cannot be read are a gap, not none', async () => {
  const { id: databaseId } = await makeDatabase(store, organization, 'unreadable-failures');
  const tenMinutesMs = 10 * minuteMs;
  const begin = Math.floor(Date.now() / tenMinutesMs) * tenMinutesMs - 3 * tenMinutesMs;
  for (const slot of [1, 41]) {
    const at = new Date(begin + slot * 15_000);
    const known = sampleOf(databaseId, { transfers_per_second: 8 });
    await writeSamples(store.read, at, [
      { ...known, failures: failuresWith('exceeds_credits', 3) },
    ]);
  }
  await sql`UPDATE metric_rollups SET done_until = ${new Date(begin)}`.execute(store.read);
  await rollUp(store.read, new Date());
  await sql`
    UPDATE metric_packs SET packed_failures = 'no pack'::bytea
    WHERE database_id = ${uuidOf(databaseId)} AND at = ${new Date(begin)}
  `.execute(store.read);
  const [from, to] = [begin, begin + 2 * tenMinutesMs].map((ms) => new Date(ms).toISOString());
  const { data } = await query(databaseId, ['failed_events_per_second'], {
    from,
    to,
    stepSeconds: 15,
  });
  expect(data.map(({ points }) => [points[1]?.[1], points[41]?.[1]])).toEqual([[null, 3]]);
});

test('packs of an earlier release are read after the update, and packed again', async () => {
  const { id: databaseId } = await makeDatabase(store, organization, 'packed-before');
  const url = await postgres.createDatabase();
  const options = { url, logger: silent, ...patient };
  const steps = migrations.filter(({ number }) => number < 63);
  const before = new Store({ ...options, migrations: steps });
  const tenMinutesMs = 10 * minuteMs;
  const begin = Math.floor(Date.now() / tenMinutesMs) * tenMinutesMs - 2 * tenMinutesMs;
  // Two figures of 40 slots each.
  const readings = Array.from({ length: 80 }, () => null as number | null)
    .with(0, 1)
    .with(2, 3);
  try {
    await before.start();
    await keepPartitions(before.read, new Date());
    await sql`
      INSERT INTO metric_packs (at, database_id, source, readings, latencies)
      VALUES (${new Date(begin)}, ${uuidOf(databaseId)}, 'r0', ${readings.with(42, 7)}, ARRAY[NULL, NULL, 5])
    `.execute(before.read);
  } finally {
    await before.close();
  }
  const after = new Store(options);
  try {
    await after.start();
    const read = async () => {
      const span = { databaseId, fromMs: begin, toMs: begin + tenMinutesMs };
      const columns = ['readings', 'readings', 'latencies'] as const;
      const wanted = columns.map((column, place) => ({ column, place: place % 2 }));
      const samples = await readSamples(after.read, span, 'r%', wanted);
      return samples.flatMap(({ atMs, values }) =>
        values.some((value) => value !== null) ? [[atMs, ...values]] : [],
      );
    };
    const expected = [
      [begin, 1, null, null],
      [begin + 30_000, 3, 7, 5],
    ];
    expect(await read()).toEqual(expected);
    await sql`UPDATE metric_rollups SET done_until = ${new Date(begin)}`.execute(after.read);
    await rollUp(after.read, new Date());
    const { rows } = await sql`SELECT FROM metric_samples`.execute(after.read);
    expect(rows).toEqual([]);
    expect(await read()).toEqual(expected);
  } finally {
    await after.close();
  }
});

test('late figures of a process of the API are added to those of the others, not averaged with them, and change no other database', async () => {
  const { id } = await makeDatabase(store, organization, 'late');
  const { id: other } = await makeDatabase(store, organization, 'in-time');
  const tenMinutesMs = 10 * minuteMs;
  const begin = Math.floor(Date.now() / tenMinutesMs) * tenMinutesMs - 2 * tenMinutesMs;
  const write = (databaseId: string, atMs: number, source: string, perSecond: number) =>
    writeSamples(store.read, new Date(atMs), [
      { databaseId, source, readings: [perSecond], latencies: null },
    ]);
  const pack = async () => {
    const before = new Date(begin - minuteMs);
    await sql`UPDATE metric_rollups SET done_until = ${before}`.execute(store.read);
    await rollUp(store.read, new Date());
  };
  const read = async (databaseId: string) => {
    const [from, to] = [begin, begin + tenMinutesMs].map((ms) => new Date(ms).toISOString());
    const span = { from, to, stepSeconds: 15 };
    const { data } = await query(databaseId, ['gateway_events_per_second'], span);
    return data[0]?.points.flatMap(([, value]) => value ?? []);
  };
  // Each of the processes writes after the others’ samples were packed.
  for (const [process, perSecond] of [6, 2, 1].entries()) {
    await write(id, begin, `g:api-${process}`, perSecond);
    await write(other, begin + process * 15_000, 'g:api-0', perSecond);
    await pack();
  }
  await write(id, begin + 15_000, 'g:api-0', 4);
  await pack();
  expect(await read(id)).toEqual([9, 4]);
  expect(await read(other)).toEqual([6, 2, 1]);
});

test('a step tells its newest value, what happened in it, and the change since the step before', async () => {
  const { id: databaseId } = await makeDatabase(store, organization, 'functions');
  const begin = Math.floor(Date.now() / minuteMs) * minuteMs - 10 * minuteMs;
  const write = (afterMs: number, transfers: number, perSecond: number) =>
    writeSamples(store.read, new Date(begin + afterMs), [
      {
        ...sampleOf(databaseId, { transfers, transfers_per_second: perSecond }),
        failures: failuresWith('exceeds_credits', 2),
      },
      // A replica that is behind.
      sampleOf(databaseId, { transfers: transfers - 60, transfers_per_second: 0 }, 'r1'),
    ]);
  await write(-15_000, 100, 0);
  await write(0, 100, 0);
  await write(45_000, 160, 4);
  // A minute without any.
  await write(2 * minuteMs, 400, 16);
  await sql`UPDATE metric_rollups SET done_until = ${new Date(begin - 2 * minuteMs)}`.execute(
    store.read,
  );
  const span = {
    from: new Date(begin).toISOString(),
    to: new Date(begin + 3 * minuteMs).toISOString(),
    stepSeconds: 60,
  };
  const pointsOf = async (name: MetricSeriesName, fn: MetricFunction) => {
    const [line] = (await query(databaseId, [name], { ...span, fn })).data;
    return [line?.fn, line?.unit, ...(line?.points.map(([, value]) => value) ?? [])];
  };
  expect(await pointsOf('transfers', 'last')).toEqual(['last', 'count', 160, null, 400]);
  expect(await pointsOf('transfers', 'rate')).toEqual(['rate', 'per_second', 1, null, null]);
  expect(await pointsOf('transfers_per_second', 'sum')).toEqual(['sum', 'count', 60, null, 240]);
  const failures = ['sum', 'count', 60, null, 30];
  expect(await pointsOf('failed_events_per_second', 'sum')).toEqual(failures);
  // A series without the function has its default.
  expect(await pointsOf('transfers', 'sum')).toEqual(['avg', 'count', 130, null, 400]);
});

test('events of a step are the same before and after a roll-up, although it was not measured all the time', async () => {
  const { id: databaseId } = await makeDatabase(store, organization, 'in-parts');
  const tenMinutesMs = 10 * minuteMs;
  const begin = Math.floor(Date.now() / tenMinutesMs) * tenMinutesMs - 2 * tenMinutesMs;
  // One request after another comes in a quarter of a minute, and nothing in the rest; then they come all the time.
  for (const [afterMs, perSecond] of [
    [0, 4],
    [60_000, 1.5],
    [75_000, 1.5],
    [90_000, 1.5],
    [105_000, 1.5],
  ] as const) {
    await writeSamples(store.read, new Date(begin + afterMs), [
      sampleOf(databaseId, { transfers_per_second: perSecond }),
      { databaseId, source: 'g:api-1', readings: [perSecond], latencies: null },
      { databaseId, source: 'g:api-2', readings: [perSecond], latencies: null },
    ]);
  }
  const read = async (stepSeconds: number, fn: 'sum' | 'avg') => {
    const [from, to] = [begin, begin + tenMinutesMs].map((ms) => new Date(ms).toISOString());
    const names = ['transfers_per_second', 'gateway_events_per_second'] as const;
    const { data } = await query(databaseId, names, { from, to, stepSeconds, fn });
    return data.map(({ points }) => points.flatMap(([, value]) => value ?? []));
  };
  const all = () =>
    Promise.all([read(60, 'sum'), read(600, 'sum'), read(60, 'avg'), read(600, 'avg')]);
  const before = new Date(begin - minuteMs);
  await sql`UPDATE metric_rollups SET done_until = ${before}`.execute(store.read);
  const minutes = { sums: [60, 90], means: [4, 1.5] };
  const twice = (values: readonly number[]) => values.map((value) => 2 * value);
  const expected = [
    [minutes.sums, twice(minutes.sums)],
    [[150], [300]],
    [minutes.means, twice(minutes.means)],
    [[2], [4]],
  ];
  expect(await all()).toEqual(expected);
  await rollUp(store.read, new Date());
  expect(await all()).toEqual(expected);
});

test('requests to processes of the API that take turns are told alike before and after a roll-up, and while one step is rolled up in part', async () => {
  const { id: databaseId } = await makeDatabase(store, organization, 'in-turns');
  const tenMinutesMs = 10 * minuteMs;
  const begin = Math.floor(Date.now() / tenMinutesMs) * tenMinutesMs - 2 * tenMinutesMs;
  for (let slot = 0; slot < 40; slot += 1) {
    const source = slot % 2 === 0 ? 'g:api-1' : 'g:api-2';
    await writeSamples(store.read, new Date(begin + slot * 15_000), [
      { databaseId, source, readings: [slot % 2 === 0 ? 8 : 4], latencies: null },
    ]);
  }
  const read = async (stepSeconds: number, fn: 'avg' | 'max' | 'sum') => {
    const [from, to] = [begin, begin + tenMinutesMs].map((ms) => new Date(ms).toISOString());
    const { data } = await query(databaseId, ['gateway_events_per_second'], {
      from,
      to,
      stepSeconds,
      fn,
    });
    return new Set(data.flatMap(({ points }) => points.flatMap(([, value]) => value ?? [])));
  };
  const told = async () => [
    [await read(30, 'avg'), await read(30, 'max'), await read(30, 'sum')],
    [await read(300, 'avg'), await read(300, 'max'), await read(300, 'sum')],
  ];
  const expected = [
    [new Set([6]), new Set([8]), new Set([180])],
    [new Set([6]), new Set([8]), new Set([1_800])],
  ];
  await sql`UPDATE metric_rollups SET done_until = ${new Date(begin - minuteMs)}`.execute(
    store.read,
  );
  expect(await told()).toEqual(expected);
  // Two minutes of the first step are rolled up, and the rest is not.
  await rollUp(store.read, new Date(begin + 3 * minuteMs));
  expect(await told()).toEqual(expected);
  await rollUp(store.read, new Date());
  expect(await told()).toEqual(expected);
});

test('a span of ten thousand years is answered with the part of which figures are kept', async () => {
  const { id } = await makeDatabase(store, organization, 'ancient');
  const spanOf = async (from: string, to: string) => {
    const { from: begin, to: end, data } = await query(id, ['transfers_per_second'], { from, to });
    expect(data).toEqual([]);
    return [begin, end].map((time) => (Date.parse(time) - Date.now()) / dayMs);
  };
  const [begin = 0, end = 0] = await spanOf('0000-01-01T00:00:00Z', '9999-12-31T23:59:59Z');
  expect([Math.round(begin), Math.round(end)]).toEqual([-31, 1]);
  const [oldBegin = 0, oldEnd = 0] = await spanOf('0000-01-01T00:00:00Z', '0001-01-01T00:00:00Z');
  expect(oldEnd).toBeGreaterThan(oldBegin);
  expect(oldEnd).toBeLessThan(-30);
  const [, lateEnd = 0] = await spanOf('9999-01-01T00:00:00Z', '9999-12-31T23:59:59Z');
  expect(lateEnd).toBeLessThan(2);
});

test.each([
  ['0000-01-01T12:00:00.000Z', '0000-01-01T00:00:00.000Z'],
  ['9999-12-31T23:59:59.999Z', '9999-12-30T23:59:59.999Z'],
])(
  'marks of the day until %s are answered with times that the contract allows',
  async (to, from) => {
    const { id: databaseId } = await makeDatabase(store, organization, `marks-${to.slice(0, 4)}`);
    const request = { params: { databaseId }, query: { to }, principal: { organization } };
    const { body } = await handlers().listMetricMarks(request as never);
    expect(body).toEqual({ data: [], from, to });
  },
);

/** Deadlines that end only when the test says so. */
class HeldDeadlines implements Timers {
  readonly nowMs = () => systemTimers.nowMs();
  readonly wallMs = () => systemTimers.wallMs();
  readonly #held = new Map<() => void, number>();

  after(ms: number, callback: () => void): () => void {
    this.#held.set(callback, ms);
    return () => void this.#held.delete(callback);
  }

  /** Ends the longest that there is: that of the round. */
  endLongest(): void {
    const longest = Math.max(...this.#held.values());
    for (const [callback, ms] of this.#held) if (ms === longest) callback();
  }
}

/** Replicas of which some answer at once and the others not at all, as the test says. */
class Crowd {
  readonly asked = new Set<number>();
  answers: (place: number) => boolean = () => false;
  #unanswered = new Set<number>();
  readonly #server = createServer((request, answer) => {
    const [, index = '', what] = (request.url ?? '').split('/');
    const place = Number(index);
    this.asked.add(place);
    if (this.answers(place)) answer.end(what === 'status' ? statusOf(String(90_000 + place)) : '');
    else this.#unanswered.add(place);
  });

  async urls(places: readonly number[]): Promise<readonly string[]> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    const { port } = this.#server.address() as AddressInfo;
    const urls: string[] = [];
    for (const place of places) urls[place] = `http://127.0.0.1:${port}/${place}`;
    return urls;
  }

  forget(): void {
    this.asked.clear();
    this.#unanswered = new Set();
  }

  /** Nobody is asked any more: all requests that a round may have at a time wait for those who do not answer. */
  untilAllWait(atOnce: number): Promise<boolean> {
    return eventually('all requests wait', () =>
      Promise.resolve(this.#unanswered.size === atOnce || undefined),
    );
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

test('databases that a round had no time for are the first of the next one', async () => {
  const [atOnce, inTime] = [32, 100];
  // The databases of other tests have places before these.
  const places = Array.from({ length: 200 }, (_, index) => 1_000 + index);
  const crowd = new Crowd();
  const timers = new HeldDeadlines();
  const collector = collectorWith(await crowd.urls(places), 'worker-crowd', timers);
  /** A round that ends when nothing more comes. Returns whose answers it wrote. */
  const round = async (at: Date) => {
    crowd.forget();
    const collected = collector.collect(at, never);
    await crowd.untilAllWait(atOnce);
    timers.endLongest();
    await collected;
    const { rows } = await sql<{ place: number }>`
      SELECT substr(d.name, 7)::int AS place FROM metric_samples s
      JOIN databases d ON d.id = s.database_id AND d.name LIKE 'crowd-%'
      WHERE s.at = ${at} AND s.readings[${replicaFigures.indexOf('up') + 1}] = 1`.execute(
      store.read,
    );
    return new Set(rows.map(({ place }) => place));
  };
  try {
    for (const place of places)
      await readyDatabase(`crowd-${place}`, String(90_000 + place), [place]);
    const [, before, at] = ticks();
    // The first that are asked answer; the others hang until the round is over.
    const quick = new Set<number>();
    crowd.answers = (place) =>
      quick.has(place) || (quick.size < inTime && Boolean(quick.add(place)));
    const first = await round(before);
    expect(first).toEqual(quick);
    const left = places.filter((place) => !first.has(place));
    // Whoever had its turn hangs now: each round has as many of those as it has requests at a time.
    crowd.answers = (place) => !first.has(place);
    expect([...(await round(at))].sort((a, b) => a - b)).toEqual(left);
    expect([...crowd.asked].filter((place) => first.has(place))).toHaveLength(atOnce);
    await collector.stop();
  } finally {
    crowd.close();
    await sql`UPDATE databases SET status = 'SUSPENDED' WHERE name LIKE 'crowd-%'`.execute(
      store.read,
    );
  }
});

const statusOf = (clusterId: string): string =>
  JSON.stringify({
    engine: 'Builtin',
    version: '0.1.0',
    release: '0.17.9',
    clusterId,
    replicaIndex: 0,
    replicaCount: 1,
    role: 'primary',
    view: 1,
    op: 1,
    commit: 1,
    checkpoint: 0,
    syncing: false,
    warnings: [],
    storage: { usedBytes: 1, limitBytes: 2 },
  });

test('a replica whose figures nobody can keep costs no other database its own', async () => {
  const [, , at] = ticks();
  const { id: sane } = await makeDatabase(store, organization, 'sane');
  const { id: mad } = await makeDatabase(store, organization, 'mad');
  const said = [1e300, -1e300, 1e-300, Infinity, NaN].map((value) => {
    const status = { storage: {} } as EngineStatus;
    const text = `ledgerhouse_engine_resident_memory_bytes ${value}`;
    return readingsOf(answerOf(0, status, readExposition(text)), undefined, 0);
  });
  await writeSamples(store.read, at, [
    sampleOf(sane, { connections: 3 }),
    ...said.map((row, index) => ({ databaseId: mad, source: `r${index}`, ...row })),
  ]);
  expect((await current(sane)).usage?.nodes[0]?.connections).toBe(3);
  expect((await current(mad)).usage?.nodes).toHaveLength(said.length);
});

test('a replica whose figures are next to nothing stops no roll-up', async () => {
  const tenMinutesMs = 10 * minuteMs;
  const begin = Math.floor(Date.now() / tenMinutesMs) * tenMinutesMs - 2 * tenMinutesMs;
  const { id: sane } = await makeDatabase(store, organization, 'sane-too');
  const { id: mad } = await makeDatabase(store, organization, 'next-to-nothing');
  for (const [slot, value] of [1e-45, 0, 0, 0].entries()) {
    const status = { storage: {} } as EngineStatus;
    const text = `ledgerhouse_engine_resident_memory_bytes ${value}`;
    const row = readingsOf(answerOf(0, status, readExposition(text)), undefined, 0);
    await writeSamples(store.read, new Date(begin + slot * 15_000), [
      sampleOf(sane, { connections: 3 }),
      { databaseId: mad, source: 'r0', ...row },
    ]);
  }
  await sql`UPDATE metric_rollups SET done_until = ${new Date(begin)}`.execute(store.read);
  await rollUp(store.read, new Date());
  await sql`TRUNCATE metric_samples`.execute(store.read);
  const { data } = await query(sane, ['connections'], {
    from: new Date(begin).toISOString(),
    to: new Date(begin + tenMinutesMs).toISOString(),
    stepSeconds: 600,
  });
  expect(data.map(({ points }) => points.map(([, value]) => value))).toEqual([[3]]);
});

test('days are dropped whole when their time is over', async () => {
  const days = async () => {
    const { rows } = await sql<{ name: string }>`
      SELECT inhrelid::regclass::text AS name FROM pg_inherits JOIN pg_class ON oid = inhrelid
      WHERE relkind = 'r' ORDER BY 1`.execute(store.read);
    return rows.map(({ name }) => name);
  };
  const before = await days();
  expect(before).toHaveLength(12);
  expect(await keepPartitions(store.read, began)).toBe(0);
  const later = new Date(began.getTime() + 9 * dayMs);
  expect(await keepPartitions(store.read, later)).toBe(9);
  const names = await days();
  expect(names).toHaveLength(15);
  expect(
    names.filter((name) => before.includes(name)).every((name) => name.startsWith('metric_tens_')),
  ).toBe(true);
  await keepPartitions(store.read, new Date());
});

/** Does something while this process believes that it is another time. */
async function atWrongTime(now: number, run: () => Promise<void>): Promise<void> {
  const doNotFake = [
    ...(['hrtime', 'nextTick', 'performance', 'queueMicrotask'] as const),
    ...(['setImmediate', 'clearImmediate', 'setInterval', 'clearInterval'] as const),
    ...(['setTimeout', 'clearTimeout'] as const),
  ];
  jest.useFakeTimers({ now, doNotFake });
  try {
    await run();
  } finally {
    jest.useRealTimers();
  }
}

test('a worker whose clock is wrong drops no day, and rolls up no time that is to come', async () => {
  const days = async () =>
    (await sql`SELECT inhrelid FROM pg_inherits ORDER BY 1`.execute(store.read)).rows;
  const rolledUp = async () =>
    (await sql`SELECT * FROM metric_rollups WHERE done_until > now()`.execute(store.read)).rows;
  const keep = async () => {
    await new MetricUpkeep(store, silent, () => undefined).keep();
    await new LogUpkeep(store, silent).keep();
  };
  const [before, after] = await onOneDay(async () => {
    await keep();
    const before = await days();
    for (const ahead of [40, 1, -40]) await atWrongTime(Date.now() + ahead * dayMs, keep);
    return [before, await days()];
  });
  expect(after).toEqual(before);
  expect(await rolledUp()).toEqual([]);
});

test('the use of a database tells the zone of each replica, and the processors that it is promised', async () => {
  const { id } = await makeDatabase(store, organization, 'placed');
  const nodes = ['zone-a', null].map((zone, index) => ({
    index,
    role: null,
    status: 'Ready',
    zone,
  }));
  const observed = { addresses: [], nodes, cpuMillis: 250 } as unknown as ObservedDatabase;
  await store.change(tester, (change) => updateDatabase(change, id, { observed }));
  const [, , now] = ticks();
  const sources = ['r0', 'r1'].map((source) => sampleOf(id, { up: 1, cpu_cores: 0.1 }, source));
  await writeSamples(store.read, now, sources);
  const { usage } = await current(id);
  expect(usage).toMatchObject({ cpuPromisedCores: 0.5 });
  expect(usage?.nodes.map(({ zone }) => zone)).toEqual(['zone-a', null]);
});

test('figures of a worker whose clock was ahead are not shown as current', async () => {
  const { id } = await makeDatabase(store, organization, 'ahead');
  const [, , now] = ticks();
  await writeSamples(store.read, new Date(now.getTime() + 3_600_000), [
    sampleOf(id, { up: 1, connections: 99 }),
  ]);
  await writeSamples(store.read, now, [sampleOf(id, { up: 1, connections: 3 })]);
  expect((await current(id)).usage?.nodes[0]?.connections).toBe(3);
});

test('storage that grows is full in the days that its last week says', async () => {
  const { id: databaseId } = await makeDatabase(store, organization, 'growing');
  const gibibyte = 2 ** 30;
  await sql`
    INSERT INTO metric_tens (at, database_id, source, readings, lowest, highest)
    SELECT at, ${uuidOf(databaseId)}::uuid, 'r0', r, r, r FROM (
      SELECT now() - step * interval '10 minutes' AS at,
        array_fill(NULL::real, ARRAY[${replicaFigures.indexOf('storage_used_bytes')}::int]) || (10 * ${gibibyte}::float8 - step * ${gibibyte}::float8 / 144)::real AS r
      FROM generate_series(0, 71) AS step
      WHERE now() - step * interval '10 minutes' >= date_trunc('day', now(), 'UTC') - interval '1 day') AS rows
  `.execute(store.read);
  await writeSamples(store.read, ticks()[2], [
    sampleOf(databaseId, {
      up: 1,
      storage_used_bytes: 10 * gibibyte,
      storage_limit_bytes: 20 * gibibyte,
    }),
  ]);
  const { forecast } = await current(databaseId);
  expect(forecast.memory).toBeNull();
  expect(forecast.storage?.perDayBytes).toBeCloseTo(gibibyte, -6);
  expect(forecast.storage?.fullInDays).toBeCloseTo(10, 1);
});

test('workers share the shards, and take over those of one that is gone', async () => {
  await sql`UPDATE metric_shards SET lease_owner = NULL, lease_until = NULL`.execute(store.read);
  await beat(store.read, { id: 'one', version: '1', problem: null });
  expect(await claimShards(store.read, 'one')).toHaveLength(16);
  await beat(store.read, { id: 'two', version: '1', problem: null });
  // The first one gives half back with its next round; before, nothing is free.
  expect(await claimShards(store.read, 'two')).toEqual([]);
  const first = await claimShards(store.read, 'one');
  const second = await claimShards(store.read, 'two');
  expect([...first, ...second].sort((a, b) => a - b)).toEqual(
    Array.from({ length: 16 }, (_, i) => i),
  );
  expect(first).toHaveLength(8);
  await releaseShards(store.read, 'one');
  await endHeartbeat(store.read, 'one');
  expect(await claimShards(store.read, 'two')).toHaveLength(16);
  await endHeartbeat(store.read, 'two');
  await releaseShards(store.read, 'two');
});

test('PostgreSQL away for a while: a gap, nothing else', async () => {
  const engine = await TestEngine.create({ cluster: 11n });
  const own = await TestPostgres.create();
  try {
    const opened = await openTestStore(own);
    const other = { store, organization };
    ({ store, organization } = opened);
    try {
      await keepPartitions(store.read, new Date());
      const databaseId = await readyDatabase('payments', '11', [0]);
      const collector = collectorWith([`http://127.0.0.1:${engine.statusPort}`]);
      const [first, second, third] = ticks();
      await collector.collect(first, never);
      await own.stop();
      await expect(collector.collect(second, never)).rejects.toThrow('store');
      await own.start();
      await collector.collect(third, never);
      const { data } = await query(databaseId, ['replica_up'], {
        from: first.toISOString(),
        to: new Date(third.getTime() + 15_000).toISOString(),
      });
      const values = data[0]?.points.map(([, value]) => value) ?? [];
      expect(values).toEqual([1, null, 1]);
      await collector.stop();
    } finally {
      ({ store, organization } = other);
      await opened.store.close();
    }
  } finally {
    await own.remove();
    await engine.dispose();
  }
});

test('an engine that was killed and came back leaves a mark, and no peak', async () => {
  const engine = await TestEngine.create({ cluster: 12n });
  try {
    const statusUrls = [`http://127.0.0.1:${engine.statusPort}`];
    const databaseId = await readyDatabase('killed', '12', [0]);
    const collector = collectorWith(statusUrls);
    const [first, second, third] = ticks();
    await collector.collect(first, never);
    await engine.end('SIGKILL');
    await collector.collect(second, never);
    await engine.start();
    statusUrls[0] = `http://127.0.0.1:${engine.statusPort}`;
    await collector.collect(third, never);
    const span = {
      from: first.toISOString(),
      to: new Date(third.getTime() + 15_000).toISOString(),
    };
    const { data } = await query(databaseId, ['replica_up', 'cpu_cores'], span);
    expect(data.map(({ name, points }) => [name, points.map(([, value]) => value)])).toEqual([
      ['replica_up', [1, 0, 1]],
    ]);
    const request = { params: { databaseId }, query: span, principal: { organization } };
    const { body } = await handlers().listMetricMarks(request as never);
    expect(body.data).toEqual([
      {
        at: third.toISOString(),
        kind: 'RESTART',
        replica: 0,
        text: 'Replica 0 was started again.',
        eventId: null,
      },
    ]);
    await collector.stop();
  } finally {
    await engine.dispose();
  }
});

test('a mark of a round that could not be written is written with the next one', async () => {
  const engine = await TestEngine.create({ cluster: 14n });
  try {
    const databaseId = await readyDatabase('marked', '14', [0]);
    const statusUrls = [`http://127.0.0.1:${engine.statusPort}`];
    const collector = collectorWith(statusUrls);
    const [first, second, third] = ticks();
    await collector.collect(first, never);
    await engine.end('SIGKILL');
    await engine.start();
    statusUrls[0] = `http://127.0.0.1:${engine.statusPort}`;
    await sql`ALTER TABLE metric_samples RENAME TO samples_away`.execute(store.read);
    try {
      await expect(collector.collect(second, never)).rejects.toThrow();
    } finally {
      await sql`ALTER TABLE samples_away RENAME TO metric_samples`.execute(store.read);
    }
    await collector.collect(third, never);
    await collector.stop();
    const span = { from: first, to: new Date(third.getTime() + 1) };
    expect(await listReplicaMarks(store.read, databaseId, span, 10)).toMatchObject([
      { kind: 'RESTART', replica: 0, at: second },
    ]);
  } finally {
    await engine.dispose();
  }
});

test('requests over HTTP are counted, and slow and failed ones are kept', async () => {
  const { id: databaseId } = await makeDatabase(store, organization, 'gateway');
  const recorder = new GatewayRecorder({ store, identity: 'api-1', logger: silent });
  const done = {
    databaseId,
    operation: 'create_transfers',
    code: null,
    events: 100,
    durationMs: 3,
    ledgerMs: 2,
    requestId: 'req_1',
    credentialId: 'key_1',
  } as const;
  for (let count = 0; count < 10; count += 1) recorder.record(done);
  recorder.record({ ...done, durationMs: 700, requestId: 'req_slow' });
  for (let count = 0; count < 100; count += 1) {
    recorder.record({ ...done, code: 'ledger_timeout', ledgerMs: null });
  }
  recorder.waited(databaseId, 22_000);
  const [, , now] = ticks();
  await recorder.write(now);
  const { gateway, usage } = await current(databaseId);
  const queue = await query(databaseId, ['gateway_queue_depth']);
  const depth = queue.data[0]?.points.findLast(([, value]) => value !== null)?.[1] ?? 0;
  // Eleven were answered, and waits of 22 seconds are as many as two each.
  expect(depth / (gateway.answeredPerSecond ?? 0)).toBeCloseTo(2, 3);
  expect(usage).toBeNull();
  expect((gateway.failedPerSecond ?? 0) / (gateway.answeredPerSecond ?? 1)).toBeCloseTo(
    100 / 11,
    3,
  );
  const { data } = await query(
    databaseId,
    ['gateway_request_seconds', 'gateway_requests_per_second'],
    {
      fn: 'p50',
      filters: [{ key: 'operation', value: 'create_transfers' }],
    },
  );
  expect(data.map(({ name, fn, labels }) => [name, fn, labels])).toEqual([
    ['gateway_request_seconds', 'p50', { operation: 'create_transfers' }],
    ['gateway_requests_per_second', 'avg', { operation: 'create_transfers', outcome: 'answered' }],
    ['gateway_requests_per_second', 'avg', { operation: 'create_transfers', outcome: 'failed' }],
  ]);
  const list = async (query: object) => {
    const request = {
      params: { databaseId },
      query: { limit: 20, ...query },
      principal: { organization },
    };
    return (await handlers().listLedgerRequests(request as never)).body;
  };
  expect((await list({ outcome: 'slow' })).data).toEqual([
    expect.objectContaining({ requestId: 'req_slow', standsFor: 1, ledgerMs: 2 }),
  ]);
  const failed = await list({ outcome: 'failed' });
  const rest = await list({ outcome: 'failed', cursor: failed.page.nextCursor });
  const rows = [...failed.data, ...rest.data];
  expect(rows).toHaveLength(25);
  const times = rows.map(({ at }) => Date.parse(at));
  const first = new Date(Math.min(...times)).toISOString();
  const after = new Date(Math.max(...times) + 1).toISOString();
  const ofTime = async (span: object) =>
    (await list({ outcome: 'failed', limit: 100, ...span })).data.length;
  expect(await ofTime({ from: first, to: after })).toBe(25);
  expect([await ofTime({ to: first }), await ofTime({ from: after })]).toEqual([0, 0]);
  await expect(list({ from: after, to: first })).rejects.toMatchObject({
    code: 'invalid_parameter',
  });
  expect(rows.every(({ code, standsFor }) => code === 'ledger_timeout' && standsFor === 4)).toBe(
    true,
  );
});

/** A machine whose date is a minute behind. */
const behind: Timers = { ...systemTimers, wallMs: () => systemTimers.wallMs() - minuteMs };

test('samples of a worker and of an API whose clocks are a minute behind are of the store’s time, so that their minute has them', async () => {
  const engine = await TestEngine.create({ cluster: 71n });
  const identity = 'worker-behind';
  const collector = collectorWith([`http://127.0.0.1:${engine.statusPort}`], identity, behind);
  const recorder = new GatewayRecorder({ store, identity, logger: silent, timers: behind });
  try {
    const databaseId = await readyDatabase('behind', '71', [0]);
    const begun = await storeTime(store.read);
    collector.start();
    recorder.start();
    recorder.waited(databaseId, 1);
    const rows = await eventually('both have written', async () => {
      const { rows } = await sql<{ at: Date; source: string }>`
          SELECT at, source FROM metric_samples WHERE database_id = ${uuidOf(databaseId)}`.execute(
        store.read,
      );
      return new Set(rows.map(({ source }) => source)).size === 2 ? rows : undefined;
    });
    expect(rows.filter(({ at }) => at < begun)).toEqual([]);
  } finally {
    await collector.stop();
    await recorder.stop();
    await engine.dispose();
  }
});

test('requests of a part of 15 seconds are told once, not as if the other part had been the same', async () => {
  const { id: databaseId } = await makeDatabase(store, organization, 'short-tick');
  const recorder = new GatewayRecorder({ store, identity: 'api-short', logger: silent });
  const [, before, now] = ticks();
  for (const at of [before, now]) {
    for (let count = 0; count < 30; count += 1) {
      recorder.record({
        databaseId,
        operation: 'lookup_accounts',
        code: null,
        events: 1,
        durationMs: 1,
        ledgerMs: 1,
        requestId: 'req_1',
        credentialId: 'key_1',
      });
    }
    await recorder.write(at);
  }
  const span = { from: before.toISOString(), to: new Date(now.getTime() + 15_000).toISOString() };
  const { data } = await query(databaseId, ['gateway_requests_per_second'], {
    ...span,
    fn: 'sum',
    filters: [
      { key: 'operation', value: 'lookup_accounts' },
      { key: 'outcome', value: 'answered' },
    ],
  });
  const counted = data.flatMap(({ points }) => points.map(([, value]) => value));
  for (const value of counted) expect(value).toBeCloseTo(30, 3);
  expect(counted).toHaveLength(2);
});

test('the newest thousand requests of a database are kept', async () => {
  const { id: databaseId } = await makeDatabase(store, organization, 'newest');
  const row = {
    databaseId,
    at: new Date(),
    operation: 'create_transfers',
    code: 'ledger_timeout',
    events: 1,
    durationMs: 1,
    ledgerMs: null,
    credentialId: 'key_1',
    standsFor: 1,
  };
  const rows = Array.from({ length: 1_010 }, (_, index) => ({ ...row, requestId: `req_${index}` }));
  await writeRequests(store.read, rows);
  expect(await sweepRequests(store.read)).toBe(10);
  expect(await sweepRequests(store.read)).toBe(0);
  const { rows: oldest } = await sql<{ request_id: string }>`
    SELECT request_id AS request_id FROM remarkable_requests
    WHERE database_id = ${uuidOf(databaseId)} ORDER BY id LIMIT 1`.execute(store.read);
  expect(JSON.stringify(oldest)).toContain('req_10');
});

test('the figures of a database are told to nobody of another organization', async () => {
  const { id: databaseId } = await makeDatabase(store, organization, 'ours');
  const request = {
    params: { databaseId },
    query: { limit: 20 },
    body: { series: ['replica_up'], filters: [] },
    principal: { organization: { ...organization, id: newTypeId('org') } },
  } as never;
  const { scrapeDatabases: _, ...ofOne } = handlers();
  for (const handle of Object.values(ofOne)) {
    await expect(handle(request)).rejects.toMatchObject({ code: 'database_not_found' });
  }
});

/** What a Prometheus of the organization reads: of all its databases, or of one. */
async function scraped(databaseId?: string, of = organization) {
  const held: number[] = [];
  const request = {
    params: { databaseId },
    principal: { organization: of },
    holdAnswer: (bytes: number) => held.push(bytes),
  } as never;
  const { scrapeDatabase, scrapeDatabases } = handlers();
  const begun = performance.now();
  const { bytes } = await (databaseId === undefined ? scrapeDatabases : scrapeDatabase)(request);
  const ms = Math.round(performance.now() - begun);
  expect(held).toEqual([bytes.length]);
  const text = Buffer.from(bytes).toString();
  const families = parseExposition(text);
  const series = [...families.values()].flatMap((family) => family.series);
  const valuesOf = (name: string, labels: Readonly<Record<string, string>> = {}) =>
    (families.get(`ledgerhouse_database_${name}`)?.series ?? [])
      .filter((one) =>
        Object.entries(labels).every(([label, value]) => one.labels[label] === value),
      )
      .map(({ value }) => value);
  return { text, series, valuesOf, ms };
}

test('a Prometheus of the organization reads what the engine did, with the database and the replica as labels', async () => {
  const engine = await TestEngine.create({ cluster: 13n });
  try {
    const databaseId = await readyDatabase('scraped', '13', [0, 1]);
    const collector = collectorWith([`http://127.0.0.1:${engine.statusPort}`], 'worker-scraped');
    const [, earlier, now] = ticks();
    await collector.collect(earlier, never);
    const client = new Client({
      cluster: 13n,
      addresses: [{ host: '127.0.0.1', port: engine.port }],
      timeoutMs: 60_000,
    });
    await create(client, Operation.createAccounts, accountBytes([1n])).finally(() =>
      client.close(),
    );
    await collector.collect(now, never);
    const { series, valuesOf } = await scraped(databaseId);
    expect(valuesOf('replica_up', { replica: '0' })).toEqual([1]);
    expect(valuesOf('replica_up', { replica: '1' })).toEqual([0]);
    // Nobody measured it: it is absent, not 0.
    expect(valuesOf('storage_used_bytes', { replica: '0' })).toHaveLength(1);
    expect(valuesOf('storage_used_bytes', { replica: '1' })).toEqual([]);
    const { data } = await query(databaseId, ['requests_per_second', 'request_seconds'], {
      filters: [{ key: 'operation', value: 'create_accounts' }],
      fn: 'p95',
    });
    const [perSecond, seconds] = data.map(
      ({ points }) => points.findLast(([, one]) => one !== null)?.[1],
    );
    const [told] = valuesOf('requests_per_second', { operation: 'create_accounts' });
    expect(told).toBeCloseTo(perSecond ?? 0, 3);
    const [toldSeconds] = valuesOf('request_seconds', {
      operation: 'create_accounts',
      percentile: '95',
    });
    expect(toldSeconds).toBeCloseTo(seconds ?? 0, 6);
    expect(toldSeconds).toBeGreaterThan(0);
    expect(valuesOf('request_seconds', { operation: 'query_accounts' })).toEqual([]);
    const labels = series.flatMap((one) =>
      Object.keys(one.labels).length > 0 ? [one.labels] : [],
    );
    for (const one of labels) {
      expect(one).toMatchObject({
        database_id: databaseId,
        database: 'scraped',
        region: 'local-1',
      });
    }
    // Organizations see nothing of each other.
    const theirs = await anotherOrganization(store, 'theirs');
    const none = await scraped(undefined, theirs);
    expect(none.series).toEqual([{ name: 'ledgerhouse_scrape_complete', labels: {}, value: 1 }]);
    await collector.stop();
  } finally {
    await engine.dispose();
  }
});

const madeBackup = (
  databaseId: string,
  name: string,
  state: { readonly status: BackupStatus; readonly completedAt: Date },
) =>
  store.change(tester, async (change) => {
    const made = await createBackup(
      change,
      newBackup({
        organizationId: organization.id,
        databaseId,
        name,
        kubernetesNamespace: 'ours',
      }),
    );
    await updateBackup(change, made?.id ?? '', state);
  });

const madeStream = (databaseId: string) =>
  store.change(tester, (change) =>
    createChangeStream(change, new Sealer(signingKeys), {
      organizationId: organization.id,
      databaseId,
      description: '',
      sink: { type: 'WEBHOOK', url: 'https://example.com/' },
      password: undefined,
      after: 0n,
      suspended: false,
    }),
  );

test('the newest backup that can be restored is told, and no other', async () => {
  const { id: databaseId } = await makeDatabase(store, organization, 'backed-up');
  const backups = async () => (await scraped(databaseId)).valuesOf('last_backup_timestamp_seconds');
  expect(await backups()).toEqual([]);
  for (const [day, status] of [
    [1, 'SUCCEEDED'],
    [2, 'SUCCEEDED'],
    [3, 'DELETED'],
    [4, 'FAILED'],
  ] as const) {
    const completedAt = new Date(`2026-11-0${day}T00:00:00Z`);
    await madeBackup(databaseId, `day-${day}`, { status, completedAt });
  }
  expect(await backups()).toEqual([Date.parse('2026-11-02T00:00:00Z') / 1_000]);
});

test('the longest lag of change streams is told, and how many of them fail; a database without streams has neither', async () => {
  const { id: databaseId } = await makeDatabase(store, organization, 'streamed');
  const told = async () => {
    const { valuesOf } = await scraped(databaseId);
    return [valuesOf('change_stream_lag_seconds'), valuesOf('change_streams_failing')];
  };
  expect(await told()).toEqual([[], []]);
  await madeStream(databaseId);
  // Nobody works on it here, which would be noticed in a minute.
  await sql`UPDATE change_streams SET due_at = due_at + interval '1 hour'`.execute(store.read);
  expect(await told()).toEqual([[0], [0]]);
  const ago = (seconds: number) => BigInt(Date.now() - seconds * 1_000) * 1_000_000n;
  await sql`UPDATE change_streams SET pending_from = ${String(ago(3_600))}`.execute(store.read);
  const [[lag = 0] = [], failing] = await told();
  expect(Math.round(lag / 60)).toBe(60);
  expect(failing).toEqual([0]);
  await sql`
    UPDATE change_streams SET state = 'FAILED', pending_from = NULL, due_at = NULL`.execute(
    store.read,
  );
  expect(await told()).toEqual([[], [1]]);
});

test('how late change streams are and how old the newest backup is are series, even while no replica answers; what nobody knows is a gap', async () => {
  const databaseId = await readyDatabase('standing', '21', [0]);
  const collector = collectorWith([], 'worker-standing');
  const [, earlier, now] = ticks();
  const hour = 3_600;
  const newest = async () => {
    const { data } = await query(databaseId, ['backup_age_seconds', 'cdc_lag_seconds']);
    return data.map(({ name, points }) => [name, points.findLast(([, one]) => one !== null)?.[1]]);
  };
  await collector.collect(earlier, never);
  expect(await newest()).toEqual([]);
  const completedAt = new Date(Date.now() - hour * 1_000);
  await madeBackup(databaseId, 'standing', { status: 'SUCCEEDED', completedAt });
  await madeBackup(databaseId, 'later', { status: 'FAILED', completedAt: new Date() });
  await madeStream(databaseId);
  const pendingFrom = String(BigInt(completedAt.getTime()) * 1_000_000n);
  const setStreams = (set: RawBuilder<unknown>) =>
    sql`UPDATE change_streams SET ${set} WHERE database_id = ${uuidOf(databaseId)}`.execute(
      store.read,
    );
  await setStreams(sql`pending_from = ${pendingFrom}`);
  // The clock of a worker is wrong by a day: ages go by that of the store.
  await atWrongTime(Date.now() + 24 * hour * 1_000, () => collector.collect(now, never));
  const [age, lag] = await newest();
  expect(age).toEqual(['backup_age_seconds', expect.any(Number)]);
  expect(lag).toEqual(['cdc_lag_seconds', expect.any(Number)]);
  for (const [, seconds] of [age, lag] as [string, number][]) {
    expect(seconds).toBeGreaterThanOrEqual(hour);
    expect(seconds).toBeLessThan(2 * hour);
  }
  const { valuesOf } = await scraped(databaseId);
  expect(valuesOf('backup_age_seconds')).toHaveLength(1);
  await setStreams(sql`state = 'PAUSED', due_at = NULL`);
  const later = new Date(now.getTime() + 15_000);
  await collector.collect(later, never);
  const { data } = await query(databaseId, ['cdc_lag_seconds', 'backup_age_seconds'], {
    from: now.toISOString(),
    to: new Date(later.getTime() + 15_000).toISOString(),
  });
  const known = data.map(({ name, points }) => [name, ...points.map(([, one]) => one !== null)]);
  expect(known).toEqual([
    ['cdc_lag_seconds', true, false],
    ['backup_age_seconds', true, true],
  ]);
  await collector.stop();
});

test('requests over HTTP that are over are not told for a minute', async () => {
  const { id: databaseId } = await makeDatabase(store, organization, 'over');
  const [first, second, third] = ticks();
  // Its first figure is the events a second.
  const gateway = { databaseId, source: 'g:api-1', readings: [5], latencies: null };
  const events = async () => (await scraped(databaseId)).valuesOf('gateway_events_per_second');
  await writeSamples(store.read, first, [gateway, sampleOf(databaseId, { up: 1 })]);
  expect(await events()).toEqual([5]);
  await writeSamples(store.read, second, [sampleOf(databaseId, { up: 1 })]);
  expect(await events()).toEqual([5]);
  await writeSamples(store.read, third, [sampleOf(databaseId, { up: 1 })]);
  expect(await events()).toEqual([]);
});

test('series are bounded for each database, and an answer in databases, and it says so', async () => {
  const crowded = await anotherOrganization(store, 'crowded');
  const ids: string[] = [];
  for (let count = 0; count < 101; count += 1) {
    ids.push((await makeDatabase(store, crowded, `crowded-${count}`)).id);
  }
  const [, , at] = ticks();
  const full = {
    readings: Array.from({ length: figurePlaces }, () => 1.5),
    latencies: Array.from({ length: latencyPlaces }, () => 1),
    failures: Array.from({ length: failurePlaces }, () => 1),
  };
  const sources = ['r0', 'r1', 'r2', 'r3', 'r4', 'r5', 'g:api-1', 'g:api-2'];
  // At once: a minute later they are no current ones any more.
  const samples = ids.flatMap((databaseId) =>
    sources.map((source) => ({ databaseId, source, ...full })),
  );
  await writeSamples(store.read, at, samples);
  const one = (await scraped(ids[0], crowded)).series.length;
  // One fewer than the manual says, because it has no backup; and whether the answer is complete.
  expect(one).toBe(304 - 1 + 1);
  const all = await scraped(undefined, crowded);
  const summary = `${all.series.length} series, ${all.text.length} bytes, ${all.ms} ms`;
  process.stdout.write(`figure: a scrape of 100 databases: ${summary}\n`);
  expect(all.text).toContain('\nledgerhouse_scrape_complete 0\n');
  expect(all.series).toHaveLength((one - 1) * 100 + 1);
  expect(all.text).toContain(ids[99]);
  expect(all.text).not.toContain(ids[100]);
  // By its own path it is there.
  expect((await scraped(ids[100], crowded)).series).toHaveLength(one);
});
