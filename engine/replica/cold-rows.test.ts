/** Tests of replicas whose rows have left memory: what an operation or a read needs is brought before it runs. */
import { expect, jest, test } from '@jest/globals';
import { isDerived } from '../ledger/checkpoint.ts';
import { TableId } from '../ledger/checkpoint-tables.ts';
import { PAGE_BYTES } from '../ledger/page.ts';
import { StateMachine } from '../ledger/state-machine.ts';
import { DataFile } from '../log/data-file.ts';
import { FileLog } from '../log/file-log.ts';
import { createEmpty } from '../log/format-file.ts';
import { inspectDataFile } from '../log/inspect.ts';
import type { LogEntry } from '../log/log.ts';
import { readManifest } from '../log/manifest.ts';
import { MemoryStorage } from '../log/testing/memory-storage.ts';
import { buildRequest } from '../wire/header.ts';
import { batchSizeLimitProduction } from '../wire/limits.ts';
import { Operation } from '../wire/operations.ts';
import { engineRelease } from '../wire/release.ts';
import { TransferStatus } from '../wire/statuses.ts';
import { ExecutionQueue } from './execution-queue.ts';
import { Executor } from './executor.ts';
import { memoryDonor } from './page-donors.ts';
import { Asker } from './testing/asker.ts';
import {
  accountsBody,
  importedBody,
  lookupBody,
  moveBody,
  postBody,
  transferBody,
} from './testing/records.ts';
import { ReplicaWorld, type SimMember } from './testing/replica-world.ts';

const PENDING = 100;
const { imported_event_timestamp_must_not_regress: REGRESSES } = TransferStatus;
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

/** Cuts a replica off from the pages of the others. */
function isolatePages(member: SimMember): void {
  member.mayHalt = true;
  member.link!.fetchPages = () => Promise.reject(new Error('nobody answers'));
}

test('damaged pages are fetched from another replica, by the leader and by a follower, and nobody is told anything else', async () => {
  const { world, asker } = await withColdRows();
  const [, leader, follower] = world.members;
  for (const member of [leader!, follower!]) member.damagePages();
  const before = [leader!, follower!].map((member) => member.damagedPages());
  expect(Math.min(...before)).toBeGreaterThan(2);
  const { body } = await asker.ask(Operation.lookupTransfers, lookupBody(40));
  expect([body[0], body[48]]).toEqual([40, 1]);
  const posted = await asker.ask(Operation.createTransfers, postBody(200, 10));
  expect(posted.body[8]).toBe(0xff);
  await asker.ask(Operation.createTransfers, postBody(201, 70));
  await world.simulation.run(1000);
  expect(world.leader?.index).toBe(1);
  expect(world.members.map(({ standing }) => standing?.unready)).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect(new Set(world.members.map(({ stateHash }) => stateHash)).size).toBe(1);
  // What was read is whole on the volume again.
  for (const [i, member] of [leader!, follower!].entries())
    expect(member.damagedPages()).toBeLessThan(before[i]!);
  world.end();
});

test('a damaged page that nobody else has stops the replica that needs it for an operation, without a checkpoint of half a block, and the others go on', async () => {
  const { world, asker } = await withColdRows();
  const [, leader, follower] = world.members;
  isolatePages(follower!);
  follower!.damagePages();
  const posted = await asker.ask(Operation.createTransfers, postBody(200, 10));
  expect(posted.body[8]).toBe(0xff);
  await world.simulation.run(40_000);
  expect(follower!.standing?.unready).toContain('rows_damaged');
  expect(leader!.standing?.role).toBe('primary');
  await asker.ask(Operation.createTransfers, postBody(201, 11));
  let isOver = false;
  void follower!.stop().then(() => (isOver = true));
  await world.simulation.run(10_000);
  expect(isOver).toBe(true);
  world.end();
});

