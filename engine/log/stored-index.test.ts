/**
 * The index of transfers in a data file: what a crash at any write, rot of any byte, and a full volume do to it. Rows are
 * what counts: whatever happens to the index, the same ledger answers the same.
 */
import { beforeAll, expect, test } from '@jest/globals';
import { INDEX_TABLE, isDerived } from '../ledger/checkpoint.ts';
import { StateMachine } from '../ledger/state-machine.ts';
import { Operation } from '../wire/operations.ts';
import { DataFile } from './data-file.ts';
import { DataFileError } from './errors.ts';
import { FileLog } from './file-log.ts';
import { inspectDataFile } from './inspect.ts';
import { BLOCK_SIZE, LOG_SIZE_MIN } from './layout.ts';
import { readManifest, type StoredSection } from './manifest.ts';
import { PageReader } from './page-reader.ts';
import { restoreDataFile } from './restore.ts';
import { Scrubber } from './scrubber.ts';
import { readSuperblock, writeSuperblock } from './superblock.ts';
import { MemoryStorage, PowerLoss } from './testing/memory-storage.ts';
import { createToyFile, PATH, RELEASE } from './testing/replica.ts';

const LOG_SIZE = 64 << 10;
const EXPORTED = '/disk/exported.ledger';
const RESTORED = '/disk/restored.ledger';
/** Segments of 16 rows. A checkpoint writes one of them, and a merged one takes several. */
const SIZES = { sealRows: 16, chunkRows: 4, pageBytes: 4096, deltaBytesMax: 12 << 12 };
/** Transfers of an operation. */
const BATCH = 9;

let damages = 0;
let keys = 0;

const OPTIONS = {
  memoryLimitBytes: 2 ** 30,
  indexSizes: SIZES,
  rowsShift: 4,
  pageCacheBytes: 1 << 14,
  onIndexDamage: () => void (damages += 1),
};

/** Each start has another key, as processes have. */
const newMachine = (): StateMachine =>
  new StateMachine({ ...OPTIONS, hashKey: { low: (keys += 1), high: 5 } });

function bodyOf(op: number): Uint8Array {
  const count = op === 1 ? 2 : BATCH;
  const words = new Uint32Array(count * 32);
  for (let i = 0; i < count; i += 1) {
    const at = i * 32;
    words[at] = op === 1 ? i + 1 : op * 100 + i;
    words.set([1, 1], at + 28);
    if (op === 1) continue;
    words.set([1, 0, 0, 0, 2, 0, 0, 0, 1], at + 4);
    words.set([1 + (words[at] % 5), 0, 0, 0, words[at]], at + 20);
  }
  return new Uint8Array(words.buffer);
}

const timestampOf = (op: number): bigint => BigInt(op) * 1000n;

function commit(machine: StateMachine, op: number): void {
  const accounts = Operation.createAccountsUnbatched;
  const operation = op === 1 ? accounts : Operation.createTransfersUnbatched;
  machine.commit(operation, timestampOf(op), bodyOf(op));
}

/** Requests whose answers are everything about the transfers. */
const requests: readonly (readonly [number, Uint8Array])[] = (() => {
  const ids = new Uint32Array(4 * 300);
  for (let i = 0; i < 300; i += 1) ids[i * 4] = 200 + i * 7;
  const filters = [1, 3].map((value) => {
    const filter = new Uint32Array(16);
    filter[0] = value;
    filter[14] = 8000;
    return [Operation.queryTransfersUnbatched, new Uint8Array(filter.buffer)] as const;
  });
  return [[Operation.lookupTransfersUnbatched, new Uint8Array(ids.buffer)], ...filters];
})();

