/** The life of databases on a real node: made, killed, changed, grown, upgraded, broken and mended, as a person sees it. */
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import type { Job, Pod } from '../../domain/kinds.ts';
import { annotations, labels } from '../../domain/names.ts';
import { startTestCluster, type TestCluster } from '../support/cluster/cluster.ts';
import {
  conditionOf,
  figure,
  install,
  systemNamespace,
  type Installation,
} from '../support/cluster/installation.ts';
import type { Database } from '../support/operator/operator-world.ts';
import { killInPod, restarts } from '../support/engine/pod-process.ts';
import { eventually } from '../support/shell.ts';

jest.setTimeout(25 * 60_000);

let cluster: TestCluster;
let world: Installation;

beforeAll(async () => {
  cluster = await startTestCluster();
  world = await install(cluster, ['ledger-client', 'engine-next']);
});
afterAll(async () => cluster?.down());

const onePod = async (database: Database): Promise<Pod> => {
  const [pod] = await world.pods(database);
  if (pod === undefined) throw new Error(`${database.metadata.name} has no pod`);
  return pod;
};
const engineOf = (pod: Pod) => pod.spec?.containers[0];

test('an applied database becomes ready, and `kubectl get ldb` shows its configuration', async () => {
  const started = Date.now();
  await cluster.kubectl('apply', '-f', 'docs/examples/single.yaml');
  await world.until('example', 'Ready', 'True');
  figure('a single database is Ready', started);
  const row = await cluster.kubectl('get', 'ldb', 'example', '--no-headers');
  const columns = [
    'example',
    'Builtin',
    'single',
    'lh-5',
    '1/1',
    'True',
    'AllHealthy',
    '0.1.0',
    '1Gi',
  ];
  expect(row.trim().split(/\s+/).slice(0, -1)).toEqual(columns);
});

test('an official client in a labelled pod writes; a pod without the label does not even connect', async () => {
  const database = await world.get('example');
  const client = await world.client(database);
  expect(await client('connect')).toBe('connected');
  expect(await client('create', '10')).toBe('10');
  const stranger = await world.client(database, { labelled: false });
  expect(await stranger('connect')).toBe('no connection');
});

test('an engine that is killed, and a pod that is deleted, come back with their data and address', async () => {
  const database = await world.get('example');
  const client = await world.client(database);
  const before = await onePod(database);
  killInPod(before, 'main.js start');
  await eventually('the engine is started again', async () => {
    const pod = await onePod(database);
    return restarts(pod) > restarts(before) ? pod : undefined;
  });
  await world.until('example', 'Ready', 'True');
  expect(await client('read')).toBe('10');

  const deleted = Date.now();
  await cluster.kubectl('delete', 'pod', before.metadata.name ?? '');
  await eventually('another pod', async () =>
    (await onePod(database)).metadata.uid === before.metadata.uid ? undefined : true,
  );
  const after = await world.until('example', 'Ready', 'True');
  figure('a deleted pod is replaced and Ready', deleted);
  expect(await client('create', '1')).toBe('11');
  expect(after.status?.addresses).toBe(database.status?.addresses);
});

test('`helm test` makes a database, finds it ready, and leaves nothing', async () => {
  await world.helm('test', 'ledgerhouse', '--namespace', systemNamespace, '--timeout', '280s');
  // The check waits for its database to be gone; its volume's deletion is under way by then.
  await eventually('nothing is left', async () => {
    const kinds = 'ldb,pvc,statefulsets,jobs';
    const left = await cluster.kubectl('get', kinds, '-n', systemNamespace, '-o', 'name');
    if (left !== '') throw new Error(left);
    return true;
  });
});

// From here on each test has a database of its own. They are made while others are being tested.
const mine: Record<string, Parameters<Installation['create']>[1]> = {
  sleepy: {},
  growing: {},
  fixed: { storage: { tier: 'local-nvme', sizeGb: 1 } },
  climber: {},
  bereft: {},
};