test('a leader that lacks a page which nobody gives lets another replica lead, and a client waits for seconds', async () => {
  const { world, asker } = await withColdRows();
  const [, leader] = world.members;
  isolatePages(leader!);
  leader!.damagePages();
  const beganMs = world.simulation.nowMs;
  const posted = await asker.ask(Operation.createTransfers, postBody(200, 10));
  expect(posted.body[8]).toBe(0xff);
  expect(world.simulation.nowMs - beganMs).toBeLessThan(8000);
  expect(world.leader?.index).not.toBe(1);
  await asker.ask(Operation.createTransfers, postBody(201, 11));
  // It no longer decides about clients: it does not know the sessions that the next leader has begun.
  const other = new Asker(world, 78n);
  await other.register();
  const said: Uint8Array[] = [];
  const young = other.message(Operation.lookupTransfers, lookupBody(10 + PENDING - 1));
  leader!.receive(young, { take: (bytes) => said.push(bytes) });
  await world.simulation.run(1000);
  expect(said).toEqual([]);
  expect(leader!.standing?.role).not.toBe('primary');
  // Who has what it lacks again goes on as a follower.
  delete (leader!.link as { fetchPages?: unknown }).fetchPages;
  await world.simulation.run(5000);
  expect(leader!.standing?.unready).toBeUndefined();
  expect(new Set(world.members.map(({ stateHash }) => stateHash)).size).toBe(1);
  world.end();
});

test('a replica that lacks a page and comes to lead before it has executed the log lets another one lead', async () => {
  const { world, asker } = await withColdRows();
  const [, , follower] = world.members;
  isolatePages(follower!);
  follower!.damagePages();
  await asker.ask(Operation.createTransfers, postBody(200, 10));
  const beganMs = world.simulation.nowMs;
  world.cluster.elect(2);
  await world.simulation.run(300);
  await asker.ask(Operation.createTransfers, postBody(201, 11));
  expect(world.simulation.nowMs - beganMs).toBeLessThan(8000);
  expect(world.leader?.index).not.toBe(2);
  world.end();
});

test('a leader keeps the lead while the others lack the same page, and what does not need it can be read', async () => {
  const { world, asker } = await withColdRows();
  const reader = new Asker(world, 78n);
  await reader.register();
  const [first, leader, follower] = world.members;
  for (const member of [leader!, follower!]) {
    isolatePages(member);
    member.damagePages();
  }
  first!.kill();
  expect(await asker.tryToAsk(Operation.createTransfers, postBody(200, 10), 5000)).toBeUndefined();
  expect(world.leader?.index).toBe(1);
  const young = 10 + PENDING - 1;
  const { body } = await reader.ask(Operation.lookupTransfers, lookupBody(young));
  expect(body[0]).toBe(young);
  // Who has the page again goes on.
  first!.start();
  for (const { link } of [leader!, follower!]) delete (link as { fetchPages?: unknown }).fetchPages;
  await reader.ask(Operation.createTransfers, postBody(201, 11));
  world.end();
});

test('a read that needs a damaged page has no answer while nobody else has it, and what does not need it goes on', async () => {
  const { world, asker } = await withColdRows();
  const [, leader] = world.members;
  const link = leader!.link!;
  const fetchPages = link.fetchPages.bind(link);
  isolatePages(leader!);
  leader!.damagePages();
  expect(await asker.tryToAsk(Operation.lookupTransfers, lookupBody(10), 1000)).toBeUndefined();
  const other = new Asker(world, 78n);
  await other.register();
  const young = 10 + PENDING - 1;
  const { body } = await other.ask(Operation.lookupTransfers, lookupBody(young));
  expect(body[0]).toBe(young);
  expect(world.leader?.index).toBe(1);
  link.fetchPages = fetchPages;
  const later = await asker.ask(Operation.lookupTransfers, lookupBody(10));
  expect(later.body[0]).toBe(10);
  world.end();
});

