import { expect, test } from '@jest/globals';
import { planOf } from '../../test/support/operator/plan-of.ts';
import { cachesOf, SimulatedCluster } from '../../test/support/operator/simulated-cluster.ts';
import { annotations, labels } from '../../domain/names.ts';
import { resources } from '../../domain/kinds.ts';
import type { DatabaseObject } from '../../domain/custom-resources.ts';
import { ApiError, type KubeObject } from '../../base/kube/kube.ts';
import { act } from './act.ts';
import { belongsTo } from './belongs-to.ts';
import { LiveView, observeCaches } from './observe.ts';
import { plan } from './plan.ts';

test('a copy of a namespace counts into no database of the first one', () => {
  const { observed } = planOf({ kind: { engine: 'TigerBeetle', topology: 'ha-3' } });
  const original: readonly KubeObject[] = Object.values(observed.owned).flat();
  expect(original.length).toBeGreaterThan(10);
  const copies = original.map((object) => ({
    ...object,
    metadata: { ...object.metadata, namespace: 'org-copy', uid: `copy-${object.metadata.uid}` },
  }));
  const all = new Map(
    [...original, ...copies].map((object) => [
      `${object.kind}/${object.metadata.namespace}/${object.metadata.name}`,
      object,
    ]),
  );
  const database = observed.database as unknown as DatabaseObject;
  expect(observeCaches(cachesOf(all), database).owned).toEqual(observed.owned);
});

const healthy = { kind: { engine: 'TigerBeetle', topology: 'ha-3' } } as const;

/** A copy with the same labels, and another name and controller. */
function copyOf<T extends KubeObject>(object: T | undefined, name: string, owner?: object): T {
  if (object === undefined) throw new Error('there is none to copy');
  const { ownerReferences: _, ...metadata } = object.metadata;
  const owners = owner === undefined ? {} : { ownerReferences: [{ ...owner, controller: true }] };
  return { ...object, metadata: { ...metadata, ...owners, name, uid: `copy-${name}` } };
}

const byName = (objects: readonly KubeObject[]) =>
  new Map(objects.map((object) => [`${object.kind}/${object.metadata.name}`, object]));

test('objects of a tenant with the labels of a database count for nothing and are left alone', () => {
  const { observed, draft } = planOf(healthy);
  const { owned } = observed;
  const replicaSet = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'shop', uid: 'shop' };
  const another = { apiVersion: 'v1', kind: 'LedgerDatabase', name: 'x', uid: 'x' };
  const theirs: readonly KubeObject[] = [
    copyOf(owned.pods[0], 'shop-0'),
    copyOf(owned.pods[0], 'payments-5e1f0c-0-debug'),
    copyOf(owned.pods[0], 'payments-5e1f0c-7', replicaSet),
    copyOf(owned.claims[0], 'data-shop-0'),
    copyOf(owned.claims[0], 'data-payments-5e1f0c-old'),
    copyOf(owned.statefulSets[0], 'shop'),
    copyOf(owned.services[0], 'shop-0'),
    copyOf(owned.services[0], 'payments-5e1f0c-9', another),
    copyOf(owned.networkPolicies[0], 'shop'),
    copyOf(owned.configMaps[0], 'shop'),
    copyOf(owned.podDisruptionBudgets[0], 'shop'),
  ];
  const database = observed.database as unknown as DatabaseObject;
  const seen = observeCaches(
    cachesOf(byName([...Object.values(owned).flat(), ...theirs])),
    database,
  );
  expect(seen.owned).toEqual(owned);
  expect(plan({ ...observed, ...seen }, { operatorNamespace: 'ledgerhouse-system' })).toEqual(
    draft,
  );
});

test('pods of a StatefulSet that is gone still belong to the database: they use its volumes', () => {
  const { owned, database } = planOf(healthy).observed;
  expect(owned.pods).toHaveLength(3);
  for (const pod of owned.pods) {
    const name = pod.metadata.name ?? '';
    expect(belongsTo(database, copyOf(pod, name))).toBe(true);
    const set = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'payments-5e1f0c', uid: 'old' };
    expect(belongsTo(database, copyOf(pod, name, set))).toBe(true);
  }
});

