/** The operator's runtime against a real API server that answers wrongly on purpose. Every schedule of faults has a seed. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { KubeConfig } from '@kubernetes/client-node';
import pino from 'pino';
import { Controller } from '../../../operator/runtime/controller.ts';
import { EventRecorder } from '../../../operator/runtime/events.ts';
import { startHealthServer } from '../../../base/health-server.ts';
import { createKube, type KubeHttp, type RequestRecord } from '../../../base/kube/kube-http.ts';
import { resources, type ConfigMap } from '../../../domain/kinds.ts';
import type { KubeObject } from '../../../base/kube/kube.ts';
import { LeaderElection } from '../../../operator/runtime/leader.ts';
import { LostLeadership } from '../../../base/kube/lost-leadership.ts';
import {
  createOperatorMetrics,
  operatorPrefix,
} from '../../../operator/runtime/operator-metrics.ts';
import { measureProcess } from '../../../base/metrics/process-metrics.ts';
import { Reflector, type ReflectorOptions } from '../../../base/kube/reflector.ts';
import { startControlPlane, type ControlPlane } from '../../../tools/cluster/control-plane.ts';
import {
  startFaultyApi,
  type Fault,
  type FaultyApi,
  type FaultyRequest,
} from '../../support/cluster/faulty-api.ts';
import { seeded } from '../../support/prng.ts';
import { eventually } from '../../support/shell.ts';

const by = { fieldManager: 'test' };
const silent = pino({ level: 'silent' });
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const configMap = (
  namespace: string,
  name: string,
  data: Record<string, string> = {},
): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace, name, labels: { kept: 'yes', shard: `${name.length}` } },
  data,
});

let plane: ControlPlane;
let config: KubeConfig;
let direct: KubeHttp;
let namespaces = 0;

beforeAll(async () => {
  plane = await startControlPlane();
  config = new KubeConfig();
  config.loadFromFile(plane.kubeconfig);
  direct = createKube(config, { requestsPerSecond: 1_000, requestsBurst: 1_000 });
});

afterAll(async () => {
  await direct.close();
  await plane.stop();
});

async function newNamespace(): Promise<string> {
  const name = `ns-${(namespaces += 1)}`;
  const resource = { apiVersion: 'v1', kind: 'Namespace', plural: 'namespaces', namespaced: false };
  await direct.create(resource, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, by);
  return name;
}

/** Runs with a faulty API server in between, and ends it. */
async function withFaults(run: (api: FaultyApi) => Promise<void>): Promise<void> {
  const api = await startFaultyApi(plane.kubeconfig);
  try {
    await run(api);
  } finally {
    await api.stop();
  }
}

function reflect(
  kube: KubeHttp,
  namespace: string,
  options: Partial<ReflectorOptions<ConfigMap>> = {},
) {
  const metrics = createOperatorMetrics({ kinds: [], watched: ['configmaps'] });
  const reflector = new Reflector<ConfigMap>({
    source: kube,
    resource: resources.configMap,
    namespace,
    labelSelector: 'kept=yes',
    index: 'shard',
    onChange: () => {},
    logger: silent,
    metrics,
    backoff: { baseMs: 20, maxMs: 200 },
    ...options,
  });
  reflector.start();
  const metric = async (name: string) =>
    Number(
      (await metrics.registry.text()).match(
        new RegExp(`operator_${name}\\{resource="configmaps"\\} (\\S+)`),
      )?.[1],
    );
  return { reflector, metric };
}

const byName = ([a]: readonly [string, string], [b]: readonly [string, string]) =>
  a.localeCompare(b);

const versions = (objects: readonly KubeObject[]) =>
  new Map(
    objects
      .map(({ metadata }): [string, string] => [
        `${metadata.name}`,
        `${metadata.uid} ${metadata.resourceVersion}`,
      ])
      .sort(byName),
  );