test.each([
  ['pages of rows', TableId.transferPages],
  ['accounts', TableId.accounts],
  ['rows that fill no page', TableId.transfers],
])('a replica whose %s are damaged starts with what the others have', async (_, table) => {
  const { world, asker } = await withColdRows();
  const [, , follower] = world.members;
  await asker.ask(Operation.createTransfers, transferBody(300, 0));
  follower!.checkpoint();
  await world.simulation.run(500);
  follower!.kill();
  await follower!.damageTable(table);
  await asker.ask(Operation.createTransfers, postBody(200, 10));
  follower!.start();
  await world.simulation.run(3000);
  expect(follower!.recoverError).toBeUndefined();
  await asker.ask(Operation.createTransfers, postBody(201, 11));
  await world.simulation.run(500);
  expect(new Set(world.members.map(({ stateHash }) => stateHash)).size).toBe(1);
  expect(follower!.catchUps).toBe(table === TableId.transferPages ? 0 : 1);
  world.end();
});

test('no older state takes the place of a damaged one, whose operations the log may no longer have', async () => {
  const { world } = await withColdRows();
  const [first, second, third] = world.members;
  third!.mayHalt = true;
  third!.checkpoint();
  await world.simulation.run(500);
  third!.kill();
  await third!.damageTable(TableId.accounts);
  const damaged = third!.fileBytes();
  const floors: number[] = [];
  const missing: number[] = [];
  const hasNone = new Error('this replica has no such checkpoint');
  for (const { link } of [first!, second!]) {
    link!.handler = {
      ...link!.handler!,
      sendState: async (floor) => {
        floors.push(floor);
        throw hasNone;
      },
      sendMissing: async (floor) => {
        missing.push(floor);
        throw hasNone;
      },
    };
  }
  third!.start();
  await world.simulation.run(32_000);
  expect(Math.min(...floors, ...missing)).toBeGreaterThan(1);
  expect(floors.length).toBeGreaterThan(0);
  expect(missing.length).toBeGreaterThan(0);
  expect(third!.recoverError).toMatchObject({ code: 'checkpoint_corrupt' });
  expect(Buffer.compare(third!.fileBytes(), damaged)).toBe(0);
  world.end();
});

test('a replica whose state is damaged asks the next one, if the first one cannot give its own either', async () => {
  const { world, asker } = await withColdRows();
  const [first, , third] = world.members;
  await asker.ask(Operation.createTransfers, transferBody(300, 0));
  for (const member of world.members) member.checkpoint();
  await world.simulation.run(500);
  third!.kill();
  await third!.damageTable(TableId.accounts);
  // Nobody has seen this yet.
  await first!.damageTable(TableId.accounts);
  third!.start();
  await world.simulation.run(5000);
  expect(third!.recoverError).toBeUndefined();
  expect(third!.catchUps).toBe(1);
  expect(new Set(world.members.map(({ stateHash }) => stateHash)).size).toBe(1);
  // Its own damage is known to the first one since then, and gone.
  await first!.link!.handler!.sendState(2, async () => undefined);
  world.end();
});

const PATH = '/disk/0_0.ledger';
const IDENTITY = { clusterId: 0n, replicaIndex: 0, replicaCount: 1 };