test('a bootstrap whose pods and Jobs are deleted midway ends ready, with one data file', async () => {
  const role = (pod: Pod) => pod.metadata.labels?.[labels.role];
  const some = async (of: Database, wanted: 'job' | 'replica', but?: Pod) =>
    eventually(`a ${wanted}'s pod`, async () =>
      (await world.owned<Pod>('pod', of)).find(
        (pod) => role(pod) === wanted && pod.metadata.uid !== but?.metadata.uid,
      ),
    );
  const end = (pod: Pod) =>
    cluster.kubectl('delete', 'pod', pod.metadata.name ?? '', '--force', '--grace-period=0');
  // A pod that cannot begin has not ended before it is deleted.
  const database = await cluster.cordoned('node-1', async () => {
    await world.create('disturbed');
    const made = await world.get('disturbed');
    const making = await some(made, 'job');
    await end(making);
    await some(made, 'job', making);
    const [job] = await world.owned<Job>('job', made);
    await cluster.kubectl('delete', 'job', job?.metadata.name ?? '', '--wait=false');
    return made;
  });
  await end(await some(database, 'replica'));
  const ready = await world.until('disturbed', 'Ready', 'True');
  const client = await world.client(ready);
  expect(await client('create', '3')).toBe('3');
  await eventually('its Jobs are gone', async () =>
    (await world.owned('job', ready)).length === 0 ? true : undefined,
  );
  const files = await world.beside(
    await onePod(ready),
    `console.log((await import('node:fs')).readdirSync('/data').filter((name) => !/^lost|[.]lock/.test(name)).join())`,
  );
  expect(files).toBe(`${ready.status?.clusterId}_0.ledger`);
});

test('an image that cannot be pulled is named in the status of a new database, and another version is enough', async () => {
  for (const [name, spec] of Object.entries(mine)) await world.create(name, spec);
  await world.create('unlucky', { version: '0.3.0-broken' });
  const stuck = await eventually('the reason', async () => {
    const database = await world.get('unlucky');
    const message = conditionOf(database, 'Ready')?.message ?? '';
    return message.includes('ImagePullBackOff') ? database : undefined;
  });
  expect(conditionOf(stuck, 'Ready')?.message).toContain('ledgerhouse/missing:1');
  await world.patch('unlucky', { version: '0.1.0' });
  await world.until('unlucky', 'Ready', 'True');
});

test('an upgrade to an image that cannot be pulled names pod and reason, and going back is enough', async () => {
  const before = await world.until('climber', 'Ready', 'True');
  const client = await world.client(before);
  expect(await client('create', '4')).toBe('4');
  await world.patch('climber', { version: '0.3.0-broken' });
  const broken = await eventually('the reason', async () => {
    const database = await world.get('climber');
    return database.status?.members?.[0]?.reason === 'ImagePullBackOff' ? database : undefined;
  });
  expect(broken.status?.version).toMatchObject({ desired: '0.3.0-broken', active: '0.1.0' });
  expect(conditionOf(broken, 'Available')).toMatchObject({ status: 'False', reason: 'QuorumLost' });
  expect(conditionOf(broken, 'Ready')?.message).toContain(`${before.status?.workload}-0`);
  await world.patch('climber', { version: '0.1.0' });
  const after = await world.until('climber', 'Ready', 'True');
  expect(after.status?.version).toMatchObject({ desired: '0.1.0', active: '0.1.0' });
  expect(await client('read')).toBe('4');
});

test('an upgrade runs the other version with the same data, and the way back is refused', async () => {
  const before = await world.until('climber', 'Ready', 'True');
  const started = Date.now();
  await world.patch('climber', { version: '0.2.0' });
  const after = await world.until('climber', 'Ready', 'True');
  figure('an upgrade of a single database', started);
  expect(after.status?.version).toEqual({ desired: '0.2.0', rolled: 1, active: '0.2.0' });
  const pod = await onePod(after);
  const said = await world.beside(
    pod,
    `console.log(JSON.stringify(await (await fetch('http://127.0.0.1:3002/status')).json()))`,
  );
  expect(JSON.parse(said)).toMatchObject({ version: '0.2.0' });
  const client = await world.client(after);
  expect(await client('create', '1')).toBe('5');
  expect(after.status?.addresses).toBe(before.status?.addresses);
  await world.patch('climber', { version: '0.1.0' });
  const refused = await world.until('climber', 'Stalled', 'True', {
    reason: 'UpgradePathUnsupported',
  });
  expect(conditionOf(refused, 'Available')?.status).toBe('True');
  expect((await onePod(refused)).metadata.uid).toBe(pod.metadata.uid);
});

