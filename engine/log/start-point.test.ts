/**
 * Start points in a data file: what a start does not read, and what a crash at any write, rot of any byte, and a full volume do to it.
 * Whatever happens, the same ledger answers the same, or says what is damaged.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeAll, expect, jest, test } from '@jest/globals';
import { isDerived, SectionKind } from '../ledger/checkpoint.ts';
import { TableId } from '../ledger/checkpoint-tables.ts';
import { PAGE_BYTES } from '../ledger/page.ts';
import { RowIndex } from '../ledger/row-index.ts';
import { SegmentMerge } from '../ledger/segments/segment-merge.ts';
import { isStartPoint } from '../ledger/start-point.ts';
import { StateMachine } from '../ledger/state-machine.ts';
import { Operation } from '../wire/operations.ts';
import { DataFile } from './data-file.ts';
import { readWholeCheckpoint } from './export.ts';
import { FileLog } from './file-log.ts';
import { inspectDataFile } from './inspect.ts';
import { BLOCK_SIZE } from './layout.ts';
import { readManifest, type Piece, type StoredSection } from './manifest.ts';
import { restoreCheckpoint } from './restore.ts';
import { readSuperblock } from './superblock.ts';
import type { TakenState } from './take-missing.ts';
import { MemoryStorage, PowerLoss } from './testing/memory-storage.ts';
import { createToyFile, PATH, RELEASE } from './testing/replica.ts';

const LOG_SIZE = 64 << 10;
/**
 * A checkpoint writes a third of a point, and of the index two segments or a part of what they are merged into. Rows and accounts leave memory as soon as they may; the cache has a few pages, and few accounts
 * come back to stay.
 */
const OPTIONS = {
  memoryLimitBytes: 2 ** 30,
  rowsLeaveAtBytes: 0,
  rowsShift: 2,
  accountsShift: 5,
  accountsStayBytes: 0,
  liveAccountsMax: 3,
  pageCacheBytes: 12 * PAGE_BYTES,
  indexSizes: { sealRows: 16, chunkRows: 4, pageBytes: 4096, deltaBytesMax: 16 << 12 },
  startPointSizes: { rows: 24, bytes: 400 },
  onIndexDamage: () => void (damages += 1),
};
/** Accounts, and those of them that the first operation creates. The second creates the others: a page of them goes on in a second piece. */
const ACCOUNTS = 65;
const FIRST_ACCOUNTS = 45;
const OPS = 33;

let damages = 0;
let keys = 0;
/** How often pages of the index came back to be merged. */
let returned = 0;
/** What replicas have said when their process had to end. */
let failures: string[] = [];

const newMachine = (options: object = OPTIONS): StateMachine =>
  new StateMachine({ ...OPTIONS, ...options, hashKey: { low: (keys += 1), high: 5 } });

const timestampOf = (op: number): bigint => BigInt(op) * 1_000_000_000n;
const operationOf = (op: number): number => {
  if (op <= 2) return Operation.createAccountsUnbatched;
  return op % 3 === 0 ? Operation.pulse : Operation.createTransfersUnbatched;
};

/** Flags and timeout of the transfers of an operation: plain, pending, pending with a timeout, post, void. */
const PLAIN = [0, 0];
const KINDS = [PLAIN, [2, 0], [2, 4], [4, 0], PLAIN, [2, 9], [8, 0], PLAIN, [2, 0]] as const;

/** The event of operation `op` at place `i`. Posts and voids are of what the operations before it have left pending. */
function putTransfer(words: Uint32Array, at: number, op: number, i: number): void {
  const [flags, timeout] = KINDS[i]!;
  words[at] = op * 100 + i;
  words.set([1, 0, 0, i], at + 28);
  words[at + 29] = 1 | (flags << 16);
  if (flags >= 4) words[at + 16] = (op - 3) * 100 + (flags === 4 ? 1 : 5);
  else {
    // Most accounts have had no event for some checkpoints, some never have one.
    const account = (place: number): number => 1 + ((op * 13 + place * 3) % (ACCOUNTS - 5));
    words.set([account(0), 0, 0, 0, account(1 + (i % 8))], at + 4);
    // Every ninth amount is above 64 bits.
    words.set([1 + i, 0, i === 7 ? 1 : 0], at + 12);
    words[at + 27] = timeout;
  }
  words.set([1 + (op % 5), 0, 0, 0, op], at + 20);
  words[at + 31] = 0;
  words[at + 30] = 0;
}