/** A single replica's log and ledger. Its rows and accounts leave memory as soon as they may; the cache has one page. */
async function opened(storage: MemoryStorage, accountsShift = 5) {
  const onFailure = (error: Error): never => {
    throw error;
  };
  const told: string[] = [];
  const data = await DataFile.open({
    path: PATH,
    release: engineRelease,
    storage,
    onFailure,
    onDamage: ({ code }) => told.push(code),
    onMended: ({ table, pages, from }) => told.push(`${pages} of ${table} from ${from.join()}`),
  });
  const log = new FileLog(data);
  const indexSizes = { sealRows: 32, chunkRows: 8, pageBytes: PAGE_BYTES };
  const accounts = { accountsShift, accountsStayBytes: 0, liveAccountsMax: 2, indexSizes };
  const cold = { rowsLeaveAtBytes: 0, rowsShift: 2, pageCacheBytes: PAGE_BYTES, ...accounts };
  const ledger = new StateMachine({ memoryLimitBytes: 2 ** 30, ...cold });
  const executor = new Executor({
    ledger,
    identity: IDENTITY,
    batchSizeLimit: batchSizeLimitProduction,
  });
  let wantsCheckpoint = false;
  log.mendWith({
    donors: async function* donors() {
      yield memoryDonor(ledger);
    },
    checkpoint: (table) => {
      ledger.mustStay(table);
      wantsCheckpoint = true;
    },
  });
  const checkpoint = () => log.checkpoint(executor.state, executor.position());
  /** Verifies the whole file. */
  const verify = async (): Promise<void> => {
    const sections = await readManifest(data.file, data.superblock);
    for (const _ of sections.flatMap(({ pieces }) => pieces)) await data.verifyNext();
  };
  /** Verifies the whole file, and takes the checkpoint that this asks for. */
  const scrub = async (): Promise<void> => {
    await verify();
    if (wantsCheckpoint) await checkpoint();
    wantsCheckpoint = false;
  };
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
  return { log, data, told, ledger, executor, execute, checkpoint, verify, scrub };
}

test('a single replica mends what is in memory by itself, and names what is not', async () => {
  const storage = new MemoryStorage();
  await createEmpty({
    path: PATH,
    storage,
    logSizeBytes: 1 << 20,
    release: engineRelease,
    identity: IDENTITY,
  });
  const one = await opened(storage);
  await one.execute(Operation.createAccounts, accountsBody(1, 2));
  for (let id = 10; id < 10 + PENDING; id += 1)
    await one.execute(Operation.createTransfers, transferBody(id, TIMEOUT_S));
  await one.checkpoint();
  const { data, told } = one;
  const sections = await readManifest(data.file, data.superblock);
  for (const { table, pieces } of sections) {
    // Rows in pages have left memory. The index and start points are made by a start.
    if (table === TableId.transferPages || isDerived(table)) continue;
    storage.rot(PATH, (bytes) => (bytes[pieces[0]!.offset + 5]! ^= 8));
  }
  await one.scrub();
  expect(new Set(told)).toEqual(new Set(['checkpoint_corrupt']));
  expect(data.scrubbing().damagedBytes).toBe(0);
  expect(await inspectDataFile(PATH, storage)).toMatchObject({ errors: [] });
  const pages = sections.find(({ table }) => table === TableId.transferPages)!;
  const [piece] = pages.pieces;
  storage.rot(PATH, (bytes) => (bytes[piece!.offset + 5]! ^= 8));
  told.length = 0;
  await one.scrub();
  expect(told).toEqual(['checkpoint_corrupt', '1 of 7 from memory']);
  // With the next operation the oldest rows leave memory.
  await one.execute(Operation.createTransfers, transferBody(400, 0));
  storage.rot(PATH, (bytes) => (bytes[piece!.offset + 5]! ^= 8));
  await one.scrub();
  expect(told).toHaveLength(2);
  expect(data.scrubbing()).toMatchObject({ damagedBytes: piece!.size, mendedPages: 1 });
  await one.log.close();
});

test('damaged accounts keep no checkpoint from a volume without room for them once more, and are written anew when there is', async () => {
  const storage = new MemoryStorage();
  const log = { logSizeBytes: 1 << 20, release: engineRelease, identity: IDENTITY };
  await createEmpty({ path: PATH, storage, ...log });
  // Only what is in memory can be written anew: here all accounts stay there.
  const one = await opened(storage, 14);
  for (let first = 1; first < 6000; first += 100) {
    const ids = Array.from({ length: 100 }, (_, i) => first + i);
    await one.execute(Operation.createAccounts, accountsBody(...ids));
  }
  await one.checkpoint();
  const sections = await readManifest(one.data.file, one.data.superblock);
  const [piece] = sections.find(({ table }) => table === TableId.accounts)!.pieces;
  storage.rot(PATH, (bytes) => (bytes[piece!.offset + 5]! ^= 8));
  storage.capacity = storage.bytes(PATH).length + (200 << 10);
  await one.scrub();
  expect(one.data.scrubbing().damagedBytes).toBe(piece!.size);
  await one.execute(Operation.createAccounts, accountsBody(7000, 7001));
  await one.checkpoint();
  expect(one.data.superblock.position.op).toBe(one.executor.op);
  storage.capacity = Infinity;
  const later = performance.now() + 100_000;
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => later);
  await one.scrub();
  clock.mockRestore();
  expect(one.data.scrubbing().damagedBytes).toBe(0);
  expect(await inspectDataFile(PATH, storage)).toMatchObject({ errors: [] });
  const again = await opened(storage.afterKill());
  expect(again.ledger.stateHash()).toEqual(one.ledger.stateHash());
  expect(again.ledger.counts()).toEqual(one.ledger.counts());
});