test('suspending ends the pod and keeps volume and address; resuming has the data', async () => {
  const before = await world.until('sleepy', 'Ready', 'True');
  const client = await world.client(before);
  expect(await client('create', '5')).toBe('5');
  const [claim] = await world.claims(before);
  await world.patch('sleepy', { suspend: true });
  const asleep = await world.until('sleepy', 'Suspended', 'True');
  expect(conditionOf(asleep, 'Ready')).toMatchObject({ status: 'False', reason: 'Suspended' });
  expect(await world.pods(asleep)).toEqual([]);
  expect((await world.claims(asleep))[0]?.metadata.uid).toBe(claim?.metadata.uid);
  await world.patch('sleepy', { suspend: false });
  const awake = await world.until('sleepy', 'Ready', 'True');
  expect(awake.status?.addresses).toBe(before.status?.addresses);
  expect(await client('read')).toBe('5');
});

test('another size and other parameters begin with the next pod, which has the data', async () => {
  const before = await world.until('sleepy', 'Ready', 'True');
  const client = await world.client(before);
  expect(engineOf(await onePod(before))?.resources?.limits?.['memory']).toBe('640Mi');
  await world.patch('sleepy', { size: 'lh-10' });
  const sized = await world.until('sleepy', 'Ready', 'True');
  expect(engineOf(await onePod(sized))?.resources).toMatchObject({
    requests: { cpu: '100m', memory: '768Mi' },
    limits: { memory: '768Mi' },
  });
  await world.patch('sleepy', { parameters: { limitConnections: '7' } });
  const limited = await world.until('sleepy', 'Ready', 'True');
  expect(engineOf(await onePod(limited))?.args).toContain('--limit-connections=7');
  expect(await client('create', '1')).toBe('6');
});

/** Leaves the data file room for a tenth of its size. */
const fill = (pod: Pod) =>
  world.beside(
    pod,
    `const { closeSync, openSync, readdirSync, statSync, statfsSync, writeSync } = await import('node:fs');
    const name = readdirSync('/data').find((one) => one.endsWith('.ledger'));
    const { size } = statSync('/data/' + name);
    const { bsize, bavail } = statfsSync('/data');
    const filler = openSync('/data/filler', 'w');
    const piece = Buffer.alloc(2 ** 20);
    for (let left = Math.floor(bsize * bavail - size / 10); left > 0; ) left -= writeSync(filler, piece, 0, Math.min(left, piece.length));
    closeSync(filler);
    console.log(JSON.stringify({ size, left: statfsSync('/data').bavail * bsize }));`,
  );

/** Begins while other tests run: engines are asked once a minute. */
let filledAtMs = 0;

test('storage that is to grow by itself leaves a volume alone that has room', async () => {
  await world.patch('sleepy', { storage: { autogrow: { limitGb: 2 } } });
  const watched = await world.until('sleepy', 'Autogrow', 'True', { reason: 'Watching' });
  expect(watched.status?.storage).toMatchObject({ capacityGb: 1 });
  process.stderr.write(`filled: ${await fill(await onePod(watched))}\n`);
  filledAtMs = Date.now();
});

const fileSystemBytes = async (pod: Pod) =>
  Number(
    await world.beside(
      pod,
      `const { statfsSync } = await import('node:fs'); const { bsize, blocks } = statfsSync('/data'); console.log(bsize * blocks)`,
    ),
  );
const gibibyte = 2 ** 30;