function bodyOf(op: number): Uint8Array {
  if (operationOf(op) === Operation.pulse) return new Uint8Array(0);
  const first = op === 1 ? 1 : FIRST_ACCOUNTS + 1;
  const accounts = op === 1 ? FIRST_ACCOUNTS : ACCOUNTS - FIRST_ACCOUNTS;
  const count = op <= 2 ? accounts : KINDS.length;
  const words = new Uint32Array(count * 32);
  for (let i = 0; i < count; i += 1) {
    if (op > 2) putTransfer(words, i * 32, op, i);
    else words.set([first + i, ...Array<number>(27).fill(0), 1, 1], i * 32);
  }
  return new Uint8Array(words.buffer);
}

class LedgerReplica {
  readonly machine: StateMachine;
  readonly #log: FileLog;
  op: number;
  durableOp: number;

  private constructor(log: FileLog, machine: StateMachine, op: number) {
    this.#log = log;
    this.machine = machine;
    this.op = op;
    this.durableOp = op;
  }

  static async start(storage: MemoryStorage, machine = newMachine()): Promise<LedgerReplica> {
    const onFailure = (error: Error): void => void failures.push(error.message);
    const log = await FileLog.open({ path: PATH, release: RELEASE, storage, onFailure });
    try {
      let last = 0;
      const replica = new LedgerReplica(log, machine, 0);
      const { op } = await log.recover(machine, async (entry) => {
        await replica.#execute(entry.op);
        last = entry.op;
      });
      // Segments of the index come back to be merged, with whatever else happens.
      machine.useIndexVolume(({ pages, arrived }, tell) => {
        log.pages.read(pages, arrived).then(
          () => {
            returned += 1;
            tell(true);
          },
          () => tell(false),
        );
      });
      replica.op = Math.max(op, last);
      replica.durableOp = replica.op;
      return replica;
    } catch (error) {
      await log.close();
      throw error;
    }
  }

  async #execute(op: number): Promise<void> {
    const what = [operationOf(op), timestampOf(op), bodyOf(op)] as const;
    for (let needs; (needs = this.machine.prepare(...what));)
      await this.#log.pages.read(needs.pages, needs.arrived);
    this.machine.commit(...what);
  }

  /** Executes the next operation. Resolves with a promise of its being durable, which never comes if the disk fails first. */
  async run(): Promise<{ readonly durable: Promise<void> }> {
    const op = this.op + 1;
    await this.#execute(op);
    this.op = op;
    const entry = { op, timestamp: timestampOf(op), view: 0, message: new Uint8Array(16) };
    const durable = new Promise<void>((resolve) => {
      this.#log.append(entry, () => {
        this.durableOp = op;
        resolve();
      });
    });
    return { durable };
  }

  async checkpoint(): Promise<void> {
    const { op, machine } = this;
    const position = { op, timestamp: timestampOf(op), view: 0, stateHash: machine.stateHash() };
    await this.#log.checkpoint(machine, position);
  }

  async #read(operation: number, words: Uint32Array): Promise<Uint8Array> {
    const read = this.machine.beginRead(operation, new Uint8Array(words.buffer));
    for (let step; (step = read.step(Infinity)) !== true;) {
      if (step !== false) await this.#log.pages.read(step.pages, step.arrived);
    }
    return read.finish();
  }

  /** Everything that the ledger answers: transfers by query and by id, changes with balances, accounts, what is next to expire. */
  async answers(): Promise<string> {
    const ids = new Uint32Array(4 * 80);
    for (let i = 0; i < 80; i += 1) ids[i * 4] = 200 + i * 41;
    const query = new Uint32Array(16);
    query.set([3, 0, 0, 0]);
    query[14] = 8000;
    const since = new Uint32Array(16);
    since.set(new Uint32Array(BigUint64Array.of(timestampOf(7)).buffer));
    since[4] = 2000;
    const accounts = new Uint32Array(4 * ACCOUNTS);
    for (let i = 0; i < ACCOUNTS; i += 1) accounts[i * 4] = i + 1;
    const answers = [
      await this.#read(Operation.queryTransfersUnbatched, query),
      await this.#read(Operation.lookupTransfersUnbatched, ids),
      await this.#read(Operation.getChangeEvents, since),
      await this.#read(Operation.lookupAccountsUnbatched, accounts),
    ];
    const { machine } = this;
    const rest = [machine.stateHash(), ...answers].map((a) => Buffer.from(a).toString('base64'));
    return JSON.stringify([machine.counts(), String(machine.nextExpiry()), ...rest]);
  }

  close(): Promise<void> {
    return this.#log.close();
  }
}

