/**
 * A database of one replica, made with kubectl, whose volume goes on with three replicas by the manual's steps, while an official client writes
 * and the operator is killed in the middle; afterwards the first replica's pod is killed and finds no place for a while.
 */
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { labels } from '../../domain/names.ts';
import { resources } from '../../domain/kinds.ts';
import { conditionOf, figure, systemNamespace } from '../support/cluster/installation.ts';
import { LocalService } from '../support/cluster/local-service.ts';
import { kill, livingPods } from '../support/cluster/pods.ts';
import { SteadyWriter } from '../support/engine/steady-writer.ts';
import type { Database } from '../support/operator/operator-world.ts';
import { eventually } from '../support/shell.ts';

jest.setTimeout(30 * 60_000);

const patienceMs = 10 * 60_000;
const namespace = 'default';
const name = 'books';
const service = new LocalService();
const { cluster } = service;

beforeAll(async () => {
  await service.made('up');
});
afterAll(() => service.dispose());

async function make(topology: string, bootstrap: object): Promise<void> {
  const { apiVersion } = resources.database;
  const spec = {
    engine: 'Builtin',
    topology,
    size: 'lh-5',
    storage: { tier: 'network-ssd' },
    deletionPolicy: 'Retain',
    deletionProtection: false,
    ...bootstrap,
  };
  const metadata = { name, namespace };
  await cluster.apply([{ apiVersion, kind: 'LedgerDatabase', metadata, spec }]);
}

const get = async () => {
  const all = await cluster.list<Database>(resources.database, { namespace });
  return all.find(({ metadata }) => metadata.name === name);
};

const untilReady = (replicas: number) =>
  eventually(
    `${replicas} replicas are ready`,
    async () => {
      const found = await get();
      const ready = found === undefined ? undefined : conditionOf(found, 'Ready');
      if (ready?.status === 'True' && found?.status?.replicas?.ready === replicas) return found;
      throw new Error(JSON.stringify(found?.status?.conditions));
    },
    patienceMs,
  );

const replicaPods = (uid = '') =>
  livingPods(cluster, namespace, `${labels.uid}=${uid},${labels.role}=replica`);

test('a single replica’s volume goes on with three replicas, with all that was acknowledged', async () => {
  await make('single', {});
  const single = await untilReady(1);
  const image = await cluster.image('ledger-client');
  const writer = await SteadyWriter.start(cluster, image, single);
  const databaseId = single.status?.databaseId;

  const began = Date.now();
  const waited = await writer.during(async () => {
    await cluster.kubectl('-n', namespace, 'delete', 'ldb', name);
    await make('ha-3', { bootstrap: { volumes: { databaseId } } });
    await eventually('it has adopted the volume', async () =>
      (await get())?.status?.workload === single.status?.workload ? true : undefined,
    );
    const operators = 'app.kubernetes.io/name=ledgerhouse-operator';
    for (const pod of await livingPods(cluster, systemNamespace, operators))
      await kill(cluster, pod);
    await untilReady(3);
    figure('three replicas are ready', began);
    await writer.reconnect(cluster, (await get())!);
  });
  process.stderr.write(`figure: the longest wait of a client: ${waited} s\n`);

  // What the first replica had is the others’, too.
  const three = await untilReady(3);
  expect(three.status).toMatchObject({
    clusterId: single.status?.clusterId,
    workload: single.status?.workload,
  });
  const pods = await replicaPods(three.metadata.uid);
  const first = pods.find(({ metadata }) => metadata.name?.endsWith('-0'));
  if (first === undefined) throw new Error('the first replica has no pod');
  const lost = await cluster.cordoned('node-1', () => writer.during(() => kill(cluster, first)));
  process.stderr.write(`figure: without the first replica, the longest wait: ${lost} s\n`);
  await untilReady(3);
  const credited = await writer.stop();
  expect(credited).toBe(String(writer.acknowledged));
});
