/**
 * Random histories of the ledgers of two replicas. One takes the state of the other without the pages that it has, while its own file is
 * damaged, has another history, or is cut; and is given something else than it has asked for. It then answers as one of the two does.
 */
import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isDerived } from '../ledger/checkpoint.ts';
import { PAGE_BYTES } from '../ledger/page.ts';
import { StateMachine } from '../ledger/state-machine.ts';
import { Operation } from '../wire/operations.ts';
import { DataFile } from './data-file.ts';
import { createEmpty } from './format-file.ts';
import { readManifest } from './manifest.ts';
import { type OwnRanges, readRanges } from './page-ranges.ts';
import { SEAL_SIZE } from './seal.ts';
import type { TakenState } from './take-missing.ts';
import { MemoryStorage } from './testing/memory-storage.ts';
import {
  ACCOUNTS,
  dice,
  EVENTS_MAX,
  type History,
  operationOf,
  timestampOf,
} from './testing/random-history.ts';
import { PATH, RELEASE } from './testing/replica.ts';

const OPTIONS = {
  memoryLimitBytes: 2 ** 30,
  rowsLeaveAtBytes: 0,
  rowsShift: 2,
  accountsShift: 5,
  accountsStayBytes: 0,
  liveAccountsMax: 3,
  pageCacheBytes: 8 * PAGE_BYTES,
  indexSizes: { sealRows: 16, chunkRows: 4, pageBytes: 4096 },
  startPointSizes: { rows: 24, bytes: 400 },
};
/** Random cases of each test; it was run with 300. */
const RUNS = 12;
/** The ledger of a replica on its data file. */
class Ledger {
  readonly disk: MemoryStorage;
  readonly file: DataFile;
  readonly machine: StateMachine;
  readonly history: History;
  op: number;

  private constructor(disk: MemoryStorage, file: DataFile, machine: StateMachine, on: History) {
    this.disk = disk;
    this.file = file;
    this.machine = machine;
    this.history = on;
    this.op = file.superblock.position.op;
  }

  static async open(disk: MemoryStorage, history: History): Promise<Ledger> {
    const onFailure = (): void => undefined;
    const file = await DataFile.open({ path: PATH, release: RELEASE, storage: disk, onFailure });
    const key = randomBytes(8);
    const hashKey = { low: key.readUInt32LE(0), high: key.readUInt32LE(4) };
    const machine = new StateMachine({ ...OPTIONS, hashKey });
    await file.load(machine);
    file.beginCheckpoints({ ring: undefined, pause: () => Promise.resolve() });
    return new Ledger(disk, file, machine, history);
  }

  /** Makes a ledger that has executed so many operations, with checkpoints now and then. */
  static async of(replicaIndex: number, history: History, ops: number): Promise<Ledger> {
    const disk = new MemoryStorage();
    const identity = { clusterId: 7n, replicaIndex, replicaCount: 3 };
    const of = { path: PATH, identity, release: RELEASE, storage: disk };
    await createEmpty({ ...of, logSizeBytes: 1 << 16 });
    const ledger = await Ledger.open(disk, history);
    const random = dice(history.seed + replicaIndex);
    await ledger.goOn(ops, () => random(4) === 0);
    await ledger.checkpoint();
    return ledger;
  }

  async goOn(to: number, isCheckpointed = () => false): Promise<void> {
    while (this.op < to) {
      this.op += 1;
      const operation = operationOf(this.history, this.op);
      for (let needs; (needs = this.machine.prepare(...operation)) !== undefined;)
        await this.file.pages.read(needs.pages, needs.arrived);
      this.machine.commit(...operation);
      if (isCheckpointed()) await this.checkpoint();
    }
  }

  async checkpoint(): Promise<void> {
    const { op, machine } = this;
    const place = { incarnation: 1, sequence: op, fence: 1, seal: new Uint8Array(16).fill(op) };
    const stateHash = machine.stateHash();
    await this.file.checkpoint(machine, {
      op,
      timestamp: timestampOf(op),
      view: 0,
      stateHash,
      place,
    });
  }