test('the calls mean what they say to a real API server', async () => {
  const namespace = await newNamespace();
  const records: RequestRecord[] = [];
  const kube = createKube(config, { pageSize: 2, onRequest: (record) => records.push(record) });
  const reference = { resource: resources.configMap, namespace, name: 'one' };
  expect(await kube.read(reference)).toBeUndefined();
  const unknown = { ...resources.configMap, plural: 'nothings' };
  await expect(kube.read({ ...reference, resource: unknown })).rejects.toMatchObject({
    status: 404,
    reason: 'UnknownPath',
  });
  const one = await kube.create(resources.configMap, configMap(namespace, 'one', { a: '1' }), by);
  await expect(
    kube.create(resources.configMap, configMap(namespace, 'one'), by),
  ).rejects.toMatchObject({
    status: 409,
    reason: 'AlreadyExists',
  });
  const other = { fieldManager: 'other' };
  const changed = configMap(namespace, 'one', { a: '2' });
  await expect(kube.apply(resources.configMap, changed, other)).rejects.toMatchObject({
    status: 409,
    reason: 'Conflict',
    causes: [expect.objectContaining({ reason: 'FieldManagerConflict' })],
  });
  expect((await kube.apply(resources.configMap, changed, { ...other, force: true })).data).toEqual({
    a: '2',
  });
  const { resourceVersion, uid = '' } = one.metadata;
  await expect(
    kube.mergePatch(reference, { metadata: { resourceVersion }, data: { a: '3' } }, by),
  ).rejects.toMatchObject({ status: 409, reason: 'Conflict' });
  await expect(kube.delete(reference, { uid: 'another' })).rejects.toMatchObject({ status: 409 });
  await expect(kube.delete(reference, { uid, resourceVersion })).rejects.toMatchObject({
    status: 409,
  });
  for (const name of ['two', 'three', 'four', 'five']) {
    await kube.create(resources.configMap, configMap(namespace, name), by);
  }
  const listed = await kube.list<ConfigMap>(resources.configMap, {
    namespace,
    labelSelector: 'kept=yes',
  });
  expect(listed.map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort()).toEqual(
    ['five', 'four', 'one', 'three', 'two'].map((name) => `ConfigMap ${name}`),
  );
  expect(records.filter(({ verb }) => verb === 'list')).toHaveLength(3);
  await kube.delete(reference, { uid });
  await kube.delete(reference, { uid });
  expect(await kube.read(reference)).toBeUndefined();
  await kube.close();
});

test('calls share connections', async () => {
  const namespace = await newNamespace();
  await withFaults(async (api) => {
    const kube = createKube(api.kubeConfig);
    for (let index = 0; index < 30; index += 1) {
      await kube.read({ resource: resources.configMap, namespace, name: 'none' });
    }
    // One is not promised: the next call may start before the last answer's connection is free again.
    expect(api.connections).toBeLessThanOrEqual(3);
    await kube.close();
  });
});

/** Creates, changes, deletes and makes anew, ever so often, as the seed has it. */
async function stir(
  namespace: string,
  random: () => number,
  isEnough: () => Promise<boolean>,
): Promise<number> {
  let writes = 0;
  while (!(await isEnough())) {
    const name = `object-${Math.floor(random() * 25)}`;
    const reference = { resource: resources.configMap, namespace, name };
    const found = await direct.read<ConfigMap>(reference);
    const dice = random();
    if (found === undefined) {
      await direct.create(resources.configMap, configMap(namespace, name, { at: `${writes}` }), by);
    } else if (dice < 0.35) {
      await direct.delete(reference, { uid: found.metadata.uid ?? '' });
      // At once: between two looks it is another object of the same name.
      if (dice < 0.15) await direct.create(resources.configMap, configMap(namespace, name), by);
    } else await direct.mergePatch(reference, { data: { at: `${writes}` } }, by);
    writes += 1;
    await pause(random() * 30);
  }
  return writes;
}

function watchFaults(random: () => number): (request: FaultyRequest) => Fault | undefined {
  return ({ isWatch, isList }) => {
    const dice = random();
    const afterBytes = Math.floor(random() * 6_000);
    if (isWatch) {
      if (dice < 0.35) return { kind: 'cut', afterBytes };
      if (dice < 0.5) return { kind: 'freeze', afterBytes };
      if (dice < 0.7) return { kind: 'gone', afterBytes };
      if (dice < 0.8) return { kind: 'status', code: 410 };
      if (dice < 0.87) return { kind: 'status', code: 429, retryAfterSeconds: 0 };
      if (dice < 0.93) return { kind: 'status', code: 500 };
      return undefined;
    }
    if (isList && dice < 0.4) return { kind: 'stale-list' };
    if (dice < 0.5) return { kind: 'status', code: 500 };
    if (dice < 0.6) return { kind: 'status', code: 410 };
    if (dice < 0.7) return { kind: 'delay', ms: 100 };
    return undefined;
  };
}