async function sectionsOf(disk: MemoryStorage): Promise<readonly StoredSection[]> {
  const file = await disk.open(PATH, { exclusive: false });
  return readManifest(file, await readSuperblock(file));
}

const pointOf = async (disk: MemoryStorage): Promise<readonly StoredSection[]> =>
  (await sectionsOf(disk)).filter(({ table }) => isStartPoint(table));

const piecesOf = (sections: readonly StoredSection[]): readonly Piece[] =>
  sections.flatMap(({ pieces }) => pieces);

const PAGES: readonly number[] = [TableId.transferPages, TableId.widePages, TableId.expiryPages];

/** Answers by the number of operations, of a ledger that has all rows in memory. */
const expected: string[] = [];
/** A closed file whose start point is some operations old. Its next checkpoints write the next point. */
let whole: Uint8Array;
/** A closed file of another replica, with all rows that `expected` has answers for. */
let newest: Uint8Array;

beforeAll(async () => {
  const inMemory = new MemoryStorage();
  await createToyFile(inMemory, LOG_SIZE);
  const all = await LedgerReplica.start(inMemory, newMachine({ rowsLeaveAtBytes: 2 ** 30 }));
  expected.push(await all.answers());
  for (let op = 1; op <= OPS + 12; op += 1) {
    await all.run();
    if (op % 9 === 0) await all.checkpoint();
    expected.push(await all.answers());
  }
  await all.close();
  newest = inMemory.bytes(PATH);
  const disk = new MemoryStorage();
  await createToyFile(disk, LOG_SIZE);
  const replica = await LedgerReplica.start(disk);
  for (let op = 1; op <= OPS; op += 1) {
    await (
      await replica.run()
    ).durable;
    if (op % 2 === 1) await replica.checkpoint();
  }
  expect(await replica.answers()).toBe(expected[OPS]);
  await replica.close();
  whole = disk.bytes(PATH);
});

/** Flips a bit in each page of the older half of all. Returns their number. */
async function damageOldPages(bytes: Uint8Array): Promise<number> {
  let damaged = 0;
  for (const { table, pieces } of await sectionsOf(MemoryStorage.of(PATH, whole))) {
    if (!PAGES.includes(table)) continue;
    // The youngest pages are read: those after the point, and those of rows that are in no segment yet.
    const old = pieces.slice(0, Math.floor(pieces.length / 2));
    for (const { offset, size } of old) {
      for (let at = 0; at < size; at += PAGE_BYTES) bytes[offset + at + 100]! ^= 1;
      damaged += size / PAGE_BYTES;
    }
  }
  return damaged;
}

test('a start reads no old rows: with all of them damaged it starts, answers what needs none of them, and says so of what does', async () => {
  const bytes = whole.slice();
  expect(await damageOldPages(bytes)).toBeGreaterThan(3);
  const disk = MemoryStorage.of(PATH, bytes);
  damages = 0;
  const replica = await LedgerReplica.start(disk);
  expect(damages).toBe(0);
  expect(replica.machine.counts()).toEqual(JSON.parse(expected[OPS]!)[0]);
  expect(Buffer.from(replica.machine.stateHash()).toString('base64')).toBe(
    JSON.parse(expected[OPS]!)[2],
  );
  await expect(replica.answers()).rejects.toMatchObject({ code: 'checkpoint_corrupt' });
  await replica.close();
  const inspection = await inspectDataFile(PATH, disk);
  const isDamage = expect.objectContaining({ code: 'checkpoint_corrupt' });
  expect(inspection).toMatchObject({ errors: expect.arrayContaining([isDamage]) });
});

test('a flipped bit anywhere in the pages is found by the start or by what needs the page: no answer is ever another one', async () => {
  const pieces = piecesOf(
    (await sectionsOf(MemoryStorage.of(PATH, whole))).filter(({ table }) => PAGES.includes(table)),
  );
  const outcomes = new Set<string>();
  for (const { offset, size } of pieces) {
    for (let at = 0; at < size; at += 1) {
      if (at % 1283 !== 0) continue;
      const bytes = whole.slice();
      bytes[offset + at]! ^= 1 << (at % 8);
      const replica = await LedgerReplica.start(MemoryStorage.of(PATH, bytes)).catch(
        (error: unknown) => {
          expect(error).toMatchObject({ code: 'checkpoint_corrupt' });
        },
      );
      if (replica === undefined) {
        outcomes.add('start');
        continue;
      }
      const answers = await replica.answers().catch((error: unknown) => {
        expect(error).toMatchObject({ code: 'checkpoint_corrupt' });
      });
      outcomes.add(answers === undefined ? 'read' : 'none');
      if (answers !== undefined) expect(answers).toBe(expected[OPS]);
      await replica.close();
    }
  }
  expect(outcomes).toContain('start');
  expect(outcomes).toContain('read');
});

