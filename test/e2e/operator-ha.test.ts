/** Three replicas on three nodes, and two operators: failures are repaired, and upgraded databases go on serving. */
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { resources, type Job, type Pod, type PodDisruptionBudget } from '../../domain/kinds.ts';
import type { KubeObject } from '../../base/kube/kube.ts';
import { annotations } from '../../domain/names.ts';
import { startTestCluster, type TestCluster } from '../support/cluster/cluster.ts';
import {
  conditionOf,
  figure,
  install,
  realTigerBeetle,
  systemNamespace,
  type Installation,
} from '../support/cluster/installation.ts';
import type { Database } from '../support/operator/operator-world.ts';
import { killInPod, restarts } from '../support/engine/pod-process.ts';
import { eventually } from '../support/shell.ts';
import { still } from '../support/still.ts';

jest.setTimeout(25 * 60_000);

let cluster: TestCluster;
let world: Installation;
const three = { engine: 'TigerBeetle', topology: 'ha-3', size: 'lh-40' } as const;

beforeAll(async () => {
  cluster = await startTestCluster({ nodes: 3 });
  const engines = realTigerBeetle
    ? (['ledger-client'] as const)
    : (['tigerbeetle-double', 'tigerbeetle-double-next'] as const);
  world = await install(cluster, ['operator-next', ...engines]);
});
afterAll(async () => cluster?.down());

const changedMs = (database: Database, type: string) =>
  Date.parse(conditionOf(database, type)?.lastTransitionTime ?? '');

interface Lease extends KubeObject {
  readonly spec?: { readonly holderIdentity?: string };
}
const inSystem = (...args: string[]) => cluster.kubectl('-n', systemNamespace, ...args);
const operators = () => {
  const labelSelector = 'app.kubernetes.io/name=ledgerhouse-operator';
  return cluster.list<Pod>(resources.pod, { namespace: systemNamespace, labelSelector });
};
const holder = async () => {
  const [resource, name] = [resources.lease, 'ledgerhouse-operator'];
  const lease = await cluster.read<Lease>({ resource, namespace: systemNamespace, name });
  return lease?.spec?.holderIdentity ?? '';
};
const leader = async () => {
  const identity = await eventually('a leader', async () => (await holder()) || undefined);
  const pod = (await operators()).find((one) => identity.startsWith(one.metadata.name ?? ''));
  if (pod === undefined) throw new Error(`no pod is named as the leader ${identity}`);
  return { identity, pod };
};
const anotherLeader = (before: string) =>
  eventually('another leader', async () => {
    const now = await holder();
    return now === '' || now === before ? undefined : now;
  });

test('three replicas are ready, each on a node of its own and under an address of its own', async () => {
  const started = Date.now();
  await world.create('three', three);
  const database = await world.until('three', 'Ready', 'True');
  figure('three replicas are Ready', started);
  const pods = await world.pods(database);
  expect(new Set(pods.map((pod) => pod.spec?.nodeName)).size).toBe(3);
  const ips = database.status?.endpoints?.map((endpoint) => endpoint.ip) ?? [];
  expect(new Set(ips).size).toBe(3);
  expect(database.status?.addresses).toBe(ips.map((ip) => `${ip}:3001`).join(','));
  const [budget] = await world.owned<PodDisruptionBudget>('podDisruptionBudget', database);
  expect(budget?.spec).toMatchObject({ maxUnavailable: 1 });
  const row = await cluster.kubectl('get', 'ldb', 'three', '--no-headers');
  expect(row).toMatch(/^three +TigerBeetle +ha-3 +lh-40 +3\/3 +True +AllHealthy +0\.17\.8 +1Gi /);
  if (realTigerBeetle) {
    const client = await world.client(database);
    expect(await client('create', '10')).toBe('10');
  }
});

test('an operator that is killed while a database is being made: another leads and makes it', async () => {
  const { identity, pod } = await leader();
  await world.create('orphaned', three);
  await eventually('the first write', async () =>
    (await world.get('orphaned')).status?.databaseId === undefined ? undefined : true,
  );
  const killed = Date.now();
  killInPod(pod, 'operator/main.js');
  await anotherLeader(identity);
  figure('another operator leads after a kill', killed);
  const database = await world.until('orphaned', 'Ready', 'True');
  await eventually('its Jobs are gone', async () =>
    (await world.owned('job', database)).length === 0 ? true : undefined,
  );
});

test('an operator that is stopped hands over', async () => {
  await eventually('both operators are ready', async () => {
    const ready = (await operators()).filter(
      (pod) => pod.status?.containerStatuses?.[0]?.ready === true,
    );
    return ready.length === 2 ? true : undefined;
  });
  const { identity, pod } = await leader();
  const stopped = Date.now();
  await inSystem('delete', 'pod', pod.metadata.name ?? '', '--wait=false');
  await anotherLeader(identity);
  figure('another operator leads after a stop', stopped);
});

