/** Three replicas of the built-in engine on three nodes: failures, replacements and stops lose nothing. */
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import type { LedgerBackup } from '../../domain/custom-resources.ts';
import type { Node, Pod, PodDisruptionBudget } from '../../domain/kinds.ts';
import { connectLabel, labels, ports, zoneLabel } from '../../domain/names.ts';
import { startTestCluster, type TestCluster } from '../support/cluster/cluster.ts';
import {
  conditionOf,
  figure,
  install,
  type Installation,
} from '../support/cluster/installation.ts';
import { killInPod, restarts } from '../support/engine/pod-process.ts';
import {
  everAvailable,
  expectOneAtATime,
  replicasOf,
  type Replicas,
} from '../support/engine/replicas.ts';
import { eventually } from '../support/shell.ts';
import { SteadyWriter } from '../support/engine/steady-writer.ts';

jest.setTimeout(25 * 60_000);

let cluster: TestCluster;
let world: Installation;
let three: Replicas;
let writer: SteadyWriter;

beforeAll(async () => {
  cluster = await startTestCluster({ nodes: 3 });
  world = await install(cluster, ['etcd', 'ledger-client', 's3']);
  three = replicasOf(world, 'three');
});
afterAll(async () => cluster?.down());

/** Does something while a client writes, which is answered again afterwards. */
async function whileWriting(what: string, deed: () => Promise<unknown>): Promise<void> {
  const gap = await writer.during(deed);
  process.stderr.write(`figure: ${what}; longest wait of a client: ${gap} s\n`);
}

const remove = (pods: readonly Pod[], ...how: string[]) =>
  cluster.kubectl('delete', 'pod', ...pods.map((pod) => pod.metadata.name ?? ''), ...how);
const readyAgain = () => world.until('three', 'Ready', 'True');
const allAgain = (without: readonly Pod[]) =>
  eventually('all pods are there and ready again', async () => {
    const old = new Set(without.map((pod) => pod.metadata.uid));
    const pods = await three.pods();
    if (pods.length < 3 || pods.some((pod) => old.has(pod.metadata.uid))) return undefined;
    return readyAgain();
  });

const nodes = ['node-1', 'node-2', 'node-3'];
const setZone = (node: string, zone: string) =>
  cluster.kubectl('label', '--overwrite', 'node', node, `${zoneLabel}=${zone}`);
const zonesOf = async () => {
  const said = await cluster.kubectl('get', 'nodes', '-o', 'json');
  const { items } = JSON.parse(said) as { items: Node[] };
  return new Map(
    items.map(({ metadata }) => [metadata.name ?? '', metadata.labels?.[zoneLabel] ?? '']),
  );
};

test('three replicas are ready, each on a node of its own', async () => {
  const started = Date.now();
  await world.create('three', { topology: 'ha-3' });
  const database = await world.until('three', 'Ready', 'True');
  figure('three replicas of the built-in engine are Ready', started);
  const pods = await world.pods(database);
  expect(new Set(pods.map((pod) => pod.spec?.nodeName)).size).toBe(3);
  const [budget] = await world.owned<PodDisruptionBudget>('podDisruptionBudget', database);
  expect(budget?.spec).toMatchObject({ maxUnavailable: 1 });
  const row = await cluster.kubectl('get', 'ldb', 'three', '--no-headers');
  expect(row).toMatch(/^three +Builtin +ha-3 +lh-5 +3\/3 +True +AllHealthy /);
  expect(JSON.stringify(pods)).not.toContain('OOMKilled');
  writer = await SteadyWriter.start(cluster, await cluster.image('ledger-client'), database);
});