  async #read(operation: number, words: Uint32Array): Promise<string> {
    const read = this.machine.beginRead(operation, new Uint8Array(words.buffer));
    for (let step; (step = read.step(Infinity)) !== true;)
      if (step !== false) await this.file.pages.read(step.pages, step.arrived);
    return Buffer.from(read.finish()).toString('base64');
  }

  /** All that it answers: its hash, transfers, what has happened, accounts, and what is next to expire. */
  async answers(): Promise<string> {
    const query = new Uint32Array(16);
    query.set([3]);
    query[14] = 8000;
    const changes = new Uint32Array(16);
    changes[4] = 2000;
    const ids = new Uint32Array(4 * 200);
    for (let i = 0; i < 200; i += 1) ids[i * 4] = 100 * (1 + (i % 40)) + 1 + (i % EVENTS_MAX);
    const accounts = new Uint32Array(4 * ACCOUNTS);
    for (let i = 0; i < ACCOUNTS; i += 1) accounts[i * 4] = 101 + i;
    return JSON.stringify([
      this.machine.counts(),
      String(this.machine.nextExpiry()),
      Buffer.from(this.machine.stateHash()).toString('hex'),
      await this.#read(Operation.queryTransfersUnbatched, query),
      await this.#read(Operation.getChangeEvents, changes),
      await this.#read(Operation.lookupTransfersUnbatched, ids),
      await this.#read(Operation.lookupAccountsUnbatched, accounts),
    ]);
  }

  /** Damages bytes of pieces that a start does not make anew. `places` are parts of all of them. */
  async rot(places: readonly number[]): Promise<void> {
    const sections = await readManifest(this.file.file, this.file.superblock);
    const pieces = sections
      .filter(({ table }) => !isDerived(table))
      .flatMap((section) => section.pieces);
    const all = pieces.reduce((sum, { size }) => sum + size, 0);
    for (const place of places) {
      let at = Math.floor(place * all);
      const piece = pieces.find(({ size }) => (at < size ? true : ((at -= size), false)))!;
      this.disk.rot(PATH, (bytes) => (bytes[piece.offset + at]! ^= 16));
    }
  }

  async ranges(pagesMax: number): Promise<OwnRanges> {
    const { file, superblock } = this.file;
    const sections = await readManifest(file, superblock);
    return readRanges({ file, superblock, sections }, randomBytes(SEAL_SIZE), pagesMax);
  }

  /** `meanwhile` is called for each part. */
  async sends(ranges: OwnRanges, meanwhile = async () => {}): Promise<Buffer> {
    const parts: Uint8Array[] = [];
    await this.file.sendMissing(ranges, async (bytes) => {
      parts.push(bytes.slice());
      await meanwhile();
    });
    return Buffer.concat(parts);
  }

  take(ranges: OwnRanges, bytes: Uint8Array): Promise<TakenState> {
    return this.file.takeMissing(ranges, async (write) => {
      for (let at = 0; at < bytes.length; at += 3001) await write(bytes.subarray(at, at + 3001));
    });
  }
}

/** Expects that a disk has one of these ledgers, and that it goes on as that one does. */
async function expectOneOf(disk: MemoryStorage, ledgers: readonly Ledger[]): Promise<Ledger> {
  const { op } = (await DataFile.open({ ...opening, storage: disk.afterKill() })).superblock
    .position;
  const same = ledgers.find((ledger) => ledger.file.superblock.position.op === op)!;
  expect(same).toBeDefined();
  const found = await Ledger.open(disk.afterKill(), same.history);
  const reference = await Ledger.open(same.disk.afterKill(), same.history);
  expect(await found.answers()).toBe(await reference.answers());
  for (const ledger of [found, reference]) {
    await ledger.goOn(op + 7, () => ledger.op % 3 === 0);
    await ledger.checkpoint();
  }
  expect(await found.answers()).toBe(await reference.answers());
  const again = await Ledger.open(found.disk.afterKill(), same.history);
  expect(await again.answers()).toBe(await reference.answers());
  return same;
}

const opening = { path: PATH, release: RELEASE, onFailure: () => undefined };

/** A place in something, as a part of the whole. */
const part = fc.nat(9999).map((place) => place / 10_000);

const situation = fc.record({
  seed: fc.nat(10_000),
  ops: fc.integer({ min: 2, max: 30 }),
  more: fc.integer({ min: 1, max: 20 }),
  /** From where on the lagging one has another history; it mostly has none. */
  partsAt: fc.oneof(fc.constant(Infinity), fc.constant(Infinity), fc.integer({ min: 2, max: 30 })),
  pagesMax: fc.constantFrom(1, 2, 5, 4096),
});

type Situation = typeof situation extends fc.Arbitrary<infer T> ? T : never;

/** Some pages of a file are those of the other one, which has more. */
const usual: Situation = { seed: 5, ops: 15, more: 20, partsAt: Infinity, pagesMax: 4096 };

async function madeOf({ seed, ops, more, partsAt }: Situation) {
  const own = await Ledger.of(2, { seed, partsAt }, ops);
  const other = await Ledger.of(1, { seed, partsAt: Infinity }, ops + more);
  return { own, other };
}

