/**
 * The fate of data on a real node with real volumes when databases are deleted, under each policy, and when others interfere:
 * with a copy of the namespace, with a quota.
 */
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import type { KubeObject } from '../../base/kube/kube.ts';
import type { Claim, Pod } from '../../domain/kinds.ts';
import { annotations, labels } from '../../domain/names.ts';
import { startTestCluster, type TestCluster } from '../support/cluster/cluster.ts';
import {
  conditionOf,
  figure,
  install,
  type Installation,
} from '../support/cluster/installation.ts';
import type { Database } from '../support/operator/operator-world.ts';
import { eventually } from '../support/shell.ts';

jest.setTimeout(25 * 60_000);

let cluster: TestCluster;
let world: Installation;
const policies = ['Retain', 'BackupThenDelete', 'Delete'] as const;
const namespaceOf = (policy: string) => `of-${policy.toLowerCase()}`;

beforeAll(async () => {
  cluster = await startTestCluster();
  world = await install(cluster, ['ledger-client']);
  // All are made at once, and each test waits for its own.
  await world.create('guarded', { deletionProtection: true });
  await world.create('phoenix');
  await world.create('fleeting', { deletionPolicy: 'Delete' });
  await world.create('careful', { deletionPolicy: 'BackupThenDelete' });
  for (const deletionPolicy of policies) {
    await cluster.kubectl('create', 'namespace', namespaceOf(deletionPolicy));
    await world.create('payments', { deletionPolicy }, namespaceOf(deletionPolicy));
  }
});
afterAll(async () => cluster?.down());

const remove = (name: string, ...args: string[]) =>
  cluster.kubectl('delete', 'ldb', name, '--timeout=280s', ...args);

/** Resolves when the claim's persistent volume no longer exists, which frees the disk. */
const volumeIsGone = (claim: Claim | undefined) =>
  eventually('the volume is gone', async () => {
    const { code, stderr } = await cluster.tryKubectl('get', 'pv', claim?.spec?.volumeName ?? '');
    return code !== 0 && stderr.includes('NotFound') ? true : undefined;
  });

const marked = (database: Database) =>
  eventually('the volume is marked', async () => {
    const [claim] = await world.claims(database);
    const purgeAt = claim?.metadata.annotations?.[annotations.purgeAt];
    return purgeAt === undefined ? undefined : { claim, purgeAt };
  });

test('a protected database is not deleted, and the refusal says the command that lets it go', async () => {
  const database = await world.until('guarded', 'Ready', 'True');
  const refused = await cluster.tryKubectl('delete', 'ldb', 'guarded');
  expect(refused.code).not.toBe(0);
  const [, arguments_ = ''] =
    /kubectl (-n default patch ldb guarded .*)/.exec(refused.stderr) ?? [];
  expect((await world.get('guarded')).metadata.deletionTimestamp).toBeUndefined();
  expect(await world.pods(database)).toHaveLength(1);
  // As it is told, with the shell's quotes around the patch.
  await cluster.kubectl(
    ...arguments_
      .trim()
      .split(' ')
      .map((word) => word.replaceAll("'", '')),
  );
  await remove('guarded');
  expect(await world.claims(database)).toHaveLength(1);
});

test('under Retain the volume outlives its database, and a new one that names it has the data', async () => {
  const old = await world.until('phoenix', 'Ready', 'True');
  const client = await world.client(old);
  expect(await client('create', '5')).toBe('5');
  await remove('phoenix');
  const { claim, purgeAt } = await marked(old);
  const days = (Date.parse(purgeAt) - Date.now()) / 86_400_000;
  expect(days).toBeGreaterThan(6.9);
  expect(days).toBeLessThan(7.1);
  await eventually('the pod is gone', async () =>
    (await world.pods(old)).length === 0 ? true : undefined,
  );

  const databaseId = old.status?.databaseId ?? '';
  const started = Date.now();
  await world.create('ashes', { bootstrap: { volumes: { databaseId } } });
  const restored = await world.until('ashes', 'Ready', 'True');
  figure('a deleted database is back', started);
  expect(restored.status?.clusterId).toBe(old.status?.clusterId);
  expect(conditionOf(restored, 'Bootstrapped')?.reason).toBe('Inherited');
  const [kept] = await world.claims(restored);
  expect(kept?.metadata.uid).toBe(claim?.metadata.uid);
  expect(kept?.metadata.annotations?.[annotations.purgeAt]).toBeUndefined();
  const again = await world.client(restored);
  expect(await again('read')).toBe('5');
  expect(await again('create', '1')).toBe('6');

  const inUse = restored.status?.databaseId ?? '';
  await world.create('thief', { bootstrap: { volumes: { databaseId: inUse } } });
  await world.until('thief', 'Stalled', 'True', { reason: 'VolumesInUse' });
  expect(await again('read')).toBe('6');
});