/** Everything that the ledger answers about its transfers. */
function answersOf(machine: StateMachine): string {
  const answers = requests.map(([operation, body]) => machine.read(operation, body));
  return Buffer.concat([machine.stateHash(), ...answers]).toString('base64');
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

  static async start(
    storage: MemoryStorage,
    path = PATH,
    machine = newMachine(),
  ): Promise<LedgerReplica> {
    const log = await FileLog.open({ path, release: RELEASE, storage, onFailure: () => undefined });
    try {
      let { op } = await log.recover(machine, (entry) => {
        commit(machine, entry.op);
      });
      op = Math.max(
        op,
        machine.counts().accounts === 0 ? 0 : 1 + machine.counts().transfers / BATCH,
      );
      return new LedgerReplica(log, machine, op);
    } catch (error) {
      await log.close();
      throw error;
    }
  }

  /** Executes the next operation. Resolves when it is durable, or never if the disk fails first. */
  run(): Promise<void> {
    this.op += 1;
    const { op } = this;
    commit(this.machine, op);
    return new Promise((resolve) => {
      const entry = { op, timestamp: timestampOf(op), view: 0, message: new Uint8Array(16) };
      this.#log.append(entry, () => {
        this.durableOp = op;
        resolve();
      });
    });
  }

  async checkpoint(): Promise<void> {
    const { op, machine } = this;
    const position = { op, timestamp: timestampOf(op), view: 0, stateHash: machine.stateHash() };
    await this.#log.checkpoint(machine, position);
  }

  exportTo(path: string): Promise<unknown> {
    return this.#log.exportTo({ path });
  }

  close(): Promise<void> {
    return this.#log.close();
  }
}

async function sectionsOf(disk: MemoryStorage, path = PATH): Promise<readonly StoredSection[]> {
  const file = await disk.open(path, { exclusive: false });
  return readManifest(file, await readSuperblock(file));
}

const indexOf = async (disk: MemoryStorage): Promise<readonly StoredSection[]> =>
  (await sectionsOf(disk)).filter(({ table }) => isDerived(table));

/** Answers by the number of operations. */
const expected: string[] = [];
/** A closed file with segments, two of which wait to be merged with the next ones. */
let whole: Uint8Array;
const OPS = 7;

beforeAll(async () => {
  const machine = newMachine();
  expected.push(answersOf(machine));
  for (let op = 1; op <= 16; op += 1) {
    commit(machine, op);
    expected.push(answersOf(machine));
  }
  const disk = new MemoryStorage();
  await createToyFile(disk, LOG_SIZE);
  const replica = await LedgerReplica.start(disk);
  for (let op = 1; op <= OPS; op += 1) {
    await replica.run();
    await replica.checkpoint();
  }
  await replica.close();
  whole = disk.bytes(PATH);
});

test('power loss at every write of checkpoints that write, finish and drop segments changes no answer', async () => {
  let crashes = 0;
  let merged = 0;
  for (let crashAt = 1; ; crashAt += 1) {
    const disk = MemoryStorage.of(PATH, whole);
    disk.crashAt = crashAt;
    const replica = await LedgerReplica.start(disk).catch((error: unknown) => {
      expect(error).toBeInstanceOf(PowerLoss);
    });
    if (replica) {
      for (let round = 0; round < 6; round += 1) {
        void replica.run();
        const failed = await replica.checkpoint().catch((error: unknown) => error);
        if (failed === undefined) continue;
        expect(failed).toMatchObject({ code: 'storage_failed' });
        break;
      }
    }
    damages = 0;
    for (const survives of [() => false, () => true, everyOther()]) {
      const next = disk.afterCrash(survives);
      const again = await LedgerReplica.start(next);
      expect(again.op).toBeGreaterThanOrEqual(replica?.durableOp ?? OPS);
      expect(answersOf(again.machine)).toBe(expected[again.op]);
      await again.run();
      await again.checkpoint();
      expect(answersOf(again.machine)).toBe(expected[again.op]);
      await again.close();
    }
    // What was synced is whole: no crash makes a part of the index unreadable.
    expect(damages).toBe(0);
    // Of six, the first four became one.
    if (replica?.machine.index().segments === 3) merged += 1;
    if (disk.operations < crashAt) break;
    crashes += 1;
  }
  expect(crashes).toBeGreaterThan(40);
  expect(merged).toBeGreaterThan(0);
});

function everyOther(): () => boolean {
  let count = 0;
  return () => (count += 1) % 2 === 0;
}