/** A replica whose 3,000 accounts in memory are damaged in its file. The first 4,096 leave memory when there are more, and they may. */
async function withDamagedAccounts(storage: MemoryStorage) {
  const log = { logSizeBytes: 1 << 20, release: engineRelease, identity: IDENTITY };
  await createEmpty({ path: PATH, storage, ...log });
  const one = await opened(storage, 12);
  const createTo = async (end: number): Promise<void> => {
    while (one.ledger.counts().accounts < end) {
      const first = one.ledger.counts().accounts + 1;
      const ids = Array.from({ length: 100 }, (_, i) => first + i);
      await one.execute(Operation.createAccounts, accountsBody(...ids));
    }
  };
  await createTo(3000);
  await one.checkpoint();
  const sections = await readManifest(one.data.file, one.data.superblock);
  const [piece] = sections.find(({ table }) => table === TableId.accounts)!.pieces;
  storage.rot(PATH, (bytes) => (bytes[piece!.offset + 5]! ^= 8));
  return { ...one, createTo, piece: piece! };
}

test('damaged accounts stay in memory until a checkpoint has written them, however many were without room for that', async () => {
  const storage = new MemoryStorage();
  const one = await withDamagedAccounts(storage);
  // Not for all accounts once more.
  storage.capacity = storage.bytes(PATH).length + (330 << 10);
  await one.scrub();
  await one.createTo(5000);
  await one.checkpoint();
  expect(one.data.superblock.position.op).toBe(one.executor.op);
  expect(one.data.scrubbing().damagedBytes).toBe(one.piece.size);
  await one.createTo(5100);
  storage.capacity = Infinity;
  const later = performance.now() + 100_000;
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => later);
  await one.scrub();
  clock.mockRestore();
  expect(one.data.scrubbing().damagedBytes).toBe(0);
  expect(await inspectDataFile(PATH, storage)).toMatchObject({ errors: [] });
  // Then they leave it as others do.
  await one.createTo(5200);
  const move = moveBody({ id: 1, debit: 1, credit: 2 });
  expect(one.ledger.prepare(Operation.createTransfers, 10n ** 12n, move)).toBeDefined();
});

test('accounts whose damage was found do not leave memory before the checkpoint that is to write them', async () => {
  const storage = new MemoryStorage();
  const one = await withDamagedAccounts(storage);
  await one.createTo(5000);
  await one.checkpoint();
  await one.verify();
  await one.createTo(5100);
  await one.checkpoint();
  expect(await inspectDataFile(PATH, storage)).toMatchObject({ errors: [] });
  const again = await opened(storage.afterKill());
  expect(again.ledger.stateHash()).toEqual(one.ledger.stateHash());
});

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