test('a database under the name of a deleted one begins empty, with volumes of its own', async () => {
  await world.create('phoenix');
  const database = await world.until('phoenix', 'Ready', 'True');
  await cluster.kubectl('delete', 'pod', 'client-of-phoenix', '--wait');
  const client = await world.client(database);
  expect(await client('read')).toBe('no account');
});

test('a volume past its time is purged', async () => {
  const old = await world.get('phoenix');
  const [claim] = await world.claims(old);
  await remove('phoenix');
  await marked(old);
  const past = `${annotations.purgeAt}=2020-01-01T00:00:00Z`;
  await cluster.kubectl('annotate', '--overwrite', 'pvc', claim?.metadata.name ?? '', past);
  await eventually('purged', async () =>
    (await world.claims(old)).length === 0 ? true : undefined,
  );
  await volumeIsGone(claim);
});

test('under Delete the volume goes with the database', async () => {
  const database = await world.until('fleeting', 'Ready', 'True');
  const [claim] = await world.claims(database);
  await remove('fleeting');
  await eventually('purged', async () =>
    (await world.claims(database)).length === 0 ? true : undefined,
  );
  await volumeIsGone(claim);
});

test('under BackupThenDelete the database waits, says so, keeps its data, and is let go by another policy', async () => {
  const database = await world.until('careful', 'Ready', 'True');
  await remove('careful', '--wait=false');
  const stalled = await world.until('careful', 'Stalled', 'True', { reason: 'BackupsUnavailable' });
  expect(conditionOf(stalled, 'Stalled')?.message).toContain(
    'kubectl -n default patch ldb careful',
  );
  expect(await world.claims(database)).toHaveLength(1);
  await world.patch('careful', { deletionPolicy: 'Retain' });
  await cluster.kubectl('wait', '--for=delete', 'ldb/careful', '--timeout=280s');
  await marked(database);
});

const origin = namespaceOf('Retain');
const copy = 'copy-of-retain';
/** Has a copy of the volume alone, which nothing uses. */
const copyOfVolumes = 'volumes-of-retain';
interface Listed {
  readonly items: readonly KubeObject[];
}
const listed = async (...args: string[]) =>
  JSON.parse(await cluster.kubectl('get', '-o', 'json', ...args)) as Listed;
/** All of a copy: its objects, and the pod that Kubernetes makes of them. */
const copied = async (namespace: string) => {
  const kinds = 'sts,svc,cm,pvc,netpol,pods';
  return (await listed(kinds, '-n', namespace, '-l', labels.uid, '--show-managed-fields')).items;
};

/** An object as tools that copy namespaces make it: with labels and annotations, without what the first cluster gave it. */
function copyOf({ apiVersion, kind, metadata, ...rest }: KubeObject, namespace: string): object {
  const { spec: whole = {}, data } = rest as { spec?: object; data?: object };
  const without = (fields: object, given: RegExp) =>
    Object.fromEntries(Object.entries(fields).filter(([key]) => !given.test(key)));
  const spec = without(whole, /^(clusterIPs?|volumeName)$/);
  const kept = { name: metadata.name, labels: metadata.labels, namespace };
  const annotated = without(metadata.annotations ?? {}, /^(pv|volume)[.]/);
  return {
    apiVersion,
    kind,
    metadata: { ...kept, annotations: annotated },
    ...(data === undefined ? { spec } : { data }),
  };
}

/** What its status tells of pods and volumes. */
const countedOf = (database: Database) => ({
  replicas: database.status?.replicas,
  storage: database.status?.storage,
  members: database.status?.members?.map(({ pod, state, node }) => [pod, state, node]),
  healthy: conditionOf(database, 'ReplicasHealthy'),
  volumes: conditionOf(database, 'StorageReady'),
});