test('a flipped bit anywhere in the index is noticed, inspect says that the index is damaged, and a start makes the index from the rows', async () => {
  const pieces = (await indexOf(MemoryStorage.of(PATH, whole))).flatMap(({ pieces: own }) => own);
  expect(pieces.length).toBeGreaterThan(2);
  for (const { offset, size } of pieces) {
    for (let at = 0; at < size; at += 1) {
      // Most bytes of a page of a small segment are unused.
      if (whole[offset + at] === 0 && at % 509 !== 0) continue;
      if (at % 23 !== 0) continue;
      const bytes = whole.slice();
      bytes[offset + at]! ^= 1 << (at % 8);
      const disk = MemoryStorage.of(PATH, bytes);
      damages = 0;
      const replica = await LedgerReplica.start(disk);
      expect(damages).toBe(1);
      expect(answersOf(replica.machine)).toBe(expected[OPS]);
      await replica.close();
      if (at % 4 !== 0) continue;
      const inspection = await inspectDataFile(PATH, disk);
      expect(inspection).toMatchObject({
        errors: [
          { code: 'index_damaged', message: expect.stringMatching(/No record is lost: a start/) },
        ],
      });
    }
  }
});

test('each page of a stored segment can be read alone, and one with a flipped bit is no such page', async () => {
  const disk = MemoryStorage.of(PATH, whole);
  const sections = await indexOf(disk);
  const [segment] = sections.filter(({ table }) => table > INDEX_TABLE);
  // The ids and six fields of 16 rows have a page each; nothing has a value in the seventh.
  const pages = Array.from({ length: 7 }, (_, page) => ({ table: segment!.table, page }));
  for (const flipped of [undefined, ...pages.keys()]) {
    const bytes = whole.slice();
    if (flipped !== undefined) bytes[segment!.pieces[0]!.offset + flipped * 4096 + 9]! ^= 1;
    const file = await MemoryStorage.of(PATH, bytes).open(PATH, { exclusive: false });
    const found: number[] = [];
    const read = new PageReader({ file, sections: () => sections }).read(pages, ({ page }) => {
      found.push(page);
      return true;
    });
    const failed = await read.catch((error: unknown) => error);
    if (flipped === undefined) expect(failed).toBeUndefined();
    else expect(failed).toBeInstanceOf(DataFileError);
    const rest = pages.map(({ page }) => page).filter((page) => page !== flipped);
    expect(found.toSorted((a, b) => a - b)).toEqual(rest);
  }
});

/** A ledger on the disk whose segments are on the volume from the start on, with a cache of one page. */
async function startCold(disk: MemoryStorage) {
  const failures: unknown[] = [];
  const onFailure = (error: unknown): void => void failures.push(error);
  const log = await FileLog.open({ path: PATH, release: RELEASE, storage: disk, onFailure });
  const cold = { rowsLeaveAtBytes: 0, pageCacheBytes: 4096 };
  const hashKey = { low: (keys += 1), high: 5 };
  const machine = new StateMachine({ ...OPTIONS, ...cold, hashKey });
  await log.recover(machine, () => undefined);
  const read = async (operation: number, body: Uint8Array): Promise<Uint8Array> => {
    const begun = machine.beginRead(operation, body);
    for (let step; (step = begun.step(Infinity)) !== true;)
      if (step !== false) await log.pages.read(step.pages, step.arrived);
    return begun.finish();
  };
  /** Resolves with what `answersOf` returns of a ledger in memory. */
  const answers = async (): Promise<string> => {
    const found: Uint8Array[] = [machine.stateHash()];
    for (const [operation, body] of requests) found.push(await read(operation, body));
    return Buffer.concat(found).toString('base64');
  };
  return { log, machine, failures, answers };
}

/** Notes where the disk is read. */
function readsOf(disk: MemoryStorage): Set<number> {
  const offsets = new Set<number>();
  const open = disk.open.bind(disk);
  disk.open = async (path, options) => {
    const file = await open(path, options);
    const read = file.read.bind(file);
    file.read = (bytes, offset) => {
      offsets.add(offset);
      return read(bytes, offset);
    };
    return file;
  };
  return offsets;
}