test('a flipped bit anywhere in a start point or in the index is told by the start that reads it, or by the one after it was met, which reads the rows instead', async () => {
  const sections = await sectionsOf(MemoryStorage.of(PATH, whole));
  const pieces = piecesOf(sections.filter(({ table }) => isDerived(table)));
  expect(pieces.length).toBeGreaterThan(1);
  let told = 0;
  let met = 0;
  for (const { offset, size } of pieces) {
    for (let at = 0; at < size; at += 1) {
      // Pages of the index are mostly empty.
      if (at % (size >= PAGE_BYTES ? 6007 : 397) !== 0) continue;
      const bytes = whole.slice();
      bytes[offset + at]! ^= 1 << (at % 8);
      const disk = MemoryStorage.of(PATH, bytes);
      damages = 0;
      let replica = await LedgerReplica.start(disk);
      const answers = await replica.answers().catch((error: unknown) => error);
      if (typeof answers !== 'string') {
        expect([damages, answers]).toMatchObject([0, { code: 'index_damaged' }]);
        met += 1;
        await replica.close();
        replica = await LedgerReplica.start(disk);
        expect(damages).toBeGreaterThan(0);
      }
      told += damages;
      expect(await replica.answers()).toBe(expected[OPS]);
      // Damage that a start has found is gone from the next checkpoints.
      const isTold = damages > 0;
      for (let round = 0; round < (isTold ? 6 : 0); round += 1) {
        await (
          await replica.run()
        ).durable;
        await replica.checkpoint();
      }
      await replica.close();
      if (!isTold) continue;
      expect(await inspectDataFile(PATH, disk)).toMatchObject({ errors: [] });
      damages = 0;
      const again = await LedgerReplica.start(disk);
      expect([damages, await again.answers()]).toEqual([0, expected[again.op]]);
      await again.close();
    }
  }
  expect(told).toBeGreaterThan(5);
  expect(met).toBeGreaterThan(0);
});

test('a page of the index that rots while it is on the volume only ends the process that needs it, and the next start makes the index from the rows', async () => {
  const disk = MemoryStorage.of(PATH, whole);
  const replica = await LedgerReplica.start(disk);
  expect(replica.machine.index().onVolume).toBeGreaterThan(2);
  const file = await disk.open(PATH, { exclusive: false });
  const index = (await sectionsOf(disk)).filter(
    ({ table, rowSize }) => isDerived(table) && rowSize === PAGE_BYTES,
  );
  for (const { offset } of piecesOf(index)) await file.write(new Uint8Array(8), offset + 100);
  failures = [];
  await expect(replica.answers()).rejects.toMatchObject({ code: 'index_damaged' });
  expect(failures).toEqual([expect.stringMatching(/the next start makes the index/)]);
  damages = 0;
  const again = await LedgerReplica.start(disk.afterKill());
  expect(damages).toBeGreaterThan(0);
  expect(await again.answers()).toBe(expected[OPS]);
  await again.close();
});

/** The same ledger without an index: one without a key of its own wrote its checkpoints. */
async function withoutIndex(): Promise<Uint8Array> {
  const disk = new MemoryStorage();
  await createToyFile(disk, LOG_SIZE);
  const machine = new StateMachine({ memoryLimitBytes: 2 ** 30, indexSizes: OPTIONS.indexSizes });
  const replica = await LedgerReplica.start(disk, machine);
  for (let op = 1; op <= OPS; op += 1) {
    await replica.run();
    if (op % 3 === 0) await replica.checkpoint();
  }
  await replica.close();
  expect((await sectionsOf(disk)).some(({ table }) => isDerived(table))).toBe(false);
  return disk.bytes(PATH);
}

