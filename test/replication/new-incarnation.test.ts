/**
 * Clusters of real processes that begin with another state: that of a single replica, of a cluster, or of a survivor
 * when the majority is gone for good.
 */
import { afterEach, beforeAll, beforeEach, expect, jest, test } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, type Client } from 'tigerbeetle-node';
import { parseAddresses } from '../../engine/commands/values.ts';
import { createEtcdClient } from '../../engine/log/replicated/etcd-client.ts';
import { FLOOR } from '../../engine/log/replicated/keys.ts';
import { encodeRecord } from '../../engine/log/replicated/records.ts';
import { ensureProgram } from '../../tools/cluster/binaries.ts';
import { engineProgram, TestEngine } from '../support/engine/engine.ts';
import { SwallowingRelay } from '../support/engine/swallowing-relay.ts';
import { eventually, mustRun, shell } from '../support/shell.ts';
import { ReplicaGroup } from './replica-group.ts';
import { movingGateway } from './through-gateway.ts';
import { accountOf, transferOf } from './writer.ts';

jest.setTimeout(30 * 60_000);

const created = 0xffff_ffff;
let folder = '';
let disposals: (() => Promise<void>)[] = [];
let clients: Client[] = [];
beforeAll(() => ensureProgram('etcd'), 15 * 60_000);
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ledgerhouse-incarnation-'));
});
afterEach(async () => {
  for (const client of clients) client.destroy();
  for (const dispose of disposals) await dispose();
  clients = [];
  disposals = [];
  rmSync(folder, { recursive: true, force: true });
});

async function startGroup(from?: string): Promise<ReplicaGroup> {
  const begins = from === undefined ? {} : { from, flags: ['--incarnation=2'] };
  const group = await ReplicaGroup.start(begins);
  disposals.push(() => group.dispose());
  await group.leader();
  return group;
}

function newClient(addresses: readonly string[]): Client {
  const client = createClient({ cluster_id: 0n, replica_addresses: [...addresses] });
  clients.push(client);
  return client;
}

const statuses = (results: readonly { status: unknown }[]): readonly unknown[] =>
  results.map(({ status }) => status);

/** Transfers `first` to `last`, after the accounts when they begin with 1. */
async function write(client: Client, first: number, last: number): Promise<void> {
  if (first === 1) {
    const accounts = await client.createAccounts([accountOf(1n), accountOf(2n)]);
    expect(statuses(accounts)).toEqual([created, created]);
  }
  for (let id = first; id <= last; id += 1) {
    const results = await client.createTransfers([transferOf(BigInt(id))]);
    expect(statuses(results)).toEqual([created]);
  }
}

async function expectBalance(client: Client, balance: number): Promise<void> {
  const [debited] = await client.lookupAccounts([1n]);
  expect(debited?.debits_posted).toBe(BigInt(balance));
}

test('a single replica’s state begins three replicas, and theirs another single one', async () => {
  const [earlier, first, second] = [
    join(folder, 'earlier.ledger'),
    join(folder, 'first.ledger'),
    join(folder, 'second.ledger'),
  ] as const;
  const single = await TestEngine.create({});
  disposals.push(() => single.dispose());
  const statusAddress = `--status-address=127.0.0.1:${single.statusPort}`;
  const before = newClient([`127.0.0.1:${single.port}`]);
  await write(before, 1, 19);
  await mustRun(engineProgram, ['export', statusAddress, earlier]);
  await write(before, 20, 20);
  await mustRun(engineProgram, ['export', statusAddress, first]);
  const { op } = await single.status();
  const group = await startGroup(first);
  expect(await group.level()).toMatchObject({ transfers: 20, op });
  const client = newClient(group.addresses);
  await write(client, 21, 30);
  await expectBalance(client, 30);
  // The new session, ten transfers, and nothing twice.
  expect((await group.level()).op).toBe(op + 11);
  // One that begins with another state than the others stops and says so; they go on.
  const leader = await group.leader();
  const [wrong, right] = [(leader + 1) % group.size, (leader + 2) % group.size] as const;
  await group.killBoth(wrong);
  rmSync(group.path(wrong));
  await group.restore(wrong, earlier);
  group.startBoth(wrong);
  await eventually('it is halted', async () => {
    const status = await group.status(wrong);
    return status?.warnings.includes('Halted') || undefined;
  });
  await write(client, 31, 31);
  await group.export(right, second);
  const restored = join(folder, 'replica.ledger');
  const flags = ['--replica=0', '--replica-count=1'];
  await mustRun(engineProgram, ['restore', ...flags, second, restored]);
  const again = await TestEngine.open(folder);
  disposals.push(() => again.dispose());
  const last = newClient([`127.0.0.1:${again.port}`]);
  await expectBalance(last, 31);
  await write(last, 32, 32);
});

/**
 * Resolves when the replica with the moved file has led, with the sessions of before. The two others have nothing until then; on a busy
 * machine one of them may have the lead a moment later.
 */