test('volumes belong to a database whose status was lost', () => {
  const { owned, database } = planOf(healthy).observed;
  const lost = { ...database, status: {} };
  expect(owned.claims.every((claim) => belongsTo(lost, claim))).toBe(true);
  expect(belongsTo(lost, copyOf(owned.claims[0], 'data-shop-0'))).toBe(false);
});

test('a volume of a replica too many belongs to the database, also without the label of its maker', () => {
  const { owned, database } = planOf(healthy).observed;
  const surplus = copyOf<KubeObject>(owned.claims[0], 'data-payments-5e1f0c-7');
  const without = withLabels(surplus, { [labels.managedBy]: undefined });
  expect(belongsTo(database, without)).toBe(true);
  expect(belongsTo(database, withLabels(without, { [labels.workload]: undefined }))).toBe(false);
});

test('a volume that a backup has replaced is adopted by nobody who names the ID of its database', () => {
  const { owned, database } = planOf(healthy).observed;
  const [claim] = owned.claims;
  const id = claim?.metadata.labels?.[labels.databaseId] ?? '';
  const heir = {
    ...database,
    metadata: { ...database.metadata, uid: '7c4d0000-0000-4000-8000-000000000002' },
    spec: { ...database.spec, bootstrap: { volumes: { databaseId: id } } },
  } as DatabaseObject;
  const found = (replacedBy?: string) => {
    const cluster = new SimulatedCluster();
    const noted = replacedBy === undefined ? {} : { [annotations.replacedBy]: replacedBy };
    const metadata = {
      ...claim?.metadata,
      annotations: { ...claim?.metadata.annotations, ...noted },
    };
    cluster.put({ ...claim, metadata } as KubeObject);
    return observeCaches(cachesOf(cluster.objects), heir).inheritance?.claims.length;
  };
  expect([found(), found('payments-final')]).toEqual([1, 0]);
});

test('volumes beside one that a backup has replaced are adopted by nobody either, for the operator may have been kept from marking them', () => {
  const { owned, database } = planOf({
    ...healthy,
    kind: { engine: 'Builtin', topology: 'ha-3' },
  }).observed;
  const id = owned.claims[0]?.metadata.labels?.[labels.databaseId] ?? '';
  const heir = {
    ...database,
    metadata: { ...database.metadata, uid: '7c4d0000-0000-4000-8000-000000000002' },
    spec: { ...database.spec, bootstrap: { volumes: { databaseId: id } } },
  } as DatabaseObject;
  const cluster = new SimulatedCluster();
  for (const [index, claim] of owned.claims.entries()) {
    const noted = index === 0 ? { [annotations.replacedBy]: 'payments-final' } : {};
    const metadata = {
      ...claim.metadata,
      annotations: { ...claim.metadata.annotations, ...noted },
    };
    cluster.put({ ...claim, metadata });
  }
  expect(owned.claims).toHaveLength(3);
  expect(observeCaches(cachesOf(cluster.objects), heir).inheritance?.claims).toEqual([]);
});

test('a StatefulSet that lost its labels is found by its name, also when the status was lost', async () => {
  const { observed } = planOf(healthy);
  const [set] = observed.owned.statefulSets;
  if (set === undefined) throw new Error('there is no StatefulSet');
  const lost = { ...observed.database, status: {} } as unknown as DatabaseObject;
  const seenOf = async (object: KubeObject) => {
    const cluster = new SimulatedCluster();
    cluster.put({ ...object, metadata: { ...object.metadata, labels: {} } });
    const view = new LiveView();
    await view.read(cluster, lost, ['statefulSets']);
    return view.over({ ...observed, inheritance: undefined, retained: [] }).owned.statefulSets;
  };
  expect(await seenOf(set)).toMatchObject([{ metadata: { name: set.metadata.name } }]);
  const shop = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'shop', uid: 'shop' };
  expect(await seenOf(copyOf(set, set.metadata.name ?? '', shop))).toEqual([]);
});