test('no change is ever lost, whatever the connection does', async () => {
  // Timing decides which fault is met when: the test goes on until all have been met.
  const lives: Life[] = [];
  const met = () => [...new Set(lives.flatMap((life) => life.faults()))].sort();
  const startedMs = performance.now();
  const hasRelisted = async () =>
    (await Promise.all(lives.map((life) => life.relists()))).some((relists) => relists > 0);
  const isEnough = async () => {
    const lastedMs = performance.now() - startedMs;
    const all = met().length === every.length && (await hasRelisted());
    return (all && lastedMs > 7_000) || lastedMs > 400_000;
  };
  await Promise.all([1, 2, 3].map((seed) => surviveFaults(seed, lives, isEnough)));
  expect(await hasRelisted()).toBe(true);
  expect(met()).toEqual(every);
});

const every = ['cut', 'delay', 'freeze', 'gone', 'stale-list', 'status'];

interface Life {
  readonly relists: () => Promise<number>;
  readonly faults: () => readonly string[];
}

async function surviveFaults(
  seed: number,
  lives: Life[],
  isEnough: () => Promise<boolean>,
): Promise<void> {
  const namespace = await newNamespace();
  await withFaults(async (api) => {
    const random = seeded(seed);
    const told = new Map<string, string>();
    const wrong: string[] = [];
    const version = (one: ConfigMap | undefined) =>
      one === undefined ? undefined : `${one.metadata.uid} ${one.metadata.resourceVersion}`;
    const kube = createKube(api.kubeConfig, {
      pageSize: 10,
      requestsPerSecond: 500,
      callTimeoutMs: 2_000,
      retriesMax: 1,
    });
    const { reflector, metric } = reflect(kube, namespace, {
      watchSeconds: { min: 1, max: 2 },
      silenceMaxMs: 500,
      random,
      onChange: ({ name, object, previous }) => {
        if (told.get(name) !== version(previous)) wrong.push(`${name}: not what was told before`);
        if (
          previous !== undefined &&
          object !== undefined &&
          previous.metadata.uid !== object.metadata.uid
        ) {
          wrong.push(`${name}: one object became another`);
        }
        const now = version(object);
        if (now === undefined) told.delete(name);
        else told.set(name, now);
      },
    });
    await reflector.whenSynced();
    api.inject(watchFaults(random));
    api.cutWatches();
    lives.push({
      relists: () => metric('watch_relists_total'),
      faults: () => [...api.done.keys()],
    });
    const writes = await stir(namespace, random, isEnough);
    const options = { namespace, labelSelector: 'kept=yes' };
    const truth = versions(await direct.list<ConfigMap>(resources.configMap, options));
    // The faults go on: what is promised is not that it works once they have ended.
    await eventually(`the cache to be what the API server has (seed ${seed})`, () =>
      Promise.resolve(isSame(versions(reflector.cache.list()), truth) ? true : undefined),
    );
    expect(new Map([...told].sort(byName))).toEqual(truth);
    expect(wrong).toEqual([]);
    for (const shard of new Set(
      reflector.cache.list().map((one) => one.metadata.labels?.['shard'] ?? ''),
    )) {
      const byLabel = reflector.cache
        .list()
        .filter((one) => one.metadata.labels?.['shard'] === shard);
      expect(versions(reflector.cache.byIndex(shard))).toEqual(versions(byLabel));
    }
    expect(await metric('watch_missed_events_total')).toBe(0);
    const relists = await metric('watch_relists_total');
    process.stderr.write(
      `seed ${seed}: ${writes} writes, ${relists} lists again, faults ${JSON.stringify(Object.fromEntries(api.done))}\n`,
    );
    await reflector.stop();
    await kube.close();
  });
}

const isSame = (a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>) =>
  a.size === b.size && [...a].every(([name, version]) => b.get(name) === version);

