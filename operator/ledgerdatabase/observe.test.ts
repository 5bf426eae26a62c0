import { expect, test } from '@jest/globals';
import { planOf } from '../../test/support/operator/plan-of.ts';
import { cachesOf, SimulatedCluster } from '../../test/support/operator/simulated-cluster.ts';
import type { DatabaseObject } from '../../domain/custom-objects.ts';
import type { KubeObject } from '../../base/kube/kube.ts';
import { act } from './act.ts';
import { belongsTo } from './belongs-to.ts';
import { observeCaches } from './observe.ts';
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

test('an object that another controller owns is not taken over, whatever its labels say', async () => {
  const { observed, draft } = planOf({ ...healthy, surroundings: 'absent' });
  const policies = draft.actions.filter(({ purpose }) => purpose === 'networkPolicy');
  const [action] = policies;
  if (action?.verb !== 'apply') throw new Error('no policy is made');
  const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'shop', uid: 'shop' };
  const cluster = new SimulatedCluster();
  const theirs = cluster.put(copyOf(action.object, 'payments-5e1f0c', deployment));
  const refusals = await act(cluster, observed.database, policies, () => {});
  expect(refusals).toMatchObject([
    { reason: 'NameTaken', message: expect.stringContaining('belongs to Deployment shop') },
  ]);
  expect([...cluster.objects.values()]).toEqual([theirs]);
});
