/** Objects that lost labels, in a simulated cluster; on a real one: test/integration/operator/lost-labels.test.ts. */
import { expect, test } from '@jest/globals';
import pino from 'pino';
import { disorder, name, namespace, uid } from '../../test/support/operator/disordered-database.ts';
import { engineSays } from '../../test/support/engine/engine-says.ts';
import { recipeOf } from '../../test/support/operator/plan-of.ts';
import type { SimulatedCluster, Write } from '../../test/support/operator/simulated-cluster.ts';
import { environmentIn } from '../../test/support/operator/simulated-environment.ts';
import { annotations, labels, managedBy } from '../../domain/names.ts';
import type { KubeObject } from '../../base/kube/kube.ts';
import { reconcileDatabase } from './reconcile.ts';

const logger = pino({ level: 'silent' });
const all = Object.values(labels);

interface World {
  readonly cluster: SimulatedCluster;
  readonly writes: Write[];
  /** Reads and lists of claims and pods. */
  readonly reads: string[];
  readonly look: () => Promise<void>;
}

/** A healthy database of three replicas, at rest. */
async function worldOf(): Promise<World> {
  const cluster = disorder(recipeOf({ kind: { engine: 'TigerBeetle', topology: 'ha-3' } }));
  const writes: Write[] = [];
  const reads: string[] = [];
  const fetchStatus = () => Promise.resolve(engineSays('TigerBeetle', '0.17.8', 'primary'));
  const look = async () => {
    await reconcileDatabase(environmentIn(cluster, { fetchStatus }), { namespace, name }, logger);
  };
  for (let turn = 0; turn < 20; turn += 1) {
    await look().catch(() => {});
    cluster.move();
  }
  cluster.onWrite = (write) => writes.push(write);
  const { read, list } = { read: cluster.read.bind(cluster), list: cluster.list.bind(cluster) };
  const ofKinds = new Set(['PersistentVolumeClaim', 'Pod']);
  cluster.read = (reference) => {
    if (ofKinds.has(reference.resource.kind)) reads.push(reference.name);
    return read(reference);
  };
  cluster.list = (resource, options) => {
    if (ofKinds.has(resource.kind)) reads.push(resource.plural);
    return list(resource, options);
  };
  await look();
  expect([writes, reads]).toEqual([[], []]);
  return { cluster, writes, reads, look };
}

/** Gives an object other labels, as somebody else would; `undefined` takes one away. */
function relabel(
  cluster: SimulatedCluster,
  object: KubeObject | undefined,
  change: Record<string, string | undefined>,
): KubeObject {
  if (object === undefined) throw new Error('there is none');
  const changed = { ...object.metadata.labels, ...change };
  const kept = Object.entries(changed).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, value] as const],
  );
  return cluster.put({
    ...object,
    metadata: { ...object.metadata, labels: Object.fromEntries(kept) },
  });
}
const nowOf = (cluster: SimulatedCluster, { kind, metadata }: KubeObject) =>
  cluster.objects.get(`${kind}/${metadata.name}`);
const conditionOf = (cluster: SimulatedCluster, type: string) => {
  const database = cluster.all('LedgerDatabase').find(({ metadata }) => metadata.uid === uid);
  return database?.status?.conditions?.find((one) => one.type === type);
};

test.each([
  ['the label of its maker', [labels.managedBy]],
  ['the label of its database', [labels.uid]],
  ['all labels', all],
])(
  'a volume of a running database that lost %s gets it back, and is not made anew',
  async (_, keys) => {
    const { cluster, writes, look } = await worldOf();
    const [before] = cluster.all('PersistentVolumeClaim');
    const lost = relabel(cluster, before, Object.fromEntries(keys.map((key) => [key, undefined])));
    await look();
    const now = nowOf(cluster, lost);
    const { [labels.replica]: _replica, ...wanted } = before?.metadata.labels ?? {};
    expect(now?.metadata).toMatchObject({ uid: before?.metadata.uid, labels: wanted });
    expect(writes.filter(({ kind }) => kind !== 'LedgerDatabase')).toMatchObject([
      { verb: 'patch', kind: 'PersistentVolumeClaim', name: before?.metadata.name },
    ]);
  },
);