test('an object that another controller owns is not taken over, whatever its labels say', async () => {
  const { observed, draft } = planOf({ ...healthy, surroundings: 'absent' });
  const policies = draft.actions.filter(({ purpose }) => purpose === 'networkPolicy');
  const [action] = policies;
  if (action?.verb !== 'create') throw new Error('no policy is made');
  const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'shop', uid: 'shop' };
  const cluster = new SimulatedCluster();
  const theirs = cluster.put(copyOf(action.object, 'payments-5e1f0c', deployment));
  const refusals = await act(cluster, observed.database, policies, () => {});
  expect(refusals).toMatchObject([
    { reason: 'NameTaken', message: expect.stringContaining('belongs to Deployment shop') },
  ]);
  expect([...cluster.objects.values()]).toEqual([theirs]);
});

/** The actions of a plan that makes a NetworkPolicy, and a cluster that has it already, changed. */
function made(change: (policy: KubeObject) => KubeObject) {
  const { observed, draft } = planOf({ ...healthy, surroundings: 'absent' });
  const actions = draft.actions.filter(({ purpose }) => purpose === 'networkPolicy');
  const [action] = actions;
  if (action?.verb !== 'create') throw new Error('no policy is made');
  const cluster = new SimulatedCluster();
  const live = cluster.put(change(action.object));
  const run = () => act(cluster, observed.database, actions, () => {});
  const now = () => cluster.objects.get(`NetworkPolicy/${live.metadata.name}`);
  return { run, now, live, desired: action.object, cluster };
}
const withLabels = (
  object: KubeObject,
  change: Record<string, string | undefined>,
): KubeObject => ({
  ...object,
  metadata: {
    ...object.metadata,
    labels: Object.fromEntries(
      Object.entries({ ...object.metadata.labels, ...change }).flatMap(([key, value]) =>
        value === undefined ? [] : [[key, value]],
      ),
    ),
  },
});

test.each([
  ['the label of its maker', { [labels.managedBy]: undefined }],
  ['the right one of its database', { [labels.uid]: 'another' }],
  ['all labels', Object.fromEntries(Object.values(labels).map((label) => [label, undefined]))],
])('an object of the database that has lost %s gets its labels back', async (_, lost) => {
  const { run, now, live, desired } = made((object) => withLabels(object, lost));
  expect(await run()).toEqual([]);
  expect(now()?.metadata).toMatchObject({
    uid: live.metadata.uid,
    labels: desired.metadata.labels,
  });
});

test.each([
  [403, 'exceeded quota: objects'],
  [422, 'is invalid'],
  [400, 'denied the request'],
])(
  'an object that lost its label is found also where %d refuses another one',
  async (status, why) => {
    const { run, now, cluster, live, desired } = made((object) =>
      withLabels(object, { [labels.managedBy]: undefined }),
    );
    cluster.create = () => Promise.reject(new ApiError(why, { status, reason: 'Forbidden' }));
    expect(await run()).toEqual([]);
    expect(now()?.metadata).toMatchObject({
      uid: live.metadata.uid,
      labels: desired.metadata.labels,
    });
  },
);

test('a refused creation is told in the words of its refusal where none is there', async () => {
  const { run, cluster, live } = made((object) => object);
  await cluster.delete(
    { resource: resources.networkPolicy, name: live.metadata.name ?? '' },
    { uid: live.metadata.uid ?? '' },
  );
  cluster.move();
  cluster.create = () =>
    Promise.reject(new ApiError('exceeded quota: objects', { status: 403, reason: 'Forbidden' }));
  expect(await run()).toMatchObject([
    { reason: 'RefusedByApiServer', message: expect.stringContaining('exceeded quota: objects') },
  ]);
});

test('an object of the database that is being deleted is no fault of admission', async () => {
  const { run, now, desired } = made((object) => {
    const lost = withLabels(object, { [labels.managedBy]: undefined });
    return { ...lost, metadata: { ...lost.metadata, deletionTimestamp: '2026-11-21T09:59:00Z' } };
  });
  expect(await run()).toEqual([]);
  expect(now()?.metadata.labels).toEqual(desired.metadata.labels);
});

