/**
 * The disaster drill of docs/operating/backups.md, step by step: a database whose log is archived loses its whole cluster with all
 * volumes while a client writes. Left are the bucket, which this test keeps outside of every cluster, its key, and the copy of the keys
 * under which everything in it is encrypted. Once with one replica, and once with three, each with its own archiver; TOPOLOGY=ha-3
 * does only that one.
 */
import { afterAll, afterEach, beforeAll, expect, jest, test } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { TopologyName } from '../../domain/custom-resources.ts';
import { ports } from '../../domain/names.ts';
import { clusterId, startTestCluster, type TestCluster } from '../support/cluster/cluster.ts';
import { figure, install, type Installation } from '../support/cluster/installation.ts';
import { engineProgram } from '../support/engine/engine.ts';
import { OfficialClient } from '../support/engine/official-client.ts';
import { SteadyWriter } from '../support/engine/steady-writer.ts';
import type { Database } from '../support/operator/operator-world.ts';
import { eventually, mustRun, shell } from '../support/shell.ts';
import { BUCKET, S3Server } from '../support/store/s3-server.ts';

jest.setTimeout(45 * 60_000);

/** Seconds within which everything is in the bucket: asked for, and beyond it the time that sealing and sending may take. */
const [rpoSeconds, promised] = [5, 6];
const writesForMs = 60_000;
const patienceMs = 15 * 60_000;
const name = 'payments';
const encryptionKeys = `2027-01 ${randomBytes(32).toString('base64')}\n`;
/** Folders with the bucket's key: one with the copy of the keys beside it, and one without. */
const [withKeys, withoutKeys] = ['with-keys', 'without-keys'];

let bucket: S3Server;
let cluster: TestCluster | undefined;

beforeAll(async () => {
  bucket = await S3Server.start();
  const { accessKeyId, secretAccessKey } = bucket;
  const files = { 'access-key-id': accessKeyId, 'secret-access-key': secretAccessKey };
  bucket.writeCredentials(withoutKeys, files);
  bucket.writeCredentials(withKeys, { ...files, 'encryption-keys': encryptionKeys });
});
afterEach(async () => {
  await cluster?.down();
  cluster = undefined;
});
afterAll(() => bucket?.dispose());

const { TOPOLOGY } = process.env;
const replicaCounts: Readonly<Record<TopologyName, number>> = { single: 1, 'ha-3': 3, 'ha-6': 6 };
/** A test cluster has three nodes at most: six replicas share them, two by two. */
const nodesOf = (replicas: number): number => Math.min(replicas, 3);
const placeOf = (replicas: number) =>
  replicas > nodesOf(replicas) ? { region: 'local-2', size: 'lh-5' } : {};
const isTopology = (name: string): name is TopologyName => Object.hasOwn(replicaCounts, name);
const topologies = (TOPOLOGY === undefined ? ['single', 'ha-3'] : [TOPOLOGY]).filter(isTopology);
if (topologies.length === 0) throw new Error('TOPOLOGY is single, ha-3 or ha-6');