test('a half-open connection is noticed by its silence, and nothing is missing afterwards', async () => {
  const namespace = await newNamespace();
  await withFaults(async (api) => {
    const kube = createKube(api.kubeConfig);
    const { reflector, metric } = reflect(kube, namespace, { silenceMaxMs: 8_000 });
    await reflector.whenSynced();
    await eventually('the watch', async () => (await metric('watch_connected')) === 1 || undefined);
    api.freezeWatches();
    await direct.create(resources.configMap, configMap(namespace, 'unheard'), by);
    await pause(500);
    expect(reflector.cache.get(namespace, 'unheard')).toBeUndefined();
    await eventually('the change', () =>
      Promise.resolve(reflector.cache.get(namespace, 'unheard')),
    );
    expect(await metric('watch_relists_total')).toBe(0);
    await reflector.stop();
    await kube.close();
  });
});

test('a reflector stops though nothing is heard any more, and does not wait until a silence is noticed', async () => {
  const namespace = await newNamespace();
  await withFaults(async (api) => {
    const kube = createKube(api.kubeConfig);
    const { reflector, metric } = reflect(kube, namespace, { silenceMaxMs: 3_600_000 });
    await reflector.whenSynced();
    await eventually('the watch', async () => (await metric('watch_connected')) === 1 || undefined);
    api.freezeWatches();
    await reflector.stop();
    await kube.close();
  });
});

test('a cluster in which nothing happens is no fault of the watch', async () => {
  const namespace = await newNamespace();
  await withFaults(async (api) => {
    const kube = createKube(api.kubeConfig);
    const { reflector, metric } = reflect(kube, namespace, { silenceMaxMs: 3_000 });
    await reflector.whenSynced();
    await pause(10_000);
    expect([await metric('watch_failures_total'), reflector.deaf]).toEqual([0, false]);
    await direct.create(resources.configMap, configMap(namespace, 'heard'), by);
    await eventually('the change', () => Promise.resolve(reflector.cache.get(namespace, 'heard')));
    await reflector.stop();
    await kube.close();
  });
});

test('work gets done although every third call fails, one worker a key', async () => {
  const namespace = await newNamespace();
  await withFaults(async (api) => {
    const random = seeded(7);
    const kube = createKube(api.kubeConfig, { requestsPerSecond: 500, retriesMax: 1 });
    const metrics = createOperatorMetrics({ kinds: ['ConfigMap'], watched: [] });
    const working = new Set<string>();
    const wrong: string[] = [];
    const names = Array.from({ length: 40 }, (_, index) => `thing-${index}`);
    let controller: Controller | undefined;
    const { reflector } = reflect(kube, namespace, {
      silenceMaxMs: 2_000,
      onChange: ({ name }) => controller?.enqueue({ namespace, name }),
    });
    // Counts each thing up to 3, one step a visit, by what the cache has: it is always a little behind.
    controller = new Controller({
      kind: 'ConfigMap',
      concurrency: 8,
      logger: silent,
      metrics,
      onLostLeadership: () => wrong.push('lost leadership'),
      backoff: { baseMs: 5, maxMs: 200 },
      reconcile: async ({ name }, { signal }) => {
        if (working.has(name)) wrong.push(`${name} has two workers`);
        working.add(name);
        try {
          const seen = reflector.cache.get(namespace, name);
          const mine = kube.withSignal(signal);
          if (seen === undefined) {
            await mine.create(resources.configMap, configMap(namespace, name, { n: '0' }), by);
            return {};
          }
          const n = Number(seen.data?.['n']);
          if (n === 3) return {};
          const { resourceVersion } = seen.metadata;
          await mine.mergePatch(
            { resource: resources.configMap, namespace, name },
            { metadata: { resourceVersion }, data: { n: `${n + 1}` } },
            by,
          );
          return {};
        } finally {
          working.delete(name);
        }
      },
    });
    await reflector.whenSynced();
    api.inject(({ isWrite, isWatch }) => {
      if (isWatch || !isWrite || random() > 0.35) return undefined;
      const faults: readonly Fault[] = [
        { kind: 'status', code: 409 },
        { kind: 'status', code: 429, retryAfterSeconds: 0 },
        { kind: 'status', code: 500 },
        { kind: 'status', code: 503 },
        { kind: 'lose-answer' },
        { kind: 'delay', ms: 50 },
      ];
      return faults[Math.floor(random() * faults.length)];
    });
    for (const name of names) controller.enqueue({ namespace, name });
    await eventually('all to be counted to 3', async () => {
      const things = await direct.list<ConfigMap>(resources.configMap, {
        namespace,
        labelSelector: 'kept=yes',
      });
      return things.length === names.length && things.every(({ data }) => data?.['n'] === '3')
        ? true
        : undefined;
    });
    expect(wrong).toEqual([]);
    expect(api.done.get('lose-answer')).toBeGreaterThan(0);
    expect(await controller.stop(60_000)).toBe(true);
    await reflector.stop();
    await kube.close();
  });
});