test('admission that removes the labels of our objects is named, and nothing is made over and over', async () => {
  const { run, cluster } = made((object) => withLabels(object, { [labels.managedBy]: undefined }));
  cluster.admission = (object) =>
    withLabels(object, { [labels.managedBy]: undefined }) as typeof object;
  expect(await run()).toMatchObject([
    {
      reason: 'ChangedByAdmission',
      message: expect.stringContaining(`removes or changes the label ${labels.managedBy}`),
    },
  ]);
});

test('an object that is there already, and that the caches have not shown yet, is taken as it is', async () => {
  const { run, now, live } = made((object) => object);
  expect(await run()).toEqual([]);
  expect(now()).toEqual(live);
});

test('a Service whose address is refused because it has that address already is found by its name', async () => {
  const { observed, draft } = planOf(healthy, { 0: { service: 'absent' } });
  const actions = draft.actions.filter(({ purpose }) => purpose === 'service');
  const [action] = actions;
  if (action?.verb !== 'create') throw new Error('no Service is made');
  const cluster = new SimulatedCluster();
  const live = cluster.put(withLabels(action.object, { [labels.managedBy]: undefined }));
  cluster.create = () =>
    Promise.reject(new ApiError('is already allocated', { status: 422, reason: 'Invalid' }));
  expect(await act(cluster, observed.database, actions, () => {})).toEqual([]);
  const now = cluster.objects.get(`Service/${live.metadata.name}`);
  expect(now?.metadata.labels).toEqual(action.object.metadata.labels);
});

/** A Service that an earlier POST made, with a type that somebody has given it since and the policy of the chart refuses. */
function edited() {
  const { observed, draft } = planOf(healthy, { 0: { service: 'meddled' } });
  const actions = draft.actions.filter(({ purpose }) => purpose === 'service');
  const [action] = actions;
  if (action?.verb !== 'apply') throw new Error('no Service is applied');
  const cluster = new SimulatedCluster();
  const entry = {
    manager: 'ledgerhouse-operator',
    operation: 'Update',
    fieldsV1: { 'f:spec': {} },
  };
  const { metadata, ...others } = action.object;
  const live = cluster.put({
    ...others,
    metadata: { ...metadata, managedFields: [entry] },
    spec: { type: 'LoadBalancer' },
  } as KubeObject);
  cluster.admission = (object) => {
    const { spec } = object as unknown as { spec: { type: string } };
    if (spec.type !== 'ClusterIP')
      throw new ApiError('reached only inside', { status: 403, reason: 'Forbidden' });
    return object;
  };
  const run = () => act(cluster, observed.database, actions, () => {});
  const now = () => cluster.objects.get(`Service/${live.metadata.name}`);
  return { run, now, cluster };
}

test('a change against the policy of our account is put right, and its fields are ours to drop', async () => {
  const { run, now } = edited();
  expect(await run()).toEqual([]);
  expect(now()).toMatchObject({
    spec: { type: 'ClusterIP' },
    metadata: { managedFields: [{ operation: 'Apply' }] },
  });
});

test('the news of a watch after a list counts: such as a volume that is being deleted by now', async () => {
  const { observed } = planOf(healthy);
  const database = observed.database as unknown as DatabaseObject;
  const cluster = new SimulatedCluster();
  for (const object of Object.values(observed.owned).flat()) cluster.put(object as KubeObject);
  const live = new LiveView();
  await live.read(cluster, database, ['claims', 'pods']);
  const before = new Map(cluster.objects);
  const claim = cluster.all('PersistentVolumeClaim')[1];
  if (claim === undefined) throw new Error('there is no volume');
  const deletionTimestamp = '2026-11-21T10:00:00Z';
  const going = cluster.put({ ...claim, metadata: { ...claim.metadata, deletionTimestamp } });
  const claimsWith = (objects: ReadonlyMap<string, KubeObject>) =>
    live.over(observeCaches(cachesOf(objects), database)).owned.claims;
  expect(claimsWith(cluster.objects)).toContainEqual(going);
  expect(claimsWith(cluster.objects)).toHaveLength(3);
  // Caches that have not got as far change nothing, nor do those that hold nothing.
  expect(claimsWith(before)).toContainEqual(claim);
  expect(claimsWith(new Map())).toHaveLength(3);
});