test('a start reads of an old segment only what stays in memory, or all of it once damage was found', async () => {
  const segments = (await indexOf(MemoryStorage.of(PATH, whole))).filter(
    ({ table }) => table > INDEX_TABLE,
  );
  expect(segments.length).toBeGreaterThan(1);
  const readAtStart = async (disk: MemoryStorage): Promise<boolean[][]> => {
    const offsets = readsOf(disk);
    const { log, machine, answers } = await startCold(disk);
    expect(machine.index()).toMatchObject({ onVolume: segments.length });
    const at = segments.map(({ pieces }) => pieces.map(({ offset }) => offsets.has(offset)));
    expect(await answers()).toBe(expected[OPS]);
    await log.close();
    return at;
  };
  for (const pieces of await readAtStart(MemoryStorage.of(PATH, whole)))
    expect(pieces).toEqual([false, true]);
  const suspected = MemoryStorage.of(PATH, whole);
  const file = await suspected.open(PATH, { exclusive: false });
  await writeSuperblock(file, { ...(await readSuperblock(file)), isIndexSuspect: true });
  for (const pieces of await readAtStart(suspected)) expect(pieces).toEqual([true, true]);
});

test('a page of the index that a start did not read and that rotted ends the process when it is needed, and the next start makes the index from the rows', async () => {
  const segments = (await indexOf(MemoryStorage.of(PATH, whole))).filter(
    ({ table }) => table > INDEX_TABLE,
  );
  const pages = segments.map(({ pieces: [columns] }) =>
    Array.from({ length: columns!.size / BLOCK_SIZE }, (_, i) => columns!.offset + i * BLOCK_SIZE),
  );
  let ends = 0;
  let cut = 0;
  // The power may fail at any write or sync of the head that says so, or at none.
  for (let crash = 0; crash <= 6; crash += 1) {
    for (const at of crash === 0 ? pages.flat() : pages[0]!) {
      const bytes = whole.slice();
      bytes[at + 7]! ^= 1;
      const disk = MemoryStorage.of(PATH, bytes);
      damages = 0;
      const first = await startCold(disk);
      if (crash > 0) disk.crashAt = disk.operations + crash;
      const answer = await first.answers().catch((error: unknown) => error);
      expect(damages).toBe(0);
      if (typeof answer === 'string') {
        expect(answer).toBe(expected[OPS]);
        continue;
      }
      ends += 1;
      expect(answer).toMatchObject({ code: 'index_damaged' });
      expect(first.failures).toHaveLength(1);
      if (crash > 0) cut += 1;
      const next = crash > 0 ? disk.afterCrash(everyOther()) : disk.afterKill();
      const second = await startCold(next);
      if (crash === 0) expect(damages).toBe(1);
      if (damages === 0) continue;
      expect(await second.answers()).toBe(expected[OPS]);
      const { machine, log } = second;
      const position = { op: OPS, timestamp: timestampOf(OPS), view: 0 };
      for (let round = 0; round < 4; round += 1)
        await log.checkpoint(machine, { ...position, stateHash: machine.stateHash() });
      await log.close();
      expect(await inspectDataFile(PATH, next)).toMatchObject({ errors: [] });
      const head = await readSuperblock(await next.open(PATH, { exclusive: false }));
      expect(head.isIndexSuspect).toBe(false);
    }
  }
  expect(ends).toBeGreaterThan(7);
  expect(cut).toBeGreaterThan(5);
});

test('damage of the index that the background verification finds is verified by the next start', async () => {
  const bytes = whole.slice();
  const [segment] = (await indexOf(MemoryStorage.of(PATH, whole))).filter(
    ({ table }) => table > INDEX_TABLE,
  );
  bytes[segment!.pieces[0]!.offset + 9]! ^= 1;
  const disk = MemoryStorage.of(PATH, bytes);
  const data = await DataFile.open({
    path: PATH,
    release: RELEASE,
    storage: disk,
    onFailure: () => undefined,
    onDamage: () => undefined,
  });
  await data.load(newMachine());
  data.beginCheckpoints({ ring: undefined, pause: () => Promise.resolve() });
  await data.foundDamage(new DataFileError('index_damaged', 'rot'));
  await data.close();
  damages = 0;
  const { answers } = await startCold(disk);
  expect(damages).toBe(1);
  expect(await answers()).toBe(expected[OPS]);
});