test('a leader that cannot renew does not write, though it could reach the API server', async () => {
  const namespace = await newNamespace();
  await withFaults(async (api) => {
    let lost = 0;
    const leaseKube = createKube(api.kubeConfig, { callTimeoutMs: 2_000, retriesMax: 0 });
    const election = new LeaderElection({
      kube: leaseKube,
      namespace,
      name: 'lease',
      identity: 'only',
      logger: silent,
      onStarted: () => {},
      onLost: () => (lost += 1),
      leaseDurationMs: 12_000,
      renewTimeoutMs: 8_000,
      retryPeriodMs: 300,
    });
    const kube = createKube(config, { mayWrite: () => election.isLeader() });
    const write = (n: number) =>
      kube.apply(resources.configMap, configMap(namespace, 'fenced', { n: `${n}` }), by);
    await expect(write(0)).rejects.toBeInstanceOf(LostLeadership);
    election.start();
    await eventually('the lease', () => Promise.resolve(election.isLeader() || undefined));
    await write(1);
    api.inject(({ path }) =>
      path.includes('/leases') ? { kind: 'status', code: 500 } : undefined,
    );
    await eventually('the loss', () => Promise.resolve(lost === 1 || undefined));
    await expect(write(2)).rejects.toBeInstanceOf(LostLeadership);
    const held = await kube.read<ConfigMap>({
      resource: resources.configMap,
      namespace,
      name: 'fenced',
    });
    expect(held?.data).toEqual({ n: '1' });
    await election.stop();
    await Promise.all([kube.close(), leaseKube.close()]);
  });
});

test('events are what the API server takes, and a series is one of them', async () => {
  const namespace = await newNamespace();
  const metrics = createOperatorMetrics({ kinds: [], watched: [] });
  const events = new EventRecorder({
    kube: direct,
    logger: silent,
    metrics,
    instance: 'test-0',
    seriesPeriodMs: 300,
  });
  const about = await direct.create(resources.configMap, configMap(namespace, 'about'), by);
  const facts = { type: 'Warning', reason: 'SomethingHappened', note: 'x'.repeat(5_000) } as const;
  for (let times = 0; times < 4; times += 1) events.record(about, facts);
  type Event = KubeObject & { readonly note: string; readonly series?: { readonly count: number } };
  const told = await eventually('the series', async () => {
    const found = await direct.list<Event>(resources.event, { namespace });
    return found.length === 1 && found[0]?.series !== undefined ? found[0] : undefined;
  });
  expect(told.series?.count).toBe(4);
  expect(told.note).toHaveLength(1_021);
  expect(await metrics.registry.text()).toContain('events_dropped_total{why="failed"} 0');
  await events.stop(1_000);
});

test('health and metrics are served while the process is well', async () => {
  const metrics = createOperatorMetrics({ kinds: ['LedgerDatabase'], watched: ['pods'] });
  const stopMeasuring = measureProcess(metrics.registry, operatorPrefix);
  const wrong: string[] = ['pods: not listed yet'];
  const server = await startHealthServer({
    host: '127.0.0.1',
    port: 0,
    live: () => [],
    ready: () => wrong,
    metrics: () => metrics.registry.text(),
  });
  const get = (path: string) => fetch(`http://127.0.0.1:${server.port}${path}`);
  expect((await get('/livez')).status).toBe(200);
  const unready = await get('/readyz');
  expect([unready.status, await unready.text()]).toEqual([503, 'pods: not listed yet\n']);
  wrong.pop();
  expect((await get('/readyz')).status).toBe(200);
  const text = await (await get('/metrics')).text();
  expect(
    Number(text.match(/ledgerhouse_operator_resident_memory_bytes (\d+)/)?.[1]),
  ).toBeGreaterThan(1e6);
  expect(text).toMatch(/ledgerhouse_operator_event_loop_lag_seconds [\d.e-]+\n/);
  await server.stop();
  stopMeasuring();
  await expect(get('/livez')).rejects.toThrow();
});
