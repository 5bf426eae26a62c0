/**
 * An operator that looks after some namespaces only, under the roles that the chart gives it for that, on a real control plane:
 * it asks for nothing of other namespaces, and could not get it.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { KubeConfig } from '@kubernetes/client-node';
import { createKube, type RequestRecord } from '../../../base/kube/kube-http.ts';
import type { KubeObject, Reference, Resource } from '../../../base/kube/kube.ts';
import { resources, type Claim } from '../../../domain/kinds.ts';
import { annotations } from '../../../domain/names.ts';
import { ChartRights } from '../../support/charts/chart-rights.ts';
import { startOperatorWorld, type OperatorWorld } from '../../support/operator/operator-world.ts';
import { eventually } from '../../support/shell.ts';
import { startTestOperator, type TestOperator } from '../../support/operator/test-operator.ts';

const watched = ['team-a', 'team-b'];
const roleBinding: Resource = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'RoleBinding',
  plural: 'rolebindings',
  namespaced: true,
};
const bindingName = 'ledgerhouse-operator-databases';
let world: OperatorWorld;
let rights: ChartRights;
let operator: TestOperator;
let kubeConfig: KubeConfig;
const requests: RequestRecord[] = [];

beforeAll(async () => {
  world = await startOperatorWorld();
  rights = await ChartRights.prepare(world, [`operator.watchNamespaces={${watched.join(',')}}`]);
  for (const name of [...watched, 'team-c']) await world.createNamespace(name);
  await rights.applyTemplate('templates/operator-rights.yaml');
  await rights.applyTemplate('templates/operator-policy.yaml');
  kubeConfig = new KubeConfig();
  kubeConfig.loadFromFile(await rights.kubeconfigOf('ledgerhouse-operator'));
  operator = await startTestOperator({
    kubeConfig,
    namespaces: watched,
    onRequest: (record) => requests.push(record),
  });
});
afterAll(async () => {
  await operator?.stop();
  await world?.stop();
  rights?.remove();
});

test('databases of the watched namespaces live and go, and those of others are nobody’s', async () => {
  await world.createDatabase('team-c', 'ignored', {});
  for (const namespace of watched) await world.createDatabase(namespace, 'payments', {});
  for (const namespace of watched) await world.until(namespace, 'payments', 'Ready', 'True');
  await world.patchDatabase('team-a', 'payments', { spec: { suspend: true } });
  await world.until('team-a', 'payments', 'Suspended', 'True');
  expect((await world.database('team-b', 'payments'))?.spec.suspend).toBe(false);
  expect((await world.database('team-c', 'ignored'))?.status).toBeUndefined();
  await world.deleteDatabase('team-a', 'payments');
  const forbidden = requests.filter(({ code }) => code === 401 || code === 403);
  expect(forbidden).toEqual([]);
  const elsewhere = requests.filter(
    ({ resource, namespace }) => resource.namespaced && !watched.includes(namespace ?? ''),
  );
  // Beside it are the pods of the sweep of the bucket.
  const asked = elsewhere.map(({ verb, resource, namespace: where }) =>
    [verb, resource.plural, where].join(' '),
  );
  expect(new Set(asked)).toEqual(new Set(['list pods ledgerhouse-system']));
});

test('a namespace whose role is gone keeps no operator from the others, and is looked after once it has one again', async () => {
  await operator.stop();
  const binding: Reference = { resource: roleBinding, namespace: 'team-b', name: bindingName };
  const found = await world.kube.read<KubeObject>(binding);
  await world.kube.delete(binding, { uid: found?.metadata.uid ?? '' });
  const mine = createKube(kubeConfig);
  await eventually('the rights are gone', async () => {
    const refused = mine.list(resources.pod, { namespace: 'team-b' });
    return refused.then(
      () => undefined,
      () => true,
    );
  });
  await mine.close();
  operator = await startTestOperator({ kubeConfig, namespaces: watched });
  expect(operator.operator.synced).toBe(true);
  await world.createDatabase('team-a', 'orders', {});
  await world.until('team-a', 'orders', 'Ready', 'True');
  await world.createDatabase('team-b', 'orders', {});
  expect((await world.database('team-b', 'orders'))?.status).toBeUndefined();
  await rights.applyTemplate('templates/operator-rights.yaml');
  await world.until('team-b', 'orders', 'Ready', 'True');
});

test('the account of that operator gets nothing of other namespaces', async () => {
  const kube = createKube(kubeConfig);
  const forbidden = { status: 403 };
  try {
    await expect(kube.list(resources.database)).rejects.toMatchObject(forbidden);
    await expect(kube.list(resources.pod, { namespace: 'team-c' })).rejects.toMatchObject(forbidden);
    expect(await kube.list(resources.database, { namespace: 'team-b' })).toHaveLength(2);
  } finally {
    await kube.close();
  }
});

const claimsIn = (namespace: string) => world.kube.list<Claim>(resources.claim, { namespace });

test('a database under Delete goes with its volume, though nothing holds it until then', async () => {
  const before = (await claimsIn('team-a')).length;
  await world.createDatabase('team-a', 'short', { deletionPolicy: 'Delete' });
  const ready = await world.until('team-a', 'short', 'Ready', 'True');
  expect(ready.metadata.finalizers ?? []).toEqual([]);
  await eventually('the volume knows', async () =>
    (await claimsIn('team-a')).find(
      ({ metadata }) => metadata.annotations?.[annotations.deletionPolicy] === 'Delete',
    ),
  );
  await world.deleteDatabase('team-a', 'short');
  await eventually('the volume is gone', async () =>
    (await claimsIn('team-a')).length === before ? true : undefined,
  );
});

test('a namespace goes with a database under Delete, though the operator lost its rights there first', async () => {
  await world.createDatabase('team-b', 'held', { deletionPolicy: 'Delete' });
  await world.until('team-b', 'held', 'Ready', 'True');
  const binding = { resource: roleBinding, namespace: 'team-b', name: bindingName };
  const found = await world.kube.read<KubeObject>(binding);
  await world.kube.delete(binding, { uid: found?.metadata.uid ?? '' });
  await world.deleteNamespace('team-b');
  await eventually('the namespace is gone', async () =>
    (await world.kube.read({ resource: resources.namespace, name: 'team-b' })) === undefined
      ? true
      : undefined,
  );
});

test('only the catalog, storage classes and nodes need rights in the whole cluster', async () => {
  const roles = (await rights.templateOf('templates/operator-rights.yaml')).filter(
    ({ kind }) => kind === 'ClusterRole',
  );
  const needed = roles.flatMap(({ rules = [] }) => rules.flatMap((rule) => [...rule.resources]));
  expect(needed.sort()).toEqual(['ledgercatalogs', 'ledgercatalogs/status', 'nodes', 'storageclasses']);
});