async function movedLeads(group: ReplicaGroup, sessions: number): Promise<void> {
  await group.leader();
  await eventually('the moved one has led, and knows its sessions', async () => {
    expect(group.logOf(0)).toContain('"msg":"this replica leads"');
    expect((await group.status(0))?.sessions).toBe(sessions);
    return true;
  });
}

test('a single replica’s file, killed under writes, becomes the first of three where it is; the others fetch its state, whoever is killed meanwhile', async () => {
  const single = await TestEngine.create({});
  disposals.push(() => single.dispose());
  await write(newClient([`127.0.0.1:${single.port}`]), 1, 5);
  const { sessions } = await single.status();
  await single.end('SIGKILL');
  const group = await ReplicaGroup.start({ moved: single.path });
  disposals.push(() => group.dispose());
  await movedLeads(group, sessions);
  await group.killBoth(0);
  group.startBoth(0);
  await group.killBoth(1);
  group.startBoth(1);
  const client = newClient(group.addresses);
  await expectBalance(client, 5);
  await write(client, 6, 9);
  expect(await group.level()).toMatchObject({ transfers: 9 });
  // Without the replica that had the state, the others have all of it.
  await group.killBoth(0);
  await write(client, 10, 10);
  await expectBalance(client, 10);
  // Its place is in their log from now on.
  const back = ['reshape', '--cluster=0', '--replica=0', '--replica-count=1', group.path(0)];
  expect(await shell(engineProgram, back)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('the etcd member beside'),
  });
});

test('a request through the gateway that never reached the single replica is answered in the same session by the three that it becomes', async () => {
  const single = await TestEngine.create({});
  disposals.push(() => single.dispose());
  await write(newClient([`127.0.0.1:${single.port}`]), 1, 5);
  const relay = await SwallowingRelay.start(single.port);
  disposals.push(async () => relay.end());
  const { gateway, run, moveTo } = movingGateway([{ host: '127.0.0.1', port: relay.port }]);
  disposals.push(async () => gateway.close());
  const send = (id: string) => {
    const transfer = { id, debit_account_id: '1', credit_account_id: '2', amount: '1' };
    return run('create_transfers', [{ ...transfer, ledger: 1, code: 1 }]);
  };
  expect((await send('6')).result).toMatchObject([{ status: 'created' }]);
  const { sessions } = await single.status();
  relay.lose('requests');
  await single.end('SIGTERM');
  const group = await ReplicaGroup.start({ moved: single.path });
  disposals.push(() => group.dispose());
  await movedLeads(group, sessions);
  const answer = send('7');
  await eventually('it is on its way', async () => relay.swallowed > 0 || undefined);
  moveTo(parseAddresses(group.addresses.join(',')));
  relay.end();
  expect((await answer).result).toMatchObject([{ id: '7', status: 'created' }]);
  expect((await group.status(0))?.sessions).toBe(sessions);
  await expectBalance(newClient(group.addresses), 7);
});

test('the majority is gone for good: what one survivor holds, beyond its data file too, begins a new cluster', async () => {
  const lost = await startGroup();
  await write(newClient(lost.addresses), 1, 25);
  const survivor = ((await lost.leader()) + 1) % lost.size;
  // All transfers are in the log, none in a data file.
  expect(await lost.level()).toMatchObject({ transfers: 25, checkpoint: 0 });
  const salvaged = join(folder, 'salvaged.ledger');
  const salvage = () =>
    shell(engineProgram, [
      'export',
      `--from=${lost.path(survivor)}`,
      `--etcd=${lost.etcd.target(survivor)}`,
      salvaged,
    ]);
  expect(await salvage()).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('etcd has a leader'),
  });
  for (let replica = 0; replica < lost.size; replica += 1) await lost.killBoth(replica);
  // Two volumes are gone.
  lost.etcd.start(survivor, ['--force-new-cluster']);
  const { stderr } = await eventually('the survivor answers', async () => {
    const tried = await salvage();
    // Fails until the member's socket exists and it leads itself.
    if (tried.code !== 0) throw new Error(tried.stderr);
    return tried;
  });
  expect(stderr).toMatch(/sequence=[1-9]/);
  const group = await startGroup(salvaged);
  const client = newClient(group.addresses);
  await expectBalance(client, 25);
  await write(client, 26, 30);
  expect(await group.level()).toMatchObject({ transfers: 30 });
  // A survivor whose missing blocks are no longer in the log is not taken for a whole one.
  const etcd = createEtcdClient(lost.etcd.target(survivor));
  const floor = { do: 'put', key: FLOOR, value: encodeRecord({ sequence: 100_000 }) } as const;
  await etcd.txn({ compare: [], success: [floor], failure: [] }, { timeoutMs: 60_000 });
  etcd.close();
  rmSync(salvaged);
  expect(await salvage()).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('the blocks before 100000 are no longer in the log'),
  });
});
