/**
 * A database of one replica holds as many transfers as its size and volume promise (docs/operating/capacity.md), on a real node: its engine is
 * killed while a request is under way, its pod is deleted, and all that it answers is compared with an independent count.
 *
 * TRANSFERS (20000000) and SIZE (lh-5), a size of the chart's catalog; the volume is the smallest that is enough. FILLED is the path of a data
 * file that bench/engine/larger-than-memory.ts --folder=KEPT has filled and that was closed since: the database goes on from there.
 */
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { chownSync, readFileSync, renameSync, statSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { CatalogSpec } from '../../domain/custom-resources.ts';
import { capacityOf } from '../../domain/catalog/capacity.ts';
import { dataFilePath, ports } from '../../domain/names.ts';
import type { Pod } from '../../domain/kinds.ts';
import type { BuiltinStatus } from '../../domain/engine-status.ts';
import { Client } from '../../engine/client/client.ts';
import { catalogSpec } from '../fixtures/catalog.ts';
import { checkout, startTestCluster, type TestCluster } from '../support/cluster/cluster.ts';
import {
  conditionOf,
  figure,
  install,
  type Installation,
} from '../support/cluster/installation.ts';
import type { Database } from '../support/operator/operator-world.ts';
import { Relay } from '../support/cluster/relay.ts';
import { CountedLedger } from '../support/engine/counted-ledger.ts';
import { BATCH } from '../support/engine/counted-transfers.ts';
import { engineProgram } from '../support/engine/engine.ts';
import { shownFigures } from '../support/engine/engine-figures.ts';
import {
  pathOnMachine,
  inNetworkOf,
  killInPod,
  memoryInPod,
} from '../support/engine/pod-process.ts';
import { Probes } from '../support/engine/probes.ts';
import { eventually, mustRun } from '../support/shell.ts';

jest.setTimeout(6 * 3_600_000);

const transfers = Number(process.env['TRANSFERS'] ?? 20_000_000);
const size = process.env['SIZE'] ?? 'lh-5';
const accounts = 10_000;
const name = 'large';
const engineWord = 'main.js start';
/** The run is compared after each of so many parts. */
const parts = 10;
/** After these parts the engine is killed while it executes, or its pod is deleted. After the last one it is killed, too. */
const disturbances = new Map<number, 'kill' | 'delete'>([
  [3, 'kill'],
  [5, 'delete'],
  [7, 'kill'],
]);

const { sizes } = (
  parse(readFileSync(join(checkout, 'charts/ledgerhouse/values.yaml'), 'utf8')) as {
    catalog: CatalogSpec;
  }
).catalog;

let cluster: TestCluster;
let world: Installation;

beforeAll(async () => {
  cluster = await startTestCluster();
  world = await install(cluster, ['ledger-client']);
  const patch = JSON.stringify({ spec: { sizes } });
  await cluster.kubectl('patch', 'lcat', 'default', '--type=merge', '-p', patch);
});
afterAll(() => cluster?.down());

const say = (what: string) => process.stderr.write(`figure: ${what}\n`);
const mib = (bytes: number) => `${Math.round(bytes / 2 ** 20)} MiB`;

/** GiB of the smallest volume that is enough by the rule. */
function volumeGb(): number {
  const catalog = { ...catalogSpec(), sizes };
  for (let storageGb = 1; ; storageGb += 1) {
    const held = capacityOf(catalog, { engine: 'Builtin', replicas: 1, size, storageGb });
    if (held !== undefined && held.transfersMax >= transfers) return storageGb;
    if (held?.limitedBy !== 'storage') throw new Error(`${size} holds less: choose a larger SIZE`);
  }
}

async function thePod(): Promise<Pod> {
  const pods = await world.pods(await world.get(name));
  const [pod] = pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  if (pod === undefined) throw new Error('it has no pod');
  return pod;
}

const askIn = async (pod: Pod, path: string): Promise<string> => {
  const script = `console.log(await (await fetch('http://127.0.0.1:${ports.status}${path}')).text())`;
  const [command, ...args] = inNetworkOf(pod, script);
  return mustRun(command, args);
};

const statusOf = async (pod: Pod) => JSON.parse(await askIn(pod, '/status')) as BuiltinStatus;

/** Puts another data file into the place of the database's own, which its engine reads once it is killed. */
async function goOnFrom(path: string, { status }: Database): Promise<void> {
  const pod = await thePod();
  const cluster = status?.clusterId ?? '';
  const own = pathOnMachine(pod, engineWord, dataFilePath('Builtin', cluster, 0));
  const { uid, gid } = statSync(own);
  const beganMs = Date.now();
  const restore = ['restore', path, `${own}.filled`, `--cluster=${cluster}`];
  await mustRun(engineProgram, restore, { timeoutMs: 3_600_000 });
  chownSync(`${own}.filled`, uid, gid);
  figure('the filled data file is in the volume', beganMs);
  renameSync(`${own}.filled`, own);
  killInPod(pod, engineWord);
  await expectUndisturbed(1);
}

/** The working set of the engine's container, by the kubelet, which is what evictions and dashboards go by. */
async function workingSet(pod: Pod): Promise<number> {
  const node = pod.spec?.nodeName ?? '';
  const said = await cluster.kubectl('get', '--raw', `/api/v1/nodes/${node}/proxy/stats/summary`);
  const { pods } = JSON.parse(said) as {
    readonly pods: readonly {
      readonly podRef: { readonly uid: string };
      readonly containers?: readonly {
        readonly name: string;
        readonly memory?: { readonly workingSetBytes?: number };
      }[];
    }[];
  };
  const own = pods.find(({ podRef }) => podRef.uid === pod.metadata.uid);
  return (
    own?.containers?.find((one) => one.name === 'engine')?.memory?.workingSetBytes ?? Number.NaN
  );
}

async function figures(count: number): Promise<void> {
  const pod = await thePod();
  const { acceptsWrites, warnings } = await statusOf(pod);
  const { mostBytes } = memoryInPod(pod, engineWord);
  const shown = shownFigures(await askIn(pod, '/metrics'), count);
  const left = conditionOf(await world.get(name), 'CapacityLeft');
  say(
    `${shown} · resident at most ${mib(mostBytes)} · working set ${mib(await workingSet(pod))} · CapacityLeft ${left?.status} ${left?.reason} · load ${loadavg()[0]?.toFixed(1)}`,
  );
  expect({ acceptsWrites, warnings }).toEqual({ acceptsWrites: true, warnings: [] });
}

/**
 * The kubelet has started the engine anew only after our kills, none of its liveness probes went without an answer while the engine ran, and
 * the kernel killed nothing. A probe that comes between a kill and the start is refused, and one that waits for its answer is reset by the kill.
 */
async function expectUndisturbed(kills: number): Promise<void> {
  const hasStarted = async () => {
    const one = await thePod();
    const [said] = one.status?.containerStatuses ?? [];
    return said?.ready === true && said.restartCount >= kills ? one : undefined;
  };
  // The first start with a file that was filled elsewhere makes the whole index from its rows.
  const pod = await eventually('the kubelet tells of the start', hasStarted, 1_800_000);
  const [engine] = pod.status?.containerStatuses ?? [];
  expect(engine?.restartCount).toBe(kills);
  expect(engine?.lastState?.terminated?.reason).not.toBe('OOMKilled');
  const said = await cluster.kubectl('get', 'events', '-o', 'json');
  const { items } = JSON.parse(said) as {
    items: readonly { readonly message?: string; readonly involvedObject: { name: string } }[];
  };
  const messages = items
    .filter(({ involvedObject }) => involvedObject.name === pod.metadata.name)
    .map(({ message = '' }) => message);
  const failures = messages.filter((message) => /liveness probe/i.test(message));
  const killed = /connection refused$|connection reset by peer$/;
  expect(failures.filter((message) => !killed.test(message))).toEqual([]);
}

test('a database holds as many transfers as its size and volume promise, and starts again on a node with all of them', async () => {
  const storageGb = volumeGb();
  await world.create(name, { size, storage: { sizeGb: storageGb } });
  const database = await world.until(name, 'Ready', 'True');
  say(`${transfers} transfers, ${size}, a volume of ${storageGb} GiB, load ${loadavg()[0]}`);
  let kills = 0;
  const filled = process.env['FILLED'];
  if (filled !== undefined) {
    await goOnFrom(filled, database);
    kills += 1;
  }
  const relay = await Relay.open(cluster, await cluster.image('ledger-client'), database);
  const client = new Client({
    cluster: BigInt(database.status?.clusterId ?? 0),
    addresses: [relay],
  });
  const ledger = new CountedLedger(client, accounts);
  await ledger.createAccounts();
  let probes = await Probes.begin(await thePod());

  const kill = async (work: Promise<void>, count: number): Promise<void> => {
    const pod = await thePod();
    const killedAtMs = Date.now();
    killInPod(pod, engineWord);
    kills += 1;
    await work;
    await ledger.lookUp(count - 1);
    const answersAfter = (Date.now() - killedAtMs) / 1_000;
    const { livesAfter, startedAfter, answersWhileLoading } = await probes.start(killedAtMs);
    say(
      `killed with ${count} transfers: /livez after ${livesAfter} s, started after ${startedAfter} s with ${answersWhileLoading} answers of /livez before, a client answered after ${answersAfter} s`,
    );
    await expectUndisturbed(kills);
  };
  const deletePod = async (work: Promise<void>, count: number): Promise<void> => {
    const before = await thePod();
    endProbes();
    const deletedAtMs = Date.now();
    await cluster.kubectl('delete', 'pod', before.metadata.name ?? '');
    await work;
    await ledger.lookUp(count - 1);
    say(
      `deleted with ${count} transfers: a client answered after ${(Date.now() - deletedAtMs) / 1_000} s`,
    );
    kills = 0;
    await expectUndisturbed(kills);
    probes = await Probes.begin(await thePod());
  };
  const endProbes = () => {
    probes.end();
    say(`/livez took ${probes.longestMs} ms at most`);
    expect(probes.unanswered).toBe(0);
  };

  try {
    const first = (await statusOf(await thePod())).transfers / BATCH;
    const batches = Math.max(first, Math.ceil(transfers / BATCH));
    let made = first;
    for (let part = 1; part <= parts; part += 1) {
      const end = first + Math.ceil(((batches - first) * part) / parts);
      const [beganMs, from] = [performance.now(), made];
      for (; made < end - 1; made += 1) await ledger.createBatch(made);
      const perSecond = ((made - from) * BATCH * 1_000) / (performance.now() - beganMs);
      // The last batch of a part is under way when something happens.
      const last = made < end ? ledger.createBatch(made) : Promise.resolve();
      made = end;
      const count = made * BATCH;
      const disturbance = disturbances.get(part);
      if (disturbance === 'kill') await kill(last, count);
      else if (disturbance === 'delete') await deletePod(last, count);
      else await last;
      await ledger.compare(count, part);
      say(
        `${count} transfers · ${perSecond.toFixed(0)}/s · p50, p99, longest ms: ${ledger.takeLatencies()} · ${ledger.differences} differences`,
      );
      await figures(count);
    }
    const count = batches * BATCH;
    await kill(Promise.resolve(), count);
    for (let round = 0; round < parts; round += 1) await ledger.compare(count, 1_000 + round);
    say(`at the end: ${ledger.takeLatencies()} · ${ledger.differences} differences`);
    await figures(count);
    endProbes();
    const whole = await world.until(name, 'CapacityLeft', 'True', { reason: 'Enough' });
    say(
      JSON.stringify(
        whole.status?.conditions?.map(({ type, status, reason }) => `${type}=${status} ${reason}`),
      ),
    );
    expect(ledger.differences).toBe(0);
  } catch (error) {
    await cluster.reporting(() => Promise.reject(error));
  } finally {
    probes.end();
    client.close();
    relay.close();
  }
});
