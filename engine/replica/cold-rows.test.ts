/** Tests of replicas whose rows have left memory: what an operation or a read needs is brought before it runs. */
import { expect, test } from '@jest/globals';
import { PAGE_BYTES } from '../ledger/page.ts';
import { StateMachine } from '../ledger/state-machine.ts';
import { FileLog } from '../log/file-log.ts';
import { createEmpty } from '../log/format-file.ts';
import type { LogEntry } from '../log/log.ts';
import { MemoryStorage } from '../log/testing/memory-storage.ts';
import { buildRequest } from '../wire/header.ts';
import { batchSizeLimitProduction } from '../wire/limits.ts';
import { Operation } from '../wire/operations.ts';
import { engineRelease } from '../wire/release.ts';
import { Executor } from './executor.ts';
import { Asker } from './testing/asker.ts';
import { accountsBody, lookupBody, postBody, transferBody } from './testing/records.ts';
import { ReplicaWorld } from './testing/replica-world.ts';

const PENDING = 100;
const TIMEOUT_S = 100_000;

/** A cluster with 100 pending transfers, whose oldest rows are in memory at replica 0 only. */
async function withColdRows() {
  const world = new ReplicaWorld({ seed: 5, chaosMs: 0, clients: 0 });
  await world.runQuietly(1500);
  // A replica that reads its rows from the volume leads.
  world.cluster.elect(1);
  for (let i = 0; i < 100 && world.leader?.index !== 1; i += 1) await world.simulation.run(50);
  const asker = new Asker(world);
  await asker.register();
  await asker.ask(Operation.createAccounts, accountsBody(1, 2));
  for (let id = 10; id < 10 + PENDING; id += 1)
    await asker.ask(Operation.createTransfers, transferBody(id, TIMEOUT_S));
  return { world, asker };
}

const pagesRead = ({ members }: ReplicaWorld): readonly number[] =>
  members.map(({ ledger }) => ledger!.pages().read);

test('rows that only some replicas have in memory are posted, compared and read, and all replicas have the same state', async () => {
  const { world, asker } = await withColdRows();
  const { leader } = world;
  expect(leader!.index).toBe(1);
  expect(leader!.ledger!.pages().rowsInMemory).toBeLessThan(PENDING);
  expect(pagesRead(world)).toEqual([0, 0, 0]);
  const posted = await asker.ask(Operation.createTransfers, postBody(200, 10));
  expect(posted.body[8]).toBe(0xff);
  // The same transfer again exists, with the same fields.
  const again = await asker.ask(Operation.createTransfers, transferBody(11, TIMEOUT_S));
  expect(again.body[8]).toBe(46);
  const { body } = await asker.ask(Operation.lookupTransfers, lookupBody(12));
  expect([body[0], body[48], body[108]]).toEqual([12, 1, TIMEOUT_S & 0xff]);
  await world.simulation.run(1000);
  const read = pagesRead(world);
  expect(read[0]).toBe(0);
  expect(read[1]).toBeGreaterThan(0);
  expect(read[2]).toBeGreaterThan(0);
  expect(new Set(world.members.map(({ stateHash }) => stateHash)).size).toBe(1);
  world.end();
});

test('a damaged page stops the replica that needs it for an operation, and the others go on', async () => {
  const { world, asker } = await withColdRows();
  const [, leader, follower] = world.members;
  follower!.mayHalt = true;
  follower!.damagePages();
  const posted = await asker.ask(Operation.createTransfers, postBody(200, 10));
  expect(posted.body[8]).toBe(0xff);
  await world.simulation.run(1000);
  expect(follower!.standing?.unready).toContain('rows_damaged');
  expect(leader!.standing?.role).toBe('primary');
  await asker.ask(Operation.createTransfers, postBody(201, 11));
  world.end();
});