/** A replica with 100 accounts, whose table has two pieces, and of which all but the youngest have left memory. */
async function withColdAccounts(storage: MemoryStorage) {
  const log = { logSizeBytes: 1 << 20, release: engineRelease, identity: IDENTITY };
  await createEmpty({ path: PATH, storage, ...log });
  const one = await opened(storage);
  // A machine with everything in memory, which is given the same.
  const inMemory = new StateMachine({ memoryLimitBytes: 2 ** 30 });
  const execute = async (operation: number, body: Uint8Array): Promise<void> => {
    await one.execute(operation, body);
    inMemory.commit(operation, BigInt(one.executor.op) * 1_000_000n, body);
  };
  const range = (first: number, end: number): number[] =>
    Array.from({ length: end - first }, (_, i) => first + i);
  await execute(Operation.createAccounts, accountsBody(...range(1, 46)));
  await one.checkpoint();
  await execute(Operation.createAccounts, accountsBody(...range(46, 101)));
  await one.checkpoint();
  await execute(Operation.createTransfers, moveBody({ id: 1, debit: 99, credit: 100 }));
  return { ...one, execute, inMemory };
}

/** What a ledger answers of all accounts. */
async function accountsOf(ledger: StateMachine, log: FileLog): Promise<string> {
  const ids = new Uint32Array(100 * 4);
  for (let i = 0; i < 100; i += 1) ids[i * 4] = i + 1;
  const read = ledger.beginRead(Operation.lookupAccountsUnbatched, new Uint8Array(ids.buffer));
  for (let step; (step = read.step(Infinity)) !== true;)
    if (step !== false) await log.pages.read(step.pages, step.arrived);
  return Buffer.from(read.finish()).toString('base64');
}

test('accounts that have left memory move, expire and are read as those in memory, also after a kill at any operation', async () => {
  const storage = new MemoryStorage();
  const one = await withColdAccounts(storage);
  for (let i = 0; i < 40; i += 1) {
    const debit = 1 + ((i * 37) % 96);
    const credit = 1 + ((i * 61 + 5) % 96);
    if (debit === credit) continue;
    const timeout = i % 3 === 0 ? TIMEOUT_S : 0;
    await one.execute(Operation.createTransfers, moveBody({ id: 10 + i, debit, credit, timeout }));
    if (i % 9 === 4) await one.execute(Operation.createTransfers, postBody(200 + i, 10 + i - 1));
    if (i === 20) await one.checkpoint();
    if (i % 8 !== 7) continue;
    expect(one.ledger.stateHash()).toEqual(one.inMemory.stateHash());
    const again = await opened(storage.afterKill());
    expect(again.ledger.stateHash()).toEqual(one.ledger.stateHash());
    expect(again.ledger.pages().read).toBeGreaterThan(0);
    const expected = await accountsOf(one.inMemory, one.log);
    expect(await accountsOf(again.ledger, again.log)).toBe(expected);
    expect(await accountsOf(one.ledger, one.log)).toBe(expected);
    await again.log.close();
  }
  expect(one.ledger.pages().read).toBeGreaterThan(50);
  await one.log.close();
});

test('an import looks into each page of accounts once, however small the cache is', async () => {
  const storage = new MemoryStorage();
  const log = { logSizeBytes: 1 << 20, release: engineRelease, identity: IDENTITY };
  await createEmpty({ path: PATH, storage, ...log });
  const one = await opened(storage);
  // Two requests make the accounts of a page.
  const requests = 26;
  const timeOf = (request: number): bigint => BigInt(request) * 1_000_000n;
  for (let request = 0; request < requests; request += 1) {
    const ids = Array.from({ length: 16 }, (_, i) => 1 + request * 16 + i);
    await one.execute(Operation.createAccounts, accountsBody(...ids));
  }
  await one.checkpoint();
  await one.execute(Operation.createAccounts, accountsBody(500));
  // Between the requests, and at the time of the last account of each.
  const times = Array.from({ length: requests - 2 }, (_, i) => timeOf(i + 1)).flatMap((time) => [
    time,
    time + 500_000n,
  ]);
  const body = importedBody(times);
  const at = timeOf(one.executor.op + 1);
  const before = one.ledger.pages().read;
  let rounds = 0;
  for (
    let needs;
    (needs = one.ledger.prepare(Operation.createTransfers, at, body)) !== undefined;
  ) {
    rounds += 1;
    await one.log.pages.read(needs.pages, needs.arrived);
  }
  // Pages of accounts of the transfers, and then their last events, come with them.
  expect(rounds).toBeLessThanOrEqual(2);
  expect(one.ledger.pages().read - before).toBeLessThanOrEqual(requests / 2 + 2);
  const reply = one.ledger.commit(Operation.createTransfers, at, body);
  const view = new DataView(reply.buffer, reply.byteOffset);
  const refused = times.map((_, i) => view.getUint32(i * 16 + 8, true) === REGRESSES);
  expect(refused).toEqual(times.map((_, i) => i % 2 === 0));
  await one.log.close();
});