test('a start that makes the index writes it when memory is short, and power loss at any of these writes changes no answer', async () => {
  const bytes = await withoutIndex();
  let crashes = 0;
  for (let crashAt = 1; ; crashAt += 5) {
    const disk = MemoryStorage.of(PATH, bytes);
    disk.crashAt = crashAt;
    const replica = await LedgerReplica.start(disk).catch((error: unknown) => {
      expect(error).toMatchObject({ name: expect.stringMatching(/PowerLoss|StorageFailedError/) });
    });
    if (replica !== undefined) {
      const { segments, onVolume } = replica.machine.index();
      expect([segments, await replica.answers()]).toEqual([onVolume, expected[OPS]]);
      expect(segments).toBeGreaterThan(2);
      disk.crashAt = Infinity;
      await replica.close();
      expect(await inspectDataFile(PATH, disk)).toMatchObject({ errors: [] });
    }
    damages = 0;
    const again = await LedgerReplica.start(
      replica === undefined ? disk.afterCrash(everyOther()) : disk,
    );
    expect([damages, await again.answers()]).toEqual([0, expected[OPS]]);
    await again.close();
    if (replica !== undefined) break;
    crashes += 1;
  }
  expect(crashes).toBeGreaterThan(5);
});

test('a start that makes the index on a full volume keeps it in memory', async () => {
  const bytes = await withoutIndex();
  const disk = MemoryStorage.of(PATH, bytes);
  disk.capacity = bytes.length;
  const replica = await LedgerReplica.start(disk);
  const { segments, onVolume } = replica.machine.index();
  expect(onVolume).toBeLessThan(segments);
  expect(await replica.answers()).toBe(expected[OPS]);
  disk.capacity = Infinity;
  for (let round = 0; round < 12; round += 1) await replica.checkpoint();
  // The next operation lets go of what is durable.
  await replica.run();
  expect(replica.machine.index().onVolume).toBeGreaterThan(onVolume);
  expect(await replica.answers()).toBe(expected[OPS + 1]);
  await replica.close();
});

/** Takes checkpoints for as long as one is due, as a replica without requests does. Returns their number. */
async function untilNoneIsDue(replica: LedgerReplica): Promise<number> {
  const { machine } = replica;
  for (let taken = 0; ; taken += 1) {
    machine.advanceIndexes();
    await nextTurn();
    if (!machine.wantsCheckpoint) return taken;
    expect(taken).toBeLessThan(100);
    await replica.checkpoint();
  }
}

test('a ledger to which nobody writes keeps what its start has made of all rows: the next start, also after a kill, reads few of them', async () => {
  const disk = MemoryStorage.of(PATH, await withoutIndex());
  // Memory is not short: no part of the index is written by the start itself.
  const options = { rowsLeaveAtBytes: 2 ** 29 };
  const replica = await LedgerReplica.start(disk, newMachine(options));
  const { transfers } = replica.machine.counts();
  expect(replica.machine.loaded()).toEqual({ indexed: transfers, restored: transfers });
  expect(await untilNoneIsDue(replica)).toBeGreaterThan(3);
  damages = 0;
  const killed = await LedgerReplica.start(disk.afterKill(), newMachine(options));
  expect(killed.machine.loaded().indexed).toBeLessThan(5 * OPTIONS.indexSizes.sealRows);
  expect(killed.machine.loaded().restored).toBe(0);
  expect([damages, await killed.answers()]).toEqual([0, expected[OPS]]);
  expect(await untilNoneIsDue(killed)).toBe(0);
  // Neither is one due sooner than without that, as soon as it is written.
  for (let i = 0; i < 9; i += 1) {
    await replica.run();
    expect(replica.machine.wantsCheckpoint).toBe(false);
  }
  await killed.close();
  await replica.close();
});

test('power loss at any write of what a start has made of all rows changes no answer, and it is written in the end', async () => {
  const bytes = await withoutIndex();
  let crashes = 0;
  for (let crashAt = 1; ; crashAt += 7) {
    const disk = MemoryStorage.of(PATH, bytes);
    const replica = await LedgerReplica.start(disk, newMachine({ rowsLeaveAtBytes: 2 ** 29 }));
    disk.crashAt = crashAt;
    const failed = await untilNoneIsDue(replica).then(
      () => undefined,
      (error: unknown) => error,
    );
    damages = 0;
    const left = failed === undefined ? disk.afterKill() : disk.afterCrash(everyOther());
    const again = await LedgerReplica.start(left);
    expect([damages, await again.answers()]).toEqual([0, expected[OPS]]);
    await untilNoneIsDue(again);
    const last = await LedgerReplica.start(left.afterKill());
    expect(last.machine.loaded().restored).toBe(0);
    await last.close();
    await again.close();
    if (failed === undefined) break;
    expect(failed).toMatchObject({ name: expect.stringMatching(/PowerLoss|StorageFailedError/) });
    crashes += 1;
  }
  expect(crashes).toBeGreaterThan(5);
});