test.each([
  ['the label of its maker', { [labels.managedBy]: undefined }],
  ['the label of its database', { [labels.uid]: undefined }],
  ['the right one of its database', { [labels.uid]: 'another' }],
])(
  'a pod of a replica that lost %s counts as before, is told and not replaced',
  async (_, change) => {
    const { cluster, writes, look } = await worldOf();
    const [before] = cluster.all('Pod');
    const lost = relabel(cluster, before, change);
    await look();
    expect(nowOf(cluster, lost)).toEqual(lost);
    expect(writes.map(({ kind }) => kind)).toEqual(['LedgerDatabase']);
    expect(conditionOf(cluster, 'ReplicasHealthy')?.status).toBe('True');
    const [[key, value] = ['', '']] = Object.entries(change).map(([one]) => [
      one,
      before?.metadata.labels?.[one],
    ]);
    expect(conditionOf(cluster, 'Stalled')).toMatchObject({
      status: 'True',
      reason: 'ChangedByAdmission',
      message: expect.stringContaining(
        `label pod ${before?.metadata.name} ${key}=${value} --overwrite`,
      ),
    });
    relabel(cluster, lost, { [key]: value });
    await look();
    expect(conditionOf(cluster, 'Ready')?.status).toBe('True');
  },
);

test.each([
  ['the label of another database', { [labels.uid]: 'another' }, {}],
  ['the note of another replica', { [labels.uid]: undefined }, { [annotations.formatted]: '1/7' }],
  ['no note of a data file', { [labels.uid]: undefined }, { [annotations.formatted]: undefined }],
])(
  'a volume in place of the database’s, with %s, is told and not touched',
  async (_, change, notes) => {
    const { cluster, writes, look } = await worldOf();
    const [before] = cluster.all('PersistentVolumeClaim');
    if (before === undefined) throw new Error('there is none');
    const metadata = {
      ...before.metadata,
      annotations: { ...before.metadata.annotations, ...notes },
    };
    const lost = relabel(cluster, { ...before, metadata }, change);
    await look();
    expect(nowOf(cluster, lost)).toEqual(lost);
    expect(writes.map(({ kind }) => kind)).toEqual(['LedgerDatabase']);
    expect(conditionOf(cluster, 'Stalled')).toMatchObject({
      status: 'True',
      reason: 'DataVolumesNotOurs',
      message: expect.stringContaining(`label pvc ${before.metadata.name} ${labels.uid}=${uid}`),
    });
  },
);

test('a pod is not stopped whose volume somebody has deleted and given the label of another database', async () => {
  const { cluster, writes, look } = await worldOf();
  const [before] = cluster.all('PersistentVolumeClaim');
  const lost = relabel(cluster, before, { [labels.uid]: 'another' });
  const deletionTimestamp = '2026-11-21T10:00:00Z';
  cluster.put({ ...lost, metadata: { ...lost.metadata, deletionTimestamp } });
  const [database] = cluster.all('LedgerDatabase');
  if (database === undefined) throw new Error('there is none');
  cluster.put({ ...database, spec: { ...database.spec, suspend: true } });
  await look();
  expect(writes.map(({ kind }) => kind)).toEqual(['LedgerDatabase']);
  expect(conditionOf(cluster, 'Stalled')?.message).toContain(lost.metadata.name);
});

test('objects that are seen are not read: labels that are given back cost a read of the missing ones, and nothing else does', async () => {
  const { cluster, reads, look } = await worldOf();
  const [claim] = cluster.all('PersistentVolumeClaim');
  relabel(cluster, claim, { [labels.managedBy]: 'Helm' });
  await look();
  expect(reads).toEqual([]);
  const [now] = cluster.all('PersistentVolumeClaim');
  expect(now?.metadata.labels?.[labels.managedBy]).toBe(managedBy);
  relabel(cluster, now, { [labels.uid]: undefined });
  await look();
  expect(new Set(reads)).toEqual(new Set([claim?.metadata.name]));
});