test('the background verification says of a damaged part of the index that a start is enough', async () => {
  const bytes = whole.slice();
  const index = await indexOf(MemoryStorage.of(PATH, whole));
  for (const { pieces } of index) bytes[pieces[0]!.offset]! ^= 1;
  const file = await MemoryStorage.of(PATH, bytes).open(PATH, { exclusive: false });
  const superblock = await readSuperblock(file);
  const sections = await readManifest(file, superblock);
  const found: string[] = [];
  const mend = async (_: unknown, { message }: Error): Promise<boolean> => {
    found.push(message);
    return false;
  };
  const scrubber = new Scrubber({ file, key: superblock.key, sections: () => sections, mend });
  const pieces = sections.flatMap((section) => section.pieces);
  for (const _ of pieces) await scrubber.step();
  expect(found).toHaveLength(index.length);
  for (const message of found) expect(message).toMatch(/No record is lost: a start/);
});

test('a damaged part of the index is gone from the next checkpoints, and the volume is whole again', async () => {
  const bytes = whole.slice();
  const index = await indexOf(MemoryStorage.of(PATH, whole));
  for (const { pieces } of index) bytes[pieces[0]!.offset]! ^= 1;
  const disk = MemoryStorage.of(PATH, bytes);
  const replica = await LedgerReplica.start(disk);
  for (let round = 0; round < 5; round += 1) await replica.checkpoint();
  await replica.close();
  expect(await inspectDataFile(PATH, disk)).toMatchObject({ errors: [] });
  damages = 0;
  const again = await LedgerReplica.start(disk);
  expect([damages, answersOf(again.machine)]).toEqual([0, expected[OPS]]);
});

test('on a full volume a checkpoint goes on without the index, and with it once there is room', async () => {
  const outcomes = new Set<string>();
  for (let blocks = 0; blocks < 40; blocks += 3) {
    const disk = MemoryStorage.of(PATH, whole);
    const replica = await LedgerReplica.start(disk);
    disk.capacity = whole.length + blocks * BLOCK_SIZE;
    const before = (await indexOf(disk)).length;
    for (let round = 0; round < 3; round += 1) {
      await replica.run();
      const failed = await replica.checkpoint().catch((error: unknown) => error);
      if (failed !== undefined) expect(failed).toMatchObject({ code: 'storage_full' });
      const isSame = (await indexOf(disk)).length === before;
      outcomes.add(failed === undefined ? (isSame ? 'without' : 'with') : 'full');
    }
    disk.capacity = Infinity;
    for (let round = 0; round < 4; round += 1) {
      await replica.run();
      await replica.checkpoint();
    }
    await replica.close();
    damages = 0;
    const again = await LedgerReplica.start(disk);
    expect([damages, answersOf(again.machine)]).toEqual([0, expected[again.op]]);
    // What is missing in the middle is made at the start, and written then.
    for (let round = 0; round < 9; round += 1) await again.checkpoint();
    await again.close();
    const last = await LedgerReplica.start(disk);
    expect(answersOf(last.machine)).toBe(expected[last.op]);
    await last.checkpoint();
    await last.close();
    expect(await inspectDataFile(PATH, disk)).toMatchObject({ errors: [] });
  }
  expect(outcomes).toContain('without');
  expect(outcomes).toContain('with');
});

test('an export and what is restored from it have no index, and older releases read them', async () => {
  const disk = MemoryStorage.of(PATH, whole);
  const replica = await LedgerReplica.start(disk);
  await replica.exportTo(EXPORTED);
  await replica.close();
  await restoreDataFile({ from: PATH, to: RESTORED, logSizeBytes: LOG_SIZE_MIN, storage: disk });
  for (const path of [EXPORTED, RESTORED]) {
    const sections = await sectionsOf(disk, path);
    expect(sections.length).toBeGreaterThan(0);
    expect(sections.some(({ table }) => isDerived(table))).toBe(false);
    const { formatVersion } = await readSuperblock(await disk.open(path, { exclusive: false }));
    expect(formatVersion).toBe(2);
  }
  const restored = await LedgerReplica.start(disk, RESTORED);
  expect(answersOf(restored.machine)).toBe(expected[OPS]);
});