test('an imported transfer at the time of an account is refused, also if that account leaves memory while the transfer waits', async () => {
  const one = await withColdAccounts(new MemoryStorage());
  const ids = Array.from({ length: 60 }, (_, i) => 101 + i);
  await one.execute(Operation.createAccounts, accountsBody(...ids));
  // Account 110, which is in memory now.
  const body = importedBody([BigInt(one.executor.op) * 1_000_000n - 50n]);
  const timestamp = BigInt(one.executor.op + 3) * 1_000_000n;
  const prepare = () => one.ledger.prepare(Operation.createTransfers, timestamp, body);
  let needs = prepare();
  expect(needs).toBeDefined();
  await one.log.pages.read(needs!.pages, needs!.arrived);
  // An operation before it is executed after a checkpoint.
  await one.checkpoint();
  await one.execute(Operation.createAccounts, accountsBody(200));
  while ((needs = prepare()) !== undefined) await one.log.pages.read(needs.pages, needs.arrived);
  for (const machine of [one.ledger, one.inMemory]) {
    const reply = machine.commit(Operation.createTransfers, timestamp, body);
    expect(new DataView(reply.buffer, reply.byteOffset).getUint32(8, true)).toBe(REGRESSES);
  }
  expect(one.ledger.stateHash()).toEqual(one.inMemory.stateHash());
  await one.log.close();
});

test.each(['timestamp_min', 'timestamp_max'])(
  'a query that waits for pages keeps to its %s when rows leave memory meanwhile',
  async (bound) => {
    const one = await withColdAccounts(new MemoryStorage());
    for (let id = 10; id < 90; id += 1)
      await one.execute(Operation.createTransfers, moveBody({ id, debit: 1, credit: 2 }));
    await one.checkpoint();
    const { op } = one.executor;
    for (let id = 90; id < 150; id += 1)
      await one.execute(Operation.createTransfers, moveBody({ id, debit: 1, credit: 2 }));
    // Some rows that are in memory, and will not be.
    const time = BigInt(op + 15) * 1_000_000n;
    const filter = new Uint8Array(64);
    const view = new DataView(filter.buffer);
    const isMin = bound === 'timestamp_min';
    view.setBigUint64(40 + (isMin ? 0 : 8), time, true);
    view.setUint32(56, 8189, true);
    view.setUint32(60, isMin ? 1 : 0, true);
    const read = one.ledger.beginRead(Operation.queryTransfersUnbatched, filter);
    const first = read.step(Infinity);
    if (typeof first === 'boolean') throw new Error('pages are lacking');
    await one.log.pages.read(first.pages, first.arrived);
    await one.checkpoint();
    await one.execute(Operation.createAccounts, accountsBody(200));
    for (let step; (step = read.step(Infinity)) !== true;)
      if (step !== false) await one.log.pages.read(step.pages, step.arrived);
    const expected = one.inMemory.read(Operation.queryTransfersUnbatched, filter);
    expect(expected.length).toBeGreaterThan(128);
    expect(Buffer.from(read.finish()).equals(expected)).toBe(true);
    await one.log.close();
  },
);