test('on a full volume a start that has made all of the index asks for no checkpoint again and again, and one that finds room later writes all of it', async () => {
  const bytes = await withoutIndex();
  const disk = MemoryStorage.of(PATH, bytes);
  disk.capacity = bytes.length;
  const replica = await LedgerReplica.start(disk, newMachine({ rowsLeaveAtBytes: 2 ** 29 }));
  expect(await untilNoneIsDue(replica)).toBe(1);
  expect(await replica.answers()).toBe(expected[OPS]);
  disk.capacity = Infinity;
  await goesOn(disk, replica);
});

/** Takes the checkpoint that a replica tries after a while: its volume has room again. The start after a kill then reads few rows. */
async function goesOn(disk: MemoryStorage, replica: LedgerReplica): Promise<void> {
  // The first one may still be without what had no room, as it was taken then.
  for (let tries = 0; replica.machine.startWorkLacksRoom; tries += 1) {
    expect(tries).toBeLessThan(2);
    await replica.checkpoint();
  }
  expect(await untilNoneIsDue(replica)).toBeGreaterThan(1);
  expect(replica.machine.startWorkLacksRoom).toBe(false);
  const killed = await LedgerReplica.start(disk.afterKill());
  expect(killed.machine.loaded().indexed).toBeLessThan(5 * OPTIONS.indexSizes.sealRows);
  expect(killed.machine.loaded().restored).toBe(0);
  expect(await killed.answers()).toBe(expected[OPS]);
  await killed.close();
  await replica.close();
}

/** The same bytes as a restored file has them: without a free place. */
async function restored(bytes: Uint8Array): Promise<MemoryStorage> {
  const from = await MemoryStorage.of(PATH, bytes).open(PATH, { exclusive: false });
  const disk = new MemoryStorage();
  const to = { to: PATH, logSizeBytes: LOG_SIZE, storage: disk };
  await restoreCheckpoint(await readWholeCheckpoint(from, PATH), to);
  return disk;
}

test('on a volume without room even for the smallest checkpoint, a start that has made all of the index asks for one only once, and one that finds room later writes all of it', async () => {
  const disk = await restored(await withoutIndex());
  disk.capacity = disk.bytes(PATH).length;
  const replica = await LedgerReplica.start(disk, newMachine({ rowsLeaveAtBytes: 2 ** 29 }));
  expect(replica.machine.wantsCheckpoint).toBe(true);
  await expect(replica.checkpoint()).rejects.toMatchObject({ code: 'storage_full' });
  expect(replica.machine.wantsCheckpoint).toBe(false);
  expect(await replica.answers()).toBe(expected[OPS]);
  disk.capacity = Infinity;
  await goesOn(disk, replica);
});

test('power loss at every write of checkpoints that write, finish and drop a start point, or segments of the index that came back to be merged, changes no answer', async () => {
  returned = 0;
  let crashes = 0;
  const seen = new Set<string>();
  for (let crashAt = 1; ; crashAt += 1) {
    const disk = MemoryStorage.of(PATH, whole);
    disk.crashAt = crashAt;
    const replica = await LedgerReplica.start(disk).catch((error: unknown) => {
      expect(error).toBeInstanceOf(PowerLoss);
    });
    if (replica) {
      for (let round = 0; round < 3; round += 1) {
        await replica.run();
        const failed = await replica.checkpoint().catch((error: unknown) => error);
        if (failed !== undefined) {
          expect(failed).toMatchObject({ code: 'storage_failed' });
          break;
        }
      }
    }
    damages = 0;
    for (const survives of [() => false, everyOther()]) {
      const next = disk.afterCrash(survives);
      seen.add(String((await pointOf(next)).map(({ table }) => table)));
      const again = await LedgerReplica.start(next);
      expect(again.op).toBeGreaterThanOrEqual(replica?.durableOp ?? OPS);
      expect(await again.answers()).toBe(expected[again.op]);
      await again.run();
      await again.checkpoint();
      await again.close();
    }
    expect(damages).toBe(0);
    if (disk.operations < crashAt) break;
    crashes += 1;
  }
  expect(crashes).toBeGreaterThan(40);
  // Crashes came while either table had a point, and while both had something.
  expect(seen.size).toBeGreaterThan(2);
  expect(returned).toBeGreaterThan(0);
});