test('once a full volume has room again, checkpoints write what they went without: a start finds the whole index', async () => {
  let without = 0;
  for (let blocks = 0; blocks < 40; blocks += 3) {
    const disk = MemoryStorage.of(PATH, whole);
    const replica = await LedgerReplica.start(disk);
    disk.capacity = whole.length + blocks * BLOCK_SIZE;
    const tables = async (): Promise<readonly number[]> =>
      (await indexOf(disk)).flatMap(({ table, pieces }) => [table, ...pieces.map((p) => p.offset)]);
    const before = await tables();
    for (let round = 0; round < 3; round += 1) {
      await replica.run();
      await replica.checkpoint().catch(() => undefined);
    }
    if (String(await tables()) === String(before)) without += 1;
    disk.capacity = Infinity;
    for (let round = 0; round < 9; round += 1) await replica.checkpoint();
    await replica.close();
    const again = await LedgerReplica.start(disk);
    const stored = await tables();
    await again.checkpoint();
    expect([blocks, await tables()]).toEqual([blocks, stored]);
    expect(answersOf(again.machine)).toBe(expected[again.op]);
    await again.close();
  }
  expect(without).toBeGreaterThan(0);
});

test('the index takes no room from rows: a volume holds as many with it as without', async () => {
  const checkpoints = [];
  for (const machine of [newMachine(), new StateMachine(OPTIONS)]) {
    const disk = new MemoryStorage();
    await createToyFile(disk, LOG_SIZE);
    const replica = await LedgerReplica.start(disk, PATH, machine);
    disk.capacity = disk.bytes(PATH).length + 30 * BLOCK_SIZE;
    let failed: unknown;
    let count = -1;
    for (; failed === undefined; count += 1) {
      void replica.run();
      failed = await replica.checkpoint().catch((error: unknown) => error);
    }
    expect(failed).toMatchObject({ code: 'storage_full' });
    checkpoints.push(count);
    disk.capacity = Infinity;
    await replica.checkpoint();
    await replica.checkpoint();
    await replica.close();
    const again = await LedgerReplica.start(disk);
    expect([again.op, answersOf(again.machine)]).toEqual([replica.op, answersOf(machine)]);
    await again.close();
  }
  expect(checkpoints[0]).toBeGreaterThan(30);
  expect(checkpoints[0]).toBe(checkpoints[1]);
});

test('power loss at every write of a checkpoint that frees the room of the index changes no answer', async () => {
  const near = MemoryStorage.of(PATH, whole);
  near.capacity = whole.length;
  const filling = await LedgerReplica.start(near);
  for (let round = 0; round < 3; round += 1) {
    await filling.run();
    await filling.checkpoint();
  }
  await filling.close();
  expect(await indexOf(near)).not.toEqual([]);
  let crashes = 0;
  for (let crashAt = 1; ; crashAt += 1) {
    const disk = MemoryStorage.of(PATH, near.bytes(PATH));
    const replica = await LedgerReplica.start(disk);
    disk.capacity = whole.length;
    disk.crashAt = disk.operations + crashAt;
    void replica.run();
    const failed = await replica.checkpoint().catch((error: unknown) => error);
    if (failed === undefined) expect(await indexOf(disk)).toEqual([]);
    damages = 0;
    for (const survives of [() => false, () => true, everyOther()]) {
      const again = await LedgerReplica.start(disk.afterCrash(survives));
      expect(again.op).toBeGreaterThanOrEqual(replica.durableOp);
      expect([damages, answersOf(again.machine)]).toEqual([0, expected[again.op]]);
      await again.checkpoint();
      await again.close();
    }
    if (disk.operations < disk.crashAt) break;
    crashes += 1;
  }
  expect(crashes).toBeGreaterThan(15);
});