test('storage grows while the engine runs: the volume and its file system are bigger, the pod is the same', async () => {
  const before = await world.until('growing', 'Ready', 'True');
  const client = await world.client(before);
  expect(await client('create', '2')).toBe('2');
  const pod = await onePod(before);
  expect(await fileSystemBytes(pod)).toBeLessThan(gibibyte);
  const started = Date.now();
  await world.patch('growing', { storage: { sizeGb: 3 } });
  const after = await world.until('growing', 'Ready', 'True');
  figure('a volume grows from 1 to 3 GiB', started);
  expect(after.status?.storage).toMatchObject({ acknowledgedGb: 3, capacityGb: 3, summary: '3Gi' });
  const same = await onePod(after);
  expect([same.metadata.uid, restarts(same)]).toEqual([pod.metadata.uid, 0]);
  expect(await fileSystemBytes(same)).toBeGreaterThan(2.8 * gibibyte);
  expect((await world.claims(after))[0]?.status?.capacity?.['storage']).toBe('3Gi');
  expect(await client('create', '1')).toBe('3');
});

test('a tier that cannot grow says so while the database serves, and the size can be set back', async () => {
  const before = await world.until('fixed', 'Ready', 'True');
  await world.patch('fixed', { storage: { sizeGb: 4 } });
  const refused = await world.until('fixed', 'StorageReady', 'False', {
    reason: 'ExpansionNotSupported',
  });
  expect(conditionOf(refused, 'StorageReady')?.message).toContain('spec.storage.sizeGb back to 1');
  expect(conditionOf(refused, 'Available')?.status).toBe('True');
  await world.patch('fixed', { storage: { sizeGb: 1 } });
  const after = await world.until('fixed', 'Ready', 'True');
  expect((await onePod(after)).metadata.uid).toBe((await onePod(before)).metadata.uid);
});

test('a volume that gets full grows by itself up to its limit, while the engine runs', async () => {
  const grown = await world.until('sleepy', 'Autogrow', 'False', { reason: 'LimitReached' });
  const after = await eventually('the volume has grown', async () => {
    const database = await world.until('sleepy', 'Ready', 'True');
    return database.status?.storage?.capacityGb === 2 ? database : undefined;
  });
  figure('a full volume has grown by itself', filledAtMs);
  expect(grown.spec.storage?.sizeGb).toBeUndefined();
  expect(after.status?.autogrow).toMatchObject({ sizeGb: 2, fromGb: 1 });
  expect(after.status?.autogrow?.usedPercent).toBeGreaterThanOrEqual(85);
  const pod = await onePod(after);
  expect(restarts(pod)).toBe(0);
  expect(await fileSystemBytes(pod)).toBeGreaterThan(1.8 * gibibyte);
  const client = await world.client(after);
  expect(await client('read')).toBe('6');
  const grows = '--field-selector=reason=StorageGrows';
  const events = await cluster.kubectl(
    'get',
    'events.events.k8s.io',
    '-o=jsonpath={..note}',
    grows,
  );
  expect(events).not.toBe('');
});

test('a volume that is deleted is held while its pod runs; once lost, nothing is formatted, and what to do is said', async () => {
  const before = await world.until('bereft', 'Ready', 'True');
  const [lost] = await world.claims(before);
  await cluster.kubectl('delete', 'pvc', lost?.metadata.name ?? '', '--wait=false');
  const held = await world.until('bereft', 'Stalled', 'True', { reason: 'VolumeBeingDeleted' });
  expect(conditionOf(held, 'Available')?.status).toBe('True');
  await cluster.kubectl('delete', 'pod', `${before.status?.workload}-0`);
  const stalled = await world.until('bereft', 'Stalled', 'True', { reason: 'ReplicaDataLost' });
  expect(conditionOf(stalled, 'Stalled')?.message).toContain('disaster-recovery');
  expect(conditionOf(stalled, 'Available')?.status).toBe('False');
  // The pod looks again and again; whatever else were to be done would have been done by then.
  await new Promise((resolve) => setTimeout(resolve, 5_000));
  expect(await world.owned('job', stalled)).toEqual([]);
  const [empty] = await world.claims(stalled);
  expect(empty?.metadata.uid).not.toBe(lost?.metadata.uid);
  expect(empty?.metadata.annotations?.[annotations.formatted]).toBeUndefined();
});