test('a copy of a namespace is nobody’s: the database counts nothing of it', async () => {
  const before = await world.until('payments', 'Ready', 'True', { namespace: origin });
  for (const namespace of [copy, copyOfVolumes])
    await cluster.kubectl('create', 'namespace', namespace);
  // Volumes come first: the controller of the StatefulSet would make those that are not there.
  const { items } = await listed('pvc,svc,cm,netpol,sts', '-n', origin, '-l', labels.uid);
  expect(items.map(({ kind }) => kind)).toEqual(
    expect.arrayContaining(['StatefulSet', 'Service', 'ConfigMap', 'PersistentVolumeClaim']),
  );
  await cluster.apply(items.map((item) => copyOf(item, copy)));
  const volumes = items.filter(({ kind }) => kind === 'PersistentVolumeClaim');
  await cluster.apply(volumes.map((item) => copyOf(item, copyOfVolumes)));
  const pod = `${before.status?.workload}-0`;
  // Its volume is empty, which would be a loss if it were the database's.
  await eventually('the copied pod finds no data', async () => {
    const said = await cluster.kubectl('get', 'pod', pod, '-n', copy, '-o', 'json');
    const { status } = JSON.parse(said) as Pod;
    const [init] = status?.initContainerStatuses ?? [];
    return (init?.restartCount ?? 0) > 0 || init?.state?.terminated !== undefined
      ? true
      : undefined;
  });
  const after = await world.until('payments', 'Ready', 'True', { namespace: origin });
  expect(countedOf(after)).toEqual(countedOf(before));
});

test('a quota that refuses growth is told, and the database is stopped all the same', async () => {
  const hard = { 'requests.storage': '1Gi' };
  const metadata = { name: 'storage', namespace: origin };
  const quota = { apiVersion: 'v1', kind: 'ResourceQuota', metadata, spec: { hard } };
  await cluster.apply([quota]);
  await eventually('the quota counts', async () => {
    const said = await cluster.kubectl('get', 'quota', 'storage', '-n', origin, '-o', 'json');
    const { status } = JSON.parse(said) as { status?: { used?: Record<string, string> } };
    return status?.used?.['requests.storage'] === '1Gi' ? true : undefined;
  });
  const namespace = origin;
  await world.patch('payments', { storage: { sizeGb: 2 } }, namespace);
  const refused = await world.until('payments', 'StorageReady', 'False', {
    reason: 'ExpansionFailed',
    namespace,
  });
  expect(conditionOf(refused, 'StorageReady')?.message).toContain('exceeded quota');
  expect(conditionOf(refused, 'Available')?.status).toBe('True');
  await world.patch('payments', { suspend: true }, namespace);
  const asleep = await world.until('payments', 'Suspended', 'True', { namespace });
  expect(await world.pods(asleep)).toEqual([]);
  await cluster.apply([{ ...quota, spec: { hard: { 'requests.storage': '2Gi' } } }]);
  await world.patch('payments', { suspend: false }, namespace);
  const grown = await eventually('the volume has grown', async () => {
    const database = await world.until('payments', 'Ready', 'True', { namespace });
    return database.status?.storage?.capacityGb === 2 ? database : undefined;
  });
  expect(conditionOf(grown, 'StorageReady')?.status).toBe('True');
});

test('nothing of the copy was changed, marked or deleted meanwhile', async () => {
  const items = await copied(copy);
  expect(items.map(({ kind }) => kind)).toEqual(
    expect.arrayContaining(['StatefulSet', 'Service', 'PersistentVolumeClaim', 'Pod']),
  );
  const volumes = await copied(copyOfVolumes);
  expect(volumes).toHaveLength(1);
  for (const { kind, metadata } of [...items, ...volumes]) {
    const writers = metadata.managedFields?.map(({ manager }) => manager) ?? [];
    expect([kind, writers.filter((one) => one?.startsWith('ledgerhouse'))]).toEqual([kind, []]);
    expect(metadata.deletionTimestamp).toBeUndefined();
    expect(metadata.annotations?.[annotations.purgeAt]).toBeUndefined();
  }
});

test('a namespace with a database goes when it is deleted, whatever the policy', async () => {
  const namespaces = policies.map(namespaceOf);
  for (const namespace of namespaces) await world.until('payments', 'Ready', 'True', { namespace });
  const started = Date.now();
  await cluster.kubectl('delete', 'namespace', ...namespaces, '--timeout=280s');
  figure('namespaces with databases are gone', started);
});