test('a replica that is killed: the database stays available, says so, and is whole again by itself', async () => {
  const before = await world.until('three', 'Ready', 'True');
  const pod = (await world.pods(before))[1];
  if (pod === undefined) throw new Error('no second replica');
  let killed = 0;
  const kill = () => {
    killInPod(pod, 'start --addresses=');
    killed = Date.now();
  };
  const seen = await world.watching('three', async () => {
    kill();
    await eventually('it is told', async () => {
      const database = await world.get('three');
      if (changedMs(database, 'ReplicasHealthy') > changedMs(before, 'ReplicasHealthy'))
        return true;
      // Back before anybody saw that it was gone: killed again, it is kept waiting by its node.
      if (Date.now() - killed > 5_000) kill();
      return undefined;
    });
    figure('a killed replica is told of', killed);
    await world.until('three', 'Ready', 'True');
    figure('a killed replica is back', killed);
  });
  expect(new Set(seen.map((one) => conditionOf(one, 'Available')?.status))).toEqual(
    new Set(['True']),
  );
});

test('a replica whose volume is lost is made again from the others, and the database stays available', async () => {
  const before = await world.until('three', 'Ready', 'True');
  const lost = (await world.claims(before)).find((one) => one.metadata.name?.endsWith('-1'));
  const name = lost?.metadata.name ?? '';
  const jobs = new Set<string>();
  const deleted = Date.now();
  const seen = await world.watching('three', async () => {
    await cluster.kubectl('delete', 'pvc', name, '--wait=false');
    const pod = `${before.status?.workload}-1`;
    await cluster.kubectl('delete', 'pod', pod, '--force', '--grace-period=0');
    await world.until('three', 'ReplicasHealthy', 'False');
    figure('a lost replica is told of', deleted);
    await eventually(
      'the replica is made again',
      async () => {
        const made = await world.owned<Job>('job', before);
        for (const job of made) jobs.add(job.metadata.name ?? '');
        const ready = conditionOf(await world.get('three'), 'Ready')?.status === 'True';
        return ready && made.length === 0 ? true : undefined;
      },
      600_000,
    );
  });
  figure('a lost replica is made again', deleted);
  expect([...jobs]).toEqual([`${before.status?.workload}-recover-1`]);
  expect(new Set(seen.map((one) => conditionOf(one, 'Available')?.status))).toEqual(
    new Set(['True']),
  );
  const after = await world.get('three');
  expect(after.status?.addresses).toBe(before.status?.addresses);
  const again = (await world.claims(after)).find((one) => one.metadata.name === name);
  expect(again?.metadata.uid).not.toBe(lost?.metadata.uid);
  expect(again?.metadata.annotations?.[annotations.formatted]).toBe(`${after.status?.clusterId}/1`);
});

test('an upgrade replaces one replica at a time, and the new release is active only when all have it', async () => {
  const before = await world.until('three', 'Ready', 'True');
  const started = Date.now();
  const seen = await world.watching('three', async () => {
    await world.patch('three', { version: '0.17.9' });
    await world.until('three', 'Ready', 'True', { timeoutMs: 600_000 });
  });
  figure('an upgrade of three replicas', started);
  const after = await world.get('three');
  expect(after.status?.version).toEqual({ desired: '0.17.9', rolled: 3, active: '0.17.9' });
  expect(after.status?.addresses).toBe(before.status?.addresses);
  expect(Math.min(...seen.map((one) => one.status?.replicas?.ready ?? 0))).toBe(2);
  expect(new Set(seen.map((one) => conditionOf(one, 'Available')?.status))).toEqual(
    new Set(['True']),
  );
  const switched = seen.filter((one) => one.status?.version?.active === '0.17.9');
  expect(switched.every((one) => one.status?.version?.rolled === 3)).toBe(true);
  expect(seen.some((one) => one.status?.version?.rolled === 2)).toBe(true);
  if (realTigerBeetle) {
    const client = await world.client(after);
    expect(await client('create', '1')).toBe('11');
  }
});

test('another operator, which would build other pods, restarts none; only new databases get them', async () => {
  await world.create('single');
  const databases = [
    await world.until('single', 'Ready', 'True'),
    await world.until('three', 'Ready', 'True'),
    await world.until('orphaned', 'Ready', 'True'),
  ];
  const running = async () => {
    const pods = (await Promise.all(databases.map((one) => world.pods(one)))).flat();
    return pods.map((pod) => [pod.metadata.name, pod.metadata.uid, restarts(pod)]);
  };
  const before = await running();
  expect(before).toHaveLength(7);
  const { identity } = await leader();
  await world.upgrade('operator-next');
  await anotherLeader(identity);
  // Its new objects show that the other operator works, and that it has looked at all databases before.
  await world.create('newer');
  const newer = await world.until('newer', 'Ready', 'True');
  expect((await world.pods(newer))[0]?.spec?.terminationGracePeriodSeconds).toBe(31);
  expect(await running()).toEqual(before);
  for (const { metadata } of databases) await world.until(metadata.name, 'Ready', 'True');
});

test('a fleet at rest costs no write: in a minute no object moves', async () => {
  const versions = async () => {
    const kinds = 'ldb,lcat,sts,pods,pvc,pv,svc,cm,jobs,netpol,pdb,events.events.k8s.io';
    const said = await cluster.kubectl('get', kinds, '-A', '-o', 'json');
    const { items } = JSON.parse(said) as { items: KubeObject[] };
    return items
      .map((one) => `${one.kind} ${one.metadata.name} ${one.metadata.resourceVersion}`)
      .sort();
  };
  // The work that the previous test began must come to rest first.
  await still('the fleet', versions, { forMs: 60_000, withinMs: 600_000 });
});