test('a replica that has stopped in the middle of a block ends when it is told to, without a checkpoint of half a block', async () => {
  const { world, asker } = await withColdRows();
  const [, , follower] = world.members;
  follower!.mayHalt = true;
  follower!.damagePages();
  await asker.ask(Operation.createTransfers, postBody(200, 10));
  await world.simulation.run(1000);
  expect(follower!.standing?.unready).toContain('rows_damaged');
  let isOver = false;
  void follower!.stop().then(() => (isOver = true));
  await world.simulation.run(10_000);
  expect(isOver).toBe(true);
  world.end();
});

test('a read that needs a damaged page has no answer, and what does not need it goes on', async () => {
  const { world, asker } = await withColdRows();
  world.members[1]!.damagePages();
  expect(await asker.tryToAsk(Operation.lookupTransfers, lookupBody(10), 1000)).toBeUndefined();
  const young = 10 + PENDING - 1;
  const { body } = await asker.ask(Operation.lookupTransfers, lookupBody(young));
  expect(body[0]).toBe(young);
  expect(world.leader?.index).toBe(1);
  world.end();
});

const PATH = '/disk/0_0.ledger';
const IDENTITY = { clusterId: 0n, replicaIndex: 0, replicaCount: 1 };

/** A single replica's log and ledger. Its rows leave memory as soon as they may; the cache has one page. */
async function opened(storage: MemoryStorage) {
  const onFailure = (error: Error): never => {
    throw error;
  };
  const log = await FileLog.open({ path: PATH, release: engineRelease, storage, onFailure });
  const cold = { rowsLeaveAtBytes: 0, rowsShift: 2, pageCacheBytes: PAGE_BYTES };
  const ledger = new StateMachine({ memoryLimitBytes: 2 ** 30, ...cold });
  const executor = new Executor({
    ledger,
    identity: IDENTITY,
    batchSizeLimit: batchSizeLimitProduction,
  });
  executor.loaded(await log.recover(executor.state, (entry) => executor.replay(entry, log.pages)));
  const execute = async (operation: number, body: Uint8Array): Promise<void> => {
    const fields = { cluster: 0n, view: 0, release: engineRelease, client: 9n, session: 1n };
    const place = { request: executor.op + 1, parent: new Uint8Array(16), operation };
    const head = buildRequest({ ...fields, ...place }, body);
    const op = executor.op + 1;
    const message = new Uint8Array(Buffer.concat([head, body]));
    const entry: LogEntry = { op, timestamp: BigInt(op) * 1_000_000n, view: 0, message };
    const committed = new Promise<void>((resolve) => log.append(entry, resolve));
    await executor.replay(entry, log.pages);
    await committed;
  };
  return { log, ledger, executor, execute };
}

test('killed after it has executed operations on rows that are only on the volume, a replica executes them again', async () => {
  const storage = new MemoryStorage();
  const log = { logSizeBytes: 1 << 20, release: engineRelease, identity: IDENTITY };
  await createEmpty({ path: PATH, storage, ...log });
  const first = await opened(storage);
  await first.execute(Operation.createAccounts, accountsBody(1, 2));
  for (let id = 10; id < 10 + PENDING; id += 1)
    await first.execute(Operation.createTransfers, transferBody(id, TIMEOUT_S));
  await first.log.checkpoint(first.executor.state, first.executor.position());
  // Each one is in another page than the one before.
  for (let i = 0; i < 30; i += 1) {
    const id = 10 + ((i * 37) % 84);
    await first.execute(Operation.createTransfers, postBody(200 + id, id));
  }
  const read = first.ledger.pages();
  expect(read.read).toBeGreaterThan(10);
  const again = await opened(storage.afterKill());
  expect(again.executor.op).toBe(first.executor.op);
  expect(again.ledger.stateHash()).toEqual(first.ledger.stateHash());
  expect(again.ledger.counts()).toEqual(first.ledger.counts());
  expect(again.ledger.pages().read).toBeGreaterThan(10);
  await again.execute(Operation.createTransfers, postBody(190, 98));
  expect(again.ledger.counts().pendingTransfers).toBe(PENDING - 31);
  await first.log.close();
  await again.log.close();
});
