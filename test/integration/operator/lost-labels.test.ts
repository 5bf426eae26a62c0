/** Strangers, such as another tool that labels all it sees, take the labels from a database's objects on a real API server. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { KubeObject, Reference, Resource } from '../../../base/kube/kube.ts';
import type { RequestRecord } from '../../../base/kube/kube-http.ts';
import { annotations, labels, managedBy } from '../../../domain/names.ts';
import { resources, type Claim, type Pod } from '../../../domain/kinds.ts';
import {
  startOperatorWorld,
  type Database,
  type OperatorWorld,
} from '../../support/operator/operator-world.ts';
import {
  startTestOperator,
  untilAtRest,
  type TestOperator,
} from '../../support/operator/test-operator.ts';
import { eventually } from '../../support/shell.ts';

let world: OperatorWorld;
let operator: TestOperator;
const requests: RequestRecord[] = [];
const fieldManager = 'stranger';

const start = () =>
  startTestOperator({
    kubeConfig: world.kubeConfig,
    onRequest: (record) => requests.push(record),
  });

beforeAll(async () => {
  world = await startOperatorWorld();
  operator = await start();
});
afterAll(async () => {
  await operator?.stop();
  await world?.stop();
});

const owned = <T extends KubeObject>(resource: Resource, { metadata }: Database) =>
  world.kube.list<T>(resource, {
    namespace: metadata.namespace,
    labelSelector: `${labels.uid}=${metadata.uid}`,
  });
const referenceTo = (resource: Resource, { metadata }: KubeObject): Reference => ({
  resource,
  namespace: metadata.namespace,
  name: metadata.name ?? '',
});

/** Takes these labels from the object, or gives them other values. */
const relabel = (resource: Resource, object: KubeObject, changes: Record<string, string | null>) =>
  world.kube.mergePatch<KubeObject>(
    referenceTo(resource, object),
    { metadata: { labels: changes } },
    { fieldManager },
  );

/** Waits until the object has the labels that it had, and is the same one. */
const untilRestored = (resource: Resource, before: KubeObject, keys: readonly string[]) =>
  eventually(`${resource.kind} has its labels`, async () => {
    const now = await world.kube.read<KubeObject>(referenceTo(resource, before));
    expect(now?.metadata.uid).toBe(before.metadata.uid);
    for (const key of keys) expect(now?.metadata.labels?.[key]).toBe(before.metadata.labels?.[key]);
    return now;
  });

async function made(namespace: string, spec: object = {}): Promise<Database> {
  await world.createNamespace(namespace);
  await world.createDatabase(namespace, 'payments', spec);
  return world.until(namespace, 'payments', 'Ready', 'True');
}

// Nobody needs the index of a volume: its name has it.
const all = Object.values(labels).filter((label) => label !== labels.replica);
const maker = [labels.managedBy];
test.each<[readonly string[], string | null]>([
  [maker, null],
  [maker, 'Helm'],
  [[labels.uid], null],
  [[labels.databaseId, labels.workload, labels.topology], null],
  [all, null],
])(
  'a volume of a running database gets back what a stranger took or changed (%s → %s)',
  async (keys, value) => {
    const namespace = `lost-volume-${(count += 1)}`;
    const database = await made(namespace);
    const [before] = await owned(resources.claim, database);
    if (before === undefined) throw new Error('there is none');
    const its = keys.filter((key) => before.metadata.labels?.[key] !== undefined);
    expect(its).not.toEqual([]);
    await relabel(resources.claim, before, Object.fromEntries(its.map((key) => [key, value])));
    await untilRestored(resources.claim, before, its);
    const after = await world.until(namespace, 'payments', 'Ready', 'True');
    expect(after.status).toMatchObject({ workload: database.status?.workload });
    await untilAtRest(requests, 3_000);
  },
);

test.each([[maker], [[labels.uid, labels.managedBy]]])(
  'a pod of a running database that lost labels counts as before, and is told with what gives them back (%s)',
  async (keys) => {
    const namespace = `lost-pod-${(count += 1)}`;
    const database = await made(namespace);
    const [pod] = await owned<Pod>(resources.pod, database);
    if (pod === undefined) throw new Error('there is none');
    const lost = await relabel(
      resources.pod,
      pod,
      Object.fromEntries(keys.map((key) => [key, null])),
    );
    const told = await world.until(namespace, 'payments', 'Stalled', 'True', 'ChangedByAdmission');
    const row = (type: string) => told.status?.conditions?.find((one) => one.type === type);
    expect(row('ReplicasHealthy')?.status).toBe('True');
    expect(row('Stalled')?.message).toContain(`${labels.managedBy}=${managedBy}`);
    await untilAtRest(requests, 3_000);
    const now = await world.kube.read<Pod>(referenceTo(resources.pod, pod));
    expect(now?.metadata.labels).toEqual(lost.metadata.labels);
    await relabel(
      resources.pod,
      pod,
      Object.fromEntries(keys.map((key) => [key, pod.metadata.labels?.[key] ?? null])),
    );
    await world.until(namespace, 'payments', 'Ready', 'True');
  },
);
let count = 0;