test('whatever a replica has, and wherever its power is cut, it has its own state or that of the other one', async () => {
  let [kept, taken, left] = [0, 0, 0];
  await fc.assert(
    fc.asyncProperty(
      situation,
      fc.array(part, { maxLength: 3 }),
      part,
      fc.constantFrom('none', 'all', 'half'),
      async (made, rotten, cut, survivors) => {
        const { own, other } = await madeOf(made);
        const before = own.disk.afterKill();
        await own.rot(rotten);
        const ranges = await own.ranges(made.pagesMax);
        const bytes = await other.sends(ranges);
        // A piece is written, the file grows, and it is synced: some operations for each part.
        own.disk.crashAt = own.disk.operations + 1 + Math.floor(cut * 60);
        const state = await own.take(ranges, bytes).catch(() => undefined);
        kept += state?.keptBytes ?? 0;
        let turn = 0;
        const survives = { none: () => false, all: () => true, half: () => (turn += 1) % 2 === 0 };
        const after = own.disk.afterCrash(survives[survivors]);
        const { op } = (await DataFile.open({ ...opening, storage: after.afterKill() })).superblock
          .position;
        if (op === other.op) taken += 1;
        else left += 1;
        // What was damaged is damaged if the old state is there.
        if (op !== other.op && rotten.length > 0) return;
        await expectOneOf(after, [await Ledger.open(before, own.history), other]);
      },
    ),
    {
      numRuns: RUNS,
      examples: [
        [usual, [], 0, 'all'],
        [usual, [], 0.9999, 'all'],
      ],
    },
  );
  expect(Math.min(kept, taken, left)).toBeGreaterThan(0);
});

test('a peer that takes checkpoints while it sends, sends the state of its beginning', async () => {
  await fc.assert(
    fc.asyncProperty(situation, async (made) => {
      const { own, other } = await madeOf(made);
      const before = await Ledger.open(other.disk.afterKill(), other.history);
      const ranges = await own.ranges(made.pagesMax);
      const bytes = await other.sends(ranges, async () => {
        await other.goOn(other.op + 1);
        await other.checkpoint();
      });
      expect(other.op).toBeGreaterThan(before.op);
      await own.take(ranges, bytes);
      await expectOneOf(own.disk, [before]);
    }),
    { numRuns: RUNS / 2 },
  );
});

/** What a peer may send in place of what it was asked for. `two` is another peer's answer to the same. */
const lies: Readonly<Record<string, (one: Buffer, two: Buffer, at: number, to: number) => Buffer>> =
  {
    'a changed byte': (one, _, at) => {
      const changed = Buffer.from(one);
      changed[at]! ^= 1;
      return changed;
    },
    'a part left out': (one, _, at, to) => Buffer.concat([one.subarray(0, at), one.subarray(to)]),
    'a part twice': (one, _, at, to) => Buffer.concat([one.subarray(0, to), one.subarray(at)]),
    'a part of zeros': (one, _, at, to) => Buffer.from(one).fill(0, at, to),
    'its end missing': (one, _, at) => one.subarray(0, at),
    'too much': (one, two, at) => Buffer.concat([one, two.subarray(at)]),
    'the beginning of one state and the rest of another': (one, two, at) =>
      Buffer.concat([one.subarray(0, at), two.subarray(at)]),
    'the beginning of one state and pages of another': (one, two, at, to) =>
      Buffer.concat([one.subarray(0, at), two.subarray(at, to), one.subarray(to)]),
  };

test('a peer that sends something else than a whole state of this history is refused, and the file stays as it was', async () => {
  let refused = 0;
  await fc.assert(
    fc.asyncProperty(
      situation,
      fc.constantFrom(...Object.keys(lies)),
      part,
      part,
      async (made, lie, from, length) => {
        const { own, other } = await madeOf(made);
        // The same peer after a checkpoint, or a third one.
        const third = await Ledger.of(0, other.history, other.op + 1 + (made.seed % 5));
        const ranges = await own.ranges(made.pagesMax);
        const [one, two] = [await other.sends(ranges), await third.sends(ranges)];
        const at = Math.floor(from * one.length);
        const to = Math.min(one.length, at + 1 + Math.floor(length * length * (one.length - at)));
        const bytes = lies[lie]!(one, two, at, to);
        const before = await Ledger.open(own.disk.afterKill(), own.history);
        const error = await own.take(ranges, bytes).then(
          () => undefined,
          (cause: Error) => cause,
        );
        if (error !== undefined) {
          expect(error).toMatchObject({ name: 'DataFileError' });
          expect(own.file.failed).toBe(false);
          refused += 1;
        }
        const found = await expectOneOf(own.disk, [before, other, third]);
        expect(found === before).toBe(error !== undefined);
        // The true state comes in another try.
        if (error === undefined) return;
        await own.take(ranges, one);
        expect(await expectOneOf(own.disk, [other])).toBe(other);
      },
    ),
    { numRuns: RUNS, examples: Object.keys(lies).map((lie) => [usual, lie, 0.6, 0.3]) },
  );
  expect(refused).toBeGreaterThan(0);
});