/** Lets columns come back and be merged. */
async function mergeColumns({ machine }: LedgerReplica): Promise<void> {
  for (let turn = 0; turn < 12; turn += 1) {
    await nextTurn();
    machine.advanceIndexes();
  }
}

test('a volume that is full at any step of a merge from the volume to the volume costs no answer, and the merge is done when there is room', async () => {
  const ended = jest.spyOn(SegmentMerge.prototype, 'end');
  const stored = jest.spyOn(RowIndex.prototype, 'stored');
  for (let rounds = 0; rounds < 8; rounds += 1) {
    const disk = MemoryStorage.of(PATH, whole);
    const replica = await LedgerReplica.start(disk);
    for (let round = 0; round < 11; round += 1) {
      disk.capacity = round === rounds || round === rounds + 1 ? disk.bytes(PATH).length : Infinity;
      await (
        await replica.run()
      ).durable;
      const failed = await replica.checkpoint().catch((error: unknown) => error);
      if (failed !== undefined) expect(failed).toMatchObject({ code: 'storage_full' });
      await mergeColumns(replica);
      expect(await replica.answers()).toBe(expected[replica.op]);
      if (disk.capacity === Infinity) continue;
      damages = 0;
      const killed = await LedgerReplica.start(disk.afterKill());
      expect([damages, await killed.answers()]).toEqual([0, expected[killed.op]]);
      await killed.close();
    }
    await replica.close();
    expect(await inspectDataFile(PATH, disk)).toMatchObject({ errors: [] });
  }
  // Some checkpoints went without the index, or dropped what they had of it.
  const outcomes = new Set(stored.mock.calls.map(([derived]) => derived));
  expect(outcomes.size).toBeGreaterThan(1);
  expect(ended.mock.calls.length).toBeGreaterThan(0);
  ended.mockRestore();
  stored.mockRestore();
});

test('power loss at every write of checkpoints that write columns of the index while the next ones are merged changes no answer', async () => {
  const written = jest.spyOn(SegmentMerge.prototype, 'stored');
  const ended = jest.spyOn(SegmentMerge.prototype, 'end');
  let crashes = 0;
  for (let crashAt = 1; ; crashAt += 1) {
    const disk = MemoryStorage.of(PATH, whole);
    const replica = await LedgerReplica.start(disk);
    // Not again what the test before has shown.
    disk.crashAt = disk.operations + crashAt;
    failures = [];
    // The disk may fail in a write of the log, too.
    for (let round = 0; round < 10 && failures.length === 0; round += 1) {
      await replica.run();
      const failed = await replica.checkpoint().catch((error: unknown) => error);
      if (failed !== undefined) expect(failed).toMatchObject({ code: 'storage_failed' });
      await mergeColumns(replica);
    }
    const hasCrashed = failures.length > 0;
    if (!hasCrashed) expect(await replica.answers()).toBe(expected[replica.op]);
    damages = 0;
    const again = await LedgerReplica.start(disk.afterCrash(everyOther()));
    expect(again.op).toBeGreaterThanOrEqual(replica.durableOp);
    expect([damages, await again.answers()]).toEqual([0, expected[again.op]]);
    await again.run();
    await again.checkpoint();
    expect(await again.answers()).toBe(expected[again.op]);
    await again.close();
    if (!hasCrashed) break;
    crashes += 1;
  }
  expect(crashes).toBeGreaterThan(40);
  // Crashes came before and after some columns were durable, and after all were.
  expect(written.mock.calls.filter(([pages]) => pages > 0).length).toBeGreaterThan(crashes);
  expect(ended.mock.calls.length).toBeGreaterThan(10);
  written.mockRestore();
  ended.mockRestore();
});

function everyOther(): () => boolean {
  let count = 0;
  return () => (count += 1) % 2 === 0;
}

const places = async (disk: MemoryStorage): Promise<string> =>
  piecesOf(await pointOf(disk))
    .map(({ offset, size }) => `${offset} ${size}`)
    .join();

async function openFile(storage: MemoryStorage): Promise<DataFile> {
  const onFailure = (error: Error): void => void failures.push(error.message);
  const file = await DataFile.open({ path: PATH, release: RELEASE, storage, onFailure });
  await file.load(newMachine());
  file.beginCheckpoints({ ring: undefined, pause: () => Promise.resolve() });
  return file;
}