test('a volume that lost its label while no operator ran gets it back from the next one', async () => {
  const database = await made('unwatched');
  await operator.stop();
  const [claim] = await owned<Claim>(resources.claim, database);
  if (claim === undefined) throw new Error('there is none');
  const every = Object.keys(claim.metadata.labels ?? {});
  await relabel(resources.claim, claim, Object.fromEntries(every.map((key) => [key, null])));
  operator = await start();
  await untilRestored(
    resources.claim,
    claim,
    every.filter((key) => key !== labels.replica),
  );
});

test('volumes that lost the label of their maker are found by the database that begins with them', async () => {
  const database = await made('kept');
  const claims = await owned<Claim>(resources.claim, database);
  await operator.stop();
  for (const claim of claims) await relabel(resources.claim, claim, { [labels.managedBy]: null });
  await world.deleteDatabase('kept', 'payments');
  operator = await start();
  await eventually('it is gone', async () =>
    (await world.database('kept', 'payments')) === undefined ? true : undefined,
  );
  await eventually('its pods are gone', async () =>
    (await owned<Pod>(resources.pod, database)).length === 0 ? true : undefined,
  );
  // Whoever takes the label from a volume that has no database keeps it.
  const [kept] = await owned<Claim>(resources.claim, database);
  expect(kept?.metadata.annotations?.[annotations.purgeAt]).toBeUndefined();
  const databaseId = database.status?.databaseId ?? '';
  await world.createDatabase('kept', 'again', { bootstrap: { volumes: { databaseId } } });
  const again = await world.until('kept', 'again', 'Ready', 'True');
  const adopted = await owned<Claim>(resources.claim, again);
  expect(adopted.map(({ metadata }) => metadata.uid)).toEqual(
    claims.map(({ metadata }) => metadata.uid),
  );
  for (const { metadata } of adopted) {
    expect(metadata.labels?.[labels.managedBy]).toBe(managedBy);
  }
});

test('a volume that lost the label of its maker goes with its database under the policy Delete', async () => {
  const database = await made('whole', { deletionPolicy: 'Delete' });
  const [claim] = await owned<Claim>(resources.claim, database);
  if (claim === undefined) throw new Error('there is none');
  await operator.stop();
  await relabel(resources.claim, claim, { [labels.managedBy]: null });
  await world.deleteDatabase('whole', 'payments');
  operator = await start();
  await eventually('the volume is gone with its database', async () => {
    const left = await world.kube.read(referenceTo(resources.claim, claim));
    const its = await world.database('whole', 'payments');
    return left === undefined && its === undefined ? true : undefined;
  });
});

test('an object that only looks like one of a database keeps the labels that it has', async () => {
  const database = await made('alike');
  await world.createNamespace('alike-copy');
  const [claim] = await owned<Claim>(resources.claim, database);
  const { workload = '', clusterId = '' } = database.status ?? {};
  const of = (namespace: string, name: string, its: Record<string, string>): Claim => ({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      namespace,
      name,
      labels: its,
      annotations: { [annotations.formatted]: `${clusterId}/1` },
    },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  });
  const theirs = [
    of('alike', 'data-shop-0', { [labels.uid]: database.metadata.uid ?? '' }),
    of('alike', `data-${workload}-7`, { [labels.uid]: database.metadata.uid ?? '' }),
    of('alike', `data-${workload}-old`, { [labels.uid]: database.metadata.uid ?? '' }),
    of('alike', `data-${workload}-1`, { [labels.uid]: 'another' }),
    of('alike-copy', claim?.metadata.name ?? '', { [labels.uid]: database.metadata.uid ?? '' }),
  ];
  for (const one of theirs) await world.kube.create(resources.claim, one, { fieldManager });
  await world.patchDatabase('alike', 'payments', {
    metadata: { annotations: { looked: 'now' } },
  });
  await untilAtRest(requests, 3_000);
  for (const one of theirs) {
    const now = await world.kube.read<Claim>(referenceTo(resources.claim, one));
    expect(now?.metadata.labels).toEqual(one.metadata.labels);
  }
  await world.until('alike', 'payments', 'Ready', 'True');
});