/** A cluster that knows nothing but the bucket, its key, and the keys of what is in it. */
async function emptyCluster(nodes: number): Promise<Installation> {
  const began = Date.now();
  cluster = await startTestCluster({ nodes });
  // The host's side of the cluster's network: its pods reach it as they would reach a store elsewhere.
  const interfaceName = `lh${clusterId(cluster.stateFolder)}`;
  const said = await mustRun('ip', ['-4', '-o', 'addr', 'show', interfaceName]);
  await bucket.moveTo(/inet ([\d.]+)\//.exec(said)?.[1] ?? '');
  const { endpoint, accessKeyId, secretAccessKey } = bucket;
  const url = `s3://${BUCKET}/house`;
  const store = { url, endpoint, accessKeyId, secretAccessKey, encryptionKeys };
  const world = await install(cluster, ['ledger-client', 'etcd'], store);
  figure('a cluster with the charts', began);
  return world;
}

const verbOn = (verb: string, databaseId: string, folder: string) => [
  verb,
  ...bucket.flags(databaseId, bucket.endpoint, folder),
];
const engine = async <T>(verb: string, databaseId: string) =>
  JSON.parse(await mustRun(engineProgram, verbOn(verb, databaseId, withKeys))) as T;

/** Whoever has the bucket's key alone learns which key is missing, and nothing else. */
async function expectClosed(databaseId: string): Promise<void> {
  const told = await shell(engineProgram, verbOn('recovery-windows', databaseId, withoutKeys));
  expect(told).toMatchObject({ code: 1, stdout: '' });
  expect(told.stderr).toContain('"2027-01"');
}

interface Account {
  readonly debits_posted: string;
  readonly credits_posted: string;
}
interface Transfer {
  readonly id: string;
  readonly timestamp: string;
}
const kind = { ledger: 1, code: 1 };
const transfer = (id: number, amount: string) => ({
  id: String(id),
  debit_account_id: '1',
  credit_account_id: '2',
  amount,
  ...kind,
});
/** Beyond what the steady writer counts up to. */
const [before, after] = [900_000_001, 900_000_002];
const batch = 8_000;

async function clientOf(world: Installation, database: Database): Promise<OfficialClient> {
  await world.client(database);
  const { metadata } = database;
  return OfficialClient.open(world.cluster, {
    namespace: metadata.namespace ?? 'default',
    name: `client-of-${metadata.name}`,
  });
}

/** What account 1 has paid, which is what account 2 has got. */
async function paid(client: OfficialClient): Promise<number> {
  const rows = await client.ask<Account[]>('lookupAccounts', ['1', '2']);
  const [from, to] = rows;
  expect(from?.debits_posted).toBe(to?.credits_posted);
  expect([from?.credits_posted, to?.debits_posted]).toEqual(['0', '0']);
  return Number(to?.credits_posted);
}

const found = async (
  client: OfficialClient,
  ids: readonly number[],
): Promise<readonly Transfer[]> => client.ask<Transfer[]>('lookupTransfers', ids.map(String));

test.each(topologies)(
  'a cluster that is lost with all volumes while a client writes to a database of topology %s: a new one has every database again from the bucket alone, to the last seconds, and to the moment between two transfers',
  async (topology) => {
    const replicas = replicaCounts[topology];
    const first = await emptyCluster(nodesOf(replicas));
    const continuous = { enabled: true, rpoSeconds };
    const asked = { topology, ...placeOf(replicas), backup: { continuous } };
    await first.create(name, asked);
    await first.until(name, 'Ready', 'True', { timeoutMs: patienceMs });
    const database = await first.until(name, 'ContinuousArchiving', 'True', {
      timeoutMs: patienceMs,
    });
    const databaseId = database.status?.databaseId ?? '';
    const image = await first.cluster.image('ledger-client');
    const writer = await SteadyWriter.start(first.cluster, image, database);
    const beside = await OfficialClient.open(first.cluster, {
      namespace: 'default',
      name: `client-of-${name}`,
    });

    // Two transfers that we know, in the middle of those that the writer sends.
    await writer.answered();
    expect(await beside.ask('createTransfers', [transfer(before, '1000000')])).toEqual(['created']);
    await writer.answered();
    expect(await beside.ask('createTransfers', [transfer(after, '1000000')])).toEqual(['created']);
    const [one, other] = await found(beside, [before, after]);
    expect(BigInt(one?.timestamp ?? 0)).toBeLessThan(BigInt(other?.timestamp ?? 0));
    beside.close();

    /** How many were acknowledged when. */
    const history: { readonly atMs: number; readonly count: number }[] = [];
    const noting = setInterval(
      () => history.push({ atMs: Date.now(), count: writer.acknowledged }),
      20,
    );
    await sleep(writesForMs);
    // From this moment on nothing reaches the bucket any more.
    const lostAtMs = Date.now();
    await bucket.stop();
    clearInterval(noting);
    const acknowledged = writer.acknowledged;
    writer.abandon();
    const mayBeLostSince = lostAtMs - 1_000 * promised;
    await first.cluster.down();
    cluster = undefined;
    figure('the whole cluster is gone', lostAtMs);

    // Step 1: from this machine, with the engine.
    const began = Date.now();
    // Its address went with the cluster's network.
    await bucket.moveTo('127.0.0.1');
    await expectClosed(databaseId);
    type Windows = {
      readonly windows: readonly { readonly to: { readonly op: number; readonly time: string } }[];
    };
    const { windows } = await engine<Windows>('recovery-windows', databaseId);
    // Each replica has an archiver, and all of them make one chain.
    expect(windows).toHaveLength(1);
    const newest = windows.at(-1)?.to;
    if (newest === undefined) throw new Error('the bucket has nothing of the database');
    process.stderr.write(
      `figure: lost at ${new Date(lostAtMs).toISOString()}; the bucket has all until ${newest.time}\n`,
    );

    // It was archived from its first operation on, and never backed up.
    expect(await mustRun(engineProgram, verbOn('backups', databaseId, withKeys))).toBe('');
    const none = await shell(engineProgram, verbOn('verify-backup', databaseId, withKeys));
    expect(none).toMatchObject({ code: 1, stdout: '' });

    // Steps 2 and 3.
    const second = await emptyCluster(nodesOf(replicas));
    const target = { databaseId, targetOp: newest.op };
    await second.create(name, { ...asked, bootstrap: { backup: target } });
    const targetTimestamp = String(BigInt(other?.timestamp ?? 0) - 1n);
    await second.create('between', { bootstrap: { backup: { databaseId, targetTimestamp } } });
    const again = await second.until(name, 'Ready', 'True', { timeoutMs: patienceMs });
    figure('restored, from the loss on', lostAtMs);
    figure('restored, from the first step on', began);

    // Steps 4 and 5.
    expect(again.status?.databaseId).not.toBe(databaseId);
    expect(again.status?.clusterId).not.toBe(database.status?.clusterId);
    const pods = await second.pods(again);
    expect(pods).toHaveLength(replicas);
    const ask = `fetch('http://127.0.0.1:${ports.status}/status').then((a) => a.text()).then(console.log)`;
    for (const pod of pods) {
      const { op } = JSON.parse(await second.beside(pod, ask)) as { op: number };
      expect(op).toBeGreaterThanOrEqual(newest.op);
    }
    const client = await clientOf(second, again);
    const restored = (await paid(client)) - 2_000_000;
    const lost = acknowledged - restored;
    const lastAt = history.findLast(({ count }) => count <= restored)?.atMs ?? 0;
    process.stderr.write(
      `figure: ${acknowledged} were acknowledged, ${restored} are restored; lost are the last ${(lostAtMs - lastAt) / 1_000} s\n`,
    );
    const promisedCount = history.findLast(({ atMs }) => atMs <= mayBeLostSince)?.count ?? 0;
    expect(promisedCount).toBeGreaterThan(0);
    expect(restored).toBeGreaterThanOrEqual(promisedCount);
    // One had perhaps no answer yet.
    expect(lost).toBeGreaterThanOrEqual(-1);
    for (let from = 1; from <= restored; from += batch) {
      const ids = Array.from(
        { length: Math.min(batch, restored - from + 1) },
        (_, at) => from + at,
      );
      const there = await found(client, ids);
      expect(there.map(({ id }) => Number(id))).toEqual(ids);
    }
    expect(await found(client, [before, after])).toEqual([one, other]);

    // Step 6: what is lost is sent again, and some of what is not.
    const statuses = new Set<string>();
    for (let from = Math.max(1, restored - 10); from <= acknowledged; from += batch) {
      const length = Math.min(batch, acknowledged - from + 1);
      const events = Array.from({ length }, (_, at) => transfer(from + at, '1'));
      for (const status of await client.ask<string[]>('createTransfers', events))
        statuses.add(status);
    }
    expect([...statuses].toSorted()).toEqual(lost > 0 ? ['created', 'exists'] : ['exists']);
    expect(await paid(client)).toBe(Math.max(acknowledged, restored) + 2_000_000);
    client.close();
    // Step 7: it is archived from its beginning on, under the same keys.
    await second.until(name, 'ContinuousArchiving', 'True', { timeoutMs: patienceMs });
    // What is younger than the promise may not be in the bucket yet, and an archive without anything has nothing to be read.
    await eventually('its archive is closed without the keys', async () => {
      await expectClosed(again.status?.databaseId ?? '');
      return true;
    });

    const between = await second.until('between', 'Ready', 'True', { timeoutMs: patienceMs });
    const reader = await clientOf(second, between);
    expect(await found(reader, [before, after])).toEqual([one]);
    const past = await paid(reader);
    expect(past).toBeGreaterThan(1_000_000);
    expect(past).toBeLessThan(2_000_000);
    reader.close();
  },
);