test('volumes take a zone each: the scheduler gives none to a zone that has one, though a node there is free', async () => {
  for (const node of nodes) await setZone(node, node === 'node-3' ? 'east' : 'west');
  const region = { id: 'zones', name: 'Zones', zoneSpread: 'Required' };
  const added = [{ op: 'add', path: '/spec/providers/0/regions/-', value: region }];
  await cluster.kubectl('patch', 'lcat', 'default', '--type=json', '-p', JSON.stringify(added));
  // Its data files are made, and its replicas need no room.
  const spec = { topology: 'ha-3', region: region.id, suspend: true } as const;
  await world.create('zoned', { ...spec, storage: { tier: 'local-nvme' } });
  const nodesOf = async () =>
    (await world.claims(await world.get('zoned'))).flatMap(
      ({ metadata }) => metadata.annotations?.['volume.kubernetes.io/selected-node'] ?? [],
    );
  await cluster.reporting(() =>
    eventually('the third volume waits for a zone', async () => {
      const conditions = JSON.stringify((await world.get('zoned')).status?.conditions);
      if (!/replica 2: Unschedulable: [^"]*node affinity/.test(conditions))
        throw new Error(conditions);
      return true;
    }),
  );
  const chosen = await nodesOf();
  expect(chosen).toHaveLength(2);
  const zones = await zonesOf();
  expect(chosen.map((node) => zones.get(node) ?? '').sort()).toEqual(['east', 'west']);
  const [free = ''] = nodes.filter((node) => !chosen.includes(node));
  await setZone(free, 'north');
  await world.until('zoned', 'Bootstrapped', 'True');
  const all = await nodesOf();
  const taken = await zonesOf();
  expect(all.map((node) => taken.get(node) ?? '').sort()).toEqual(['east', 'north', 'west']);
});

test('a pod that may connect as a client reaches neither the replicas’ own port nor an etcd member', async () => {
  const ip = (await world.get('three')).status?.endpoints?.[0]?.ip ?? '';
  const script = `
    const { connect } = await import('node:net');
    const reached = (port, timeout) => new Promise((resolve) => {
      const socket = connect({ host: '${ip}', port, timeout });
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false)).once('timeout', () => resolve(false));
    });
    const seen = [await reached(${ports.client}, 60000)];
    for (const port of [${ports.peer}, ${ports.etcd}]) seen.push(await reached(port, 2000));
    console.log(JSON.stringify(seen));
    process.exit(0);`;
  const node = ['/bin/node', '--input-type=module', '-e', script];
  expect(JSON.parse(await cluster.kubectl('exec', 'client-of-three', '--', ...node))).toEqual([
    true,
    false,
    false,
  ]);
});

test('the leader is killed with its member: a client waits, and the database stays available', async () => {
  const doomed = await three.leader();
  const seen = await world.watching('three', async () => {
    await whileWriting('the leader is killed', async () => {
      killInPod(doomed, 'start --addresses=');
      killInPod(doomed, '--config-file=');
    });
    // Until the kubelet has seen the end, the pod still counts as ready.
    await eventually('the engine has started again', async () => {
      const pod = (await three.pods()).find(({ metadata }) => metadata.uid === doomed.metadata.uid);
      return pod !== undefined && restarts(pod) > restarts(doomed) ? pod : undefined;
    });
    await readyAgain();
  });
  expect(everAvailable(seen)).toEqual(['True']);
});

/** Evicts the pods of a node that the selector has. */
const drain = (node: string, selector: string, timeout: string) =>
  cluster.tryKubectl(
    'drain',
    node,
    '--ignore-daemonsets',
    '--delete-emptydir-data',
    `--pod-selector=${selector}`,
    `--timeout=${timeout}`,
  );

test('one node after the other is drained, while a client writes; never two at a time', async () => {
  const before = await three.pods();
  const { workload = '' } = (await world.get('three')).status ?? {};
  const seen = await world.watching('three', async () => {
    for (const pod of before) {
      const node = pod.spec?.nodeName ?? '';
      const [other = ''] = nodes.filter((one) => one !== node);
      await whileWriting(`${node} is drained`, async () => {
        // All but the client, which nothing would make again.
        const done = await drain(node, `!${connectLabel('three')}`, '280s');
        expect([done.code, done.stderr]).toEqual([0, expect.any(String)]);
        const here = (await three.pods()).filter(({ spec }) => spec?.nodeName === node);
        expect(here).toEqual([]);
        let seconds = 0;
        // The first one may end before it has an answer.
        await eventually('another one at the same time is refused', async () => {
          const early = await drain(other, `${labels.workload}=${workload}`, `${(seconds += 1)}s`);
          await cluster.kubectl('uncordon', other);
          expect(early.code).not.toBe(0);
          return early.stderr.includes("would violate the pod's disruption budget") || undefined;
        });
        await cluster.kubectl('uncordon', node);
        await allAgain([pod]);
      });
    }
  });
  expect(everAvailable(seen)).toEqual(['True']);
});

test('another size is rolled out one replica at a time, the leader last, while a client writes', async () => {
  const started = Date.now();
  const seen = await world.watching('three', async () => {
    await whileWriting('rolled out', async () => {
      expectOneAtATime(await three.rollout(() => world.patch('three', { size: 'lh-10' })));
      await readyAgain();
    });
  });
  figure('another size of three replicas', started);
  expect(Math.min(...seen.map((one) => one.status?.replicas?.ready ?? 0))).toBe(2);
  expect(everAvailable(seen)).toEqual(['True']);
});

test('all pods are deleted at once: service again by itself', async () => {
  const before = await three.pods();
  // The pods' processes end some time after kubectl.
  await whileWriting('all pods deleted at once', async () => {
    await remove(before, '--force', '--grace-period=0');
    await allAgain(before);
  });
});

test('the leader loses its volume: it comes back by itself with a member of its own, while a client writes', async () => {
  const doomed = await three.leader();
  const before = await world.get('three');
  const name = `data-${doomed.metadata.name}`;
  const claimOf = async () =>
    (await world.claims(before)).find(({ metadata }) => metadata.name === name)?.metadata;
  const lost = await claimOf();
  const started = Date.now();
  const seen = await world.watching('three', async () => {
    await whileWriting('the leader loses its volume', async () => {
      await cluster.kubectl('delete', 'pvc', name, '--wait=false');
      await remove([doomed], '--force', '--grace-period=0');
      await allAgain([doomed]);
    });
  });
  figure('a replica that lost its volume is made again', started);
  expect(everAvailable(seen)).toEqual(['True']);
  expect((await claimOf())?.uid).not.toBe(lost?.uid);
});

test('a suspended database stops and says so, and goes on where it was', async () => {
  const wrote = writer.acknowledged;
  await world.patch('three', { suspend: true });
  const stopped = await world.until('three', 'Suspended', 'True');
  expect(conditionOf(stopped, 'Available')).toMatchObject({ status: 'False', reason: 'Suspended' });
  await eventually('no pods', async () => ((await three.pods()).length === 0 ? true : undefined));
  const started = Date.now();
  await world.patch('three', { suspend: false });
  await world.until('three', 'Ready', 'True');
  figure('three suspended replicas are Ready again', started);
  await writer.answered();
  expect(writer.acknowledged).toBeGreaterThan(wrote);
});

test('nothing that was acknowledged is lost, and nothing was done twice', async () => {
  const credited = await writer.stop();
  process.stderr.write(`figure: ${writer.acknowledged} transfers acknowledged\n`);
  expect(credited).toBe(String(writer.acknowledged));
  const statuses = await three.alike();
  expect(statuses).toHaveLength(3);
  expect(new Set(statuses.map(({ stateHash }) => stateHash)).size).toBe(1);
});

test('a deleted database comes back with its volumes, though its Services have other addresses', async () => {
  const before = await world.get('three');
  const { databaseId = '' } = before.status ?? {};
  await cluster.kubectl('delete', 'ldb', 'three');
  const started = Date.now();
  await world.create('again', { topology: 'ha-3', bootstrap: { volumes: { databaseId } } });
  const back = await world.until('again', 'Ready', 'True');
  figure('three replicas are restored from their volumes', started);
  expect(back.status?.addresses).not.toBe(before.status?.addresses);
  const client = await world.client(back);
  expect(await client('read')).toBe(String(writer.acknowledged));
});

test('three replicas that are deleted with a last backup take no more writes: it has all that was acknowledged', async () => {
  await world.create('leaving', { topology: 'ha-3', deletionPolicy: 'BackupThenDelete' });
  const database = await world.until('leaving', 'Ready', 'True');
  const late = await SteadyWriter.start(cluster, await cluster.image('ledger-client'), database);
  await late.answered();
  const started = Date.now();
  await cluster.reporting(() => cluster.kubectl('delete', 'ldb', 'leaving', '--timeout=300s'));
  figure('three replicas are deleted with a last backup, while a client writes', started);
  const { items } = JSON.parse(await cluster.kubectl('get', 'lbk', '-o', 'json')) as {
    readonly items: readonly LedgerBackup[];
  };
  const last = items.find(({ spec }) => spec.database === 'leaving');
  expect(last?.spec.type).toBe('Final');
  expect(last?.status?.transfers).toBeGreaterThanOrEqual(late.acknowledged);
  // Kubernetes removes a volume when the pod that had it has ended.
  await eventually('its volumes are gone', async () => {
    expect(await world.claims(database)).toEqual([]);
    return true;
  });
  late.abandon();
});