/** Puts the newest state in place of a file's. */
async function takeNewest(disk: MemoryStorage): Promise<TakenState> {
  const [file, other] = [await openFile(disk), await openFile(MemoryStorage.of(PATH, newest))];
  const none = { key: new Uint8Array(16), tables: [] };
  const ranges = (await file.ownRanges()) ?? none;
  const taken = await file.takeMissing(ranges, async (write) => {
    await other.sendMissing(ranges, write);
  });
  await Promise.all([file.close(), other.close()]);
  return taken;
}

test('a ledger goes on from the state of another one with the pages, the index and the start point that it had, wherever it was', async () => {
  damages = 0;
  const growing = new MemoryStorage();
  await createToyFile(growing, LOG_SIZE);
  const lagging = await LedgerReplica.start(growing);
  let [keptBytes, points, segments] = [0, 0, 0];
  for (let op = 1; op <= OPS; op += 1) {
    await (
      await lagging.run()
    ).durable;
    await lagging.checkpoint();
    const disk = MemoryStorage.of(PATH, growing.bytes(PATH));
    const derived = (await sectionsOf(disk)).filter(({ table }) => isDerived(table));
    const taken = await takeNewest(disk);
    keptBytes += taken.keptBytes;
    expect(taken.differingBytes).toBe(0);
    expect((await sectionsOf(disk)).filter(({ table }) => isDerived(table))).toEqual(derived);
    points += derived.filter(({ table }) => isStartPoint(table)).length;
    segments += derived.filter(({ table }) => !isStartPoint(table)).length;
    const replica = await LedgerReplica.start(disk.afterCrash(() => false));
    expect(replica.op).toBe(OPS + 12);
    expect(await replica.answers()).toBe(expected[OPS + 12]);
    await replica.checkpoint();
    await replica.close();
  }
  await lagging.close();
  expect(damages).toBe(0);
  expect(Math.min(keptBytes / PAGE_BYTES, points, segments)).toBeGreaterThan(OPS);
});

test('on a full volume a checkpoint goes on without its part of a start point, and points follow once there is room', async () => {
  const outcomes = new Set<string>();
  for (let blocks = 0; blocks < 30; blocks += 6) {
    const disk = MemoryStorage.of(PATH, whole);
    const replica = await LedgerReplica.start(disk);
    disk.capacity = whole.length + blocks * BLOCK_SIZE;
    let before = await places(disk);
    for (let round = 0; round < 4; round += 1) {
      await replica.run();
      const failed = await replica.checkpoint().catch((error: unknown) => error);
      if (failed !== undefined) expect(failed).toMatchObject({ code: 'storage_full' });
      const now = await places(disk);
      outcomes.add(failed !== undefined ? 'full' : now === before ? 'without' : 'with');
      before = now;
      const killed = await LedgerReplica.start(disk.afterKill());
      expect(await killed.answers()).toBe(expected[killed.op]);
      await killed.close();
    }
    disk.capacity = Infinity;
    for (let round = 0; round < 8; round += 1) {
      await (
        await replica.run()
      ).durable;
      await replica.checkpoint();
    }
    await replica.close();
    damages = 0;
    const again = await LedgerReplica.start(disk);
    expect([damages, await again.answers()]).toEqual([0, expected[again.op]]);
    expect((await pointOf(disk)).length).toBeGreaterThan(1);
    await again.close();
    expect(await inspectDataFile(PATH, disk)).toMatchObject({ errors: [] });
  }
  expect(outcomes).toContain('without');
  expect(outcomes).toContain('with');
});

test('a ledger that keeps its rows in memory reads them all, and drops the start point that it does not use', async () => {
  const disk = MemoryStorage.of(PATH, whole);
  const replica = await LedgerReplica.start(
    disk,
    new StateMachine({ memoryLimitBytes: 2 ** 30, rowsShift: 2 }),
  );
  expect(await replica.answers()).toBe(expected[OPS]);
  expect(replica.machine.pages().rowsInMemory).toBe(replica.machine.counts().transfers);
  await replica.checkpoint();
  expect(await pointOf(disk)).toEqual([]);
  await replica.close();
  const again = await LedgerReplica.start(disk);
  expect(await again.answers()).toBe(expected[OPS]);
  await again.close();
});

test('the parts of a start point in a checkpoint are sections that releases before it drop', async () => {
  const sections = await pointOf(MemoryStorage.of(PATH, whole));
  for (const { table, kind, rowSize } of sections) {
    // They take a table from 65,536 on that no directory names for one of the index that is of no use.
    expect(table).toBeGreaterThanOrEqual(1 << 16);
    expect(kind === SectionKind.append || kind === SectionKind.replace).toBe(true);
    expect(rowSize).toBe(1);
  }
});