test('a damaged page of accounts that have left memory is never taken for another one, and keeps no other account from moving', async () => {
  const storage = new MemoryStorage();
  const one = await withColdAccounts(storage);
  const sections = await readManifest(one.data.file, one.data.superblock);
  const [piece] = sections.find(({ table }) => table === TableId.accounts)!.pieces;
  storage.rot(PATH, (bytes) => (bytes[piece!.offset + 5]! ^= 8));
  const damaged = moveBody({ id: 300, debit: 3, credit: 99 });
  const needs = one.ledger.prepare(Operation.createTransfers, 1_000_000_000n, damaged)!;
  await expect(one.log.pages.read(needs.pages, needs.arrived)).rejects.toMatchObject({
    code: 'checkpoint_corrupt',
  });
  // The second page goes on in the next piece, and the last accounts are in memory.
  await one.execute(Operation.createTransfers, moveBody({ id: 301, debit: 44, credit: 47 }));
  await one.execute(Operation.createTransfers, moveBody({ id: 302, debit: 99, credit: 60 }));
  expect(one.ledger.stateHash()).toEqual(one.inMemory.stateHash());
  // Nothing in memory can take the place of the piece: checkpoints go on without writing it anew.
  await one.scrub();
  await one.checkpoint();
  expect(one.data.superblock.position.op).toBe(one.executor.op);
  expect(one.data.scrubbing().damagedBytes).toBe(piece!.size);
  await one.log.close();
  const started = opened(storage.afterKill());
  await expect(started).rejects.toMatchObject({ code: 'checkpoint_corrupt' });
  storage.rot(PATH, (bytes) => (bytes[piece!.offset + 5]! ^= 8));
  const again = await opened(storage.afterKill());
  expect(again.ledger.stateHash()).toEqual(one.inMemory.stateHash());
  await again.log.close();
});

test('a replica whose accounts have left memory and are damaged stops, and starts with what the others have', async () => {
  const { world, asker } = await withColdRows();
  const [, , follower] = world.members;
  const ids = Array.from({ length: 90 }, (_, i) => 100 + i);
  await asker.ask(Operation.createAccounts, accountsBody(...ids));
  for (const member of world.members) member.checkpoint();
  await world.simulation.run(500);
  const move = (id: number, debit: number, credit: number) =>
    asker.ask(Operation.createTransfers, moveBody({ id, debit, credit }));
  await move(400, 187, 188);
  follower!.mayHalt = true;
  await follower!.damageTable(TableId.accounts);
  const moved = await move(401, 101, 130);
  expect(moved.body[8]).toBe(0xff);
  await world.simulation.run(3000);
  expect(follower!.standing?.unready).toContain('rows_damaged');
  await move(402, 102, 131);
  follower!.kill();
  follower!.start();
  await world.simulation.run(5000);
  expect(follower!.recoverError).toBeUndefined();
  await move(403, 103, 132);
  await world.simulation.run(500);
  expect(follower!.catchUps).toBe(1);
  expect(new Set(world.members.map(({ stateHash }) => stateHash)).size).toBe(1);
  world.end();
});

test('pages that were read ahead for operations that wait are not read again for them', async () => {
  const one = await withColdAccounts(new MemoryStorage());
  const { ledger, log } = one;
  const queue = new ExecutionQueue({
    bring: ({ pages, arrived }) => log.pages.read(pages, arrived),
    onFailure: (error) => {
      throw error;
    },
  });
  const before = ledger.pages().read;
  // Each needs a row of both pages of accounts, and the cache holds one page.
  for (let i = 0; i < 5; i += 1) {
    const body = moveBody({ id: 300 + i, debit: 1 + i, credit: 40 + i });
    const timestamp = 1_000_000_000n + BigInt(i);
    queue.push({
      prepare: () => ledger.prepare(Operation.createTransfers, timestamp, body),
      run: () => {
        ledger.commit(Operation.createTransfers, timestamp, body);
        one.inMemory.commit(Operation.createTransfers, timestamp, body);
      },
    });
  }
  await queue.idle();
  expect(ledger.stateHash()).toEqual(one.inMemory.stateHash());
  expect(ledger.counts().transfers).toBe(6);
  expect(ledger.pages().read - before).toBe(5 * 2);
  await log.close();
});
