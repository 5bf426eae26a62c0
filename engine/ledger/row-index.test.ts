import { expect, jest, test } from '@jest/globals';
import { Operation } from '../wire/operations.ts';
import { DerivedTables } from './checkpoint.ts';
import { type Needs, RowAccess } from './cold-rows.ts';
import { KeyedHash, PUBLIC_HASH_KEY } from './keyed-hash.ts';
import { Transfer } from './layout.ts';
import { Memory } from './memory.ts';
import { PAGE_BYTES } from './page.ts';
import { PageCache } from './page-cache.ts';
import { RowTable } from './row-table.ts';
import { indexedTransfers } from './segments/indexed-rows.ts';
import type { ColumnPages, SegmentData } from './segments/columns.ts';
import type { GrowingSegment } from './segments/segment-merge.ts';
import { type IndexJob, type IndexResult, runJob } from './segments/index-jobs.ts';
import { Segment } from './segments/segment.ts';
import { StateMachine } from './state-machine.ts';
import { RowIndex } from './row-index.ts';

const NOTHING_STORED = { tableOf: () => undefined, pagesOf: () => 0 };
const LINKED = 1;
/** Transfers of a ledger with many segments. */
const ROWS = 800;

/** Events with ids from `first` on, as words. */
function events(first: number, count: number, flags = 0): Uint32Array {
  const words = new Uint32Array(count * 32);
  for (let i = 0; i < count; i += 1) {
    const at = i * 32;
    words[at] = first + i;
    words.set([1, 1 | (flags << 16)], at + 28);
  }
  return words;
}

function transfers(first: number, count: number, flags = 0): Uint32Array {
  const words = events(first, count, flags);
  for (let at = 0; at < words.length; at += 32) words.set([1, 0, 0, 0, 2, 0, 0, 0, 1], at + 4);
  return words;
}

test('transfers are found after a chain was taken back that had begun other generations of the index', () => {
  const indexSizes = { sealRows: 4, chunkRows: 2, pageBytes: 80 };
  const machine = new StateMachine({ memoryLimitBytes: 2 ** 30, indexSizes });
  const commit = (operation: number, timestamp: bigint, words: Uint32Array): unknown =>
    machine.commit(operation, timestamp, new Uint8Array(words.buffer));
  commit(Operation.createAccountsUnbatched, 100n, events(1, 2));
  commit(Operation.createTransfersUnbatched, 200n, transfers(10, 2));
  // Its last event is linked too, so that the chain stays open and fails.
  commit(Operation.createTransfersUnbatched, 300n, transfers(100, 11, LINKED));
  expect(machine.counts().transfers).toBe(2);
  for (let i = 0; i < 10; i += 1)
    commit(Operation.createTransfersUnbatched, 400n + BigInt(i), transfers(20 + i, 1));
  const ids = new Uint32Array(4 * 12);
  for (let i = 0; i < 12; i += 1) ids[i * 4] = i < 2 ? 10 + i : 18 + i;
  const found = machine.read(Operation.lookupTransfersUnbatched, new Uint8Array(ids.buffer));
  expect(found.length).toBe(12 * 128);
});

test('while the oldest segments have no room to be merged, younger ones are: their number stays small', () => {
  const memory = new Memory();
  const hash = new KeyedHash(PUBLIC_HASH_KEY);
  const rows = new RowTable(memory, { wordsPerRow: Transfer.words, rowsShift: 10 });
  const index = new RowIndex({
    memory,
    hash,
    rows,
    indexed: indexedTransfers(hash, () => 1),
    findsYoung: true,
    access: new RowAccess(new PageCache(memory, 0)),
    sizes: { sealRows: 64, chunkRows: 64, pageBytes: 128 },
    // Four segments of generations have room to be merged, but not four of those that come of that.
    mergeRoom: () => 20_000,
    makeRoom: () => undefined,
    isStored: false,
  });
  for (let row = 0; row < 64 * 36; row += 1) {
    const transfer = rows.push();
    rows.chunkOf(transfer)[rows.offsetOf(transfer)] = row + 1;
    const id = hash.of128(rows.chunkOf(transfer), rows.offsetOf(transfer));
    index.addId(transfer, id, hash.lower);
    index.addRows(row + 1);
  }
  expect(index.counts()).toMatchObject({ segments: 11, onVolume: 0, unsealed: 1, unmerged: 8 });
  for (let row = 0; row < rows.count; row += 1) {
    const [words, at] = [rows.chunkOf(row), rows.offsetOf(row)];
    const idHash = hash.of128(words, at);
    const young = index.findYoung(words, at, idHash);
    expect(young === -1 ? index.findSealed(words, at, idHash, hash.lower) : young).toBe(row);
  }
});

/**
 * An index of four segments that checkpoints have, in memory, and the room that merging them takes if they stay there. They are of as many
 * generations.
 */
function storedIndex(deltaBytesMax = 1 << 30, generations = 4) {
  const memory = new Memory();
  const hash = new KeyedHash(PUBLIC_HASH_KEY);
  const rows = new RowTable(new Memory(), { wordsPerRow: Transfer.words, rowsShift: 10 });
  let room = generations > 4 ? 2 ** 30 : 0;
  const index = new RowIndex({
    memory,
    hash,
    rows,
    indexed: indexedTransfers(hash, () => 1),
    findsYoung: true,
    access: new RowAccess(new PageCache(memory, 0)),
    sizes: { sealRows: 4096, chunkRows: 1024, pageBytes: PAGE_BYTES, deltaBytesMax },
    mergeRoom: () => room,
    makeRoom: () => undefined,
    isStored: true,
  });
  const add = (count: number): void => {
    for (let i = 0; i < count; i += 1) {
      const row = rows.push();
      const [words, at] = [rows.chunkOf(row), rows.offsetOf(row)];
      words[at] = row + 1;
      words.set([row + 1, row + 1, 0, 0, 0, row + 1], at + Transfer.userData32);
      words[at + Transfer.codeFlags] = 1;
      index.addId(row, hash.of128(words, at), hash.lower);
      index.addRows(row + 1);
    }
  };
  add(generations * 4096 + 1024);
  room = 0;
  const pages = new Map<number, readonly Uint32Array[]>();
  const tables = new Map(index.segments.map((segment, i) => [segment, 70_000 + i]));
  for (const [segment, table] of tables) pages.set(table, pagesIn(segment));
  const store = (): void =>
    index.stored(DerivedTables.new, {
      tableOf: (segment) => (segment instanceof Segment ? tables.get(segment) : undefined),
      pagesOf: () => 0,
    });
  store();
  const inputs = index.segments.reduce((sum, { bytes }) => sum + bytes, 0);
  const useRoom = (bytes: number): void => void (room = bytes);
  return { index, memory, pages, add, store, inputs, useRoom };
}

/** The pages of a segment in memory, as they are on the volume. */
const pagesIn = ({ columns }: Segment): readonly Uint32Array[] =>
  columns.flatMap(({ column, pages }) =>
    Array.from({ length: pages }, (_, page) => {
      const piece = column.pieces[0]!;
      return new Uint32Array(piece.buffer, page * PAGE_BYTES, PAGE_BYTES / 4);
    }),
  );

/** A checkpoint that has all pages that are there of a segment that is being merged. */
class GrowingTable {
  readonly table = 80_000;
  readonly pages: Uint8Array[] = [];
  isWhole = false;

  /** Takes what a checkpoint writes. */
  take(index: RowIndex): void {
    const [growing] = index.growing;
    let page = 0;
    for (const { firstKeys, pieces } of growing === undefined ? [] : columnsOf(growing.data)) {
      for (let i = 0; i < firstKeys.length; i += 1, page += 1)
        if (page >= this.pages.length)
          this.pages.push(pieces[0]!.slice(i * PAGE_BYTES, (i + 1) * PAGE_BYTES));
    }
    this.isWhole = growing?.isComplete === true;
    index.taken(() => this.isWhole);
  }

  /** What the checkpoint then has. */
  stored(tableOf: (segment: Segment) => number | undefined) {
    return {
      tableOf: (segment: Segment | GrowingSegment): number | undefined => {
        if (segment instanceof Segment) return tableOf(segment);
        return this.isWhole ? this.table : undefined;
      },
      pagesOf: (): number => this.pages.length,
    };
  }
}

const columnsOf = ({ ids, fields }: SegmentData): readonly ColumnPages[] => [ids, ...fields];

test('a merge from the volume to the volume takes the room of a column, and its segments stay until a checkpoint has all of the result', () => {
  const inMemory = storedIndex();
  inMemory.useRoom(2 ** 30);
  inMemory.add(2048);
  const [merged] = inMemory.index.segments;
  const { index, memory, pages, add, inputs, useRoom } = storedIndex(1 << 16);
  while (index.droppableBytes > 0) index.drop();
  add(1);
  const { segments } = index;
  const before = memory.usedBytes;
  const growing = new GrowingTable();
  const checkpoint = (derived: DerivedTables): void => {
    growing.take(index);
    index.stored(
      derived,
      growing.stored(() => undefined),
    );
  };
  const later: (() => void)[] = [];
  index.useVolume(({ pages: names, arrived }, done) => {
    later.push(() => {
      for (const name of names) arrived(name, pages.get(name.table)![name.page]!);
      done(true);
    });
  });
  const work = (): void => {
    for (let i = 0; i < 40; i += 1) {
      add(1);
      while (later.length > 0) later.shift()!();
    }
  };
  // In memory it would take more.
  useRoom(inputs * 0.9);
  work();
  expect(index.growing).toHaveLength(1);
  const { streamedRows, streamedDone } = index.counts();
  expect(streamedRows).toBe(4 * 4096);
  expect(streamedDone).toBe((streamedRows * columnsOf(index.growing[0]!.data).length) / 8);
  const reserved = memory.usedBytes - before;
  expect(reserved).toBe(index.mergeBytes);
  expect(reserved).toBeLessThan(inputs * 0.9);
  // Until a checkpoint has some of it, it does not go on.
  const columns = (): number => columnsOf(index.growing[0]!.data).length;
  const first = columns();
  expect(first).toBeLessThan(8);
  work();
  expect(columns()).toBe(first);
  let checkpoints = 0;
  for (; !growing.isWhole; checkpoints += 1) {
    expect(checkpoints).toBeLessThan(50);
    expect(index.segments).toBe(segments);
    expect(memory.usedBytes - before).toBe(reserved);
    growing.take(index);
    if (growing.isWhole) break;
    index.stored(
      DerivedTables.new,
      growing.stored(() => undefined),
    );
    const held = columnsOf(index.growing[0]!.data).flatMap((column) => column.pieces);
    expect(held).toEqual([]);
    work();
  }
  expect(checkpoints).toBeGreaterThan(0);
  // A checkpoint is being written that does not have its inputs any more: they stay, whatever memory needs.
  expect(index.mergeBytes).toBe(0);
  index.giveUpMerge();
  expect(index.segments).toBe(segments);
  expect(index.unstoredBytes).toBe(reserved);
  checkpoint(DerivedTables.new);
  expect(index.counts()).toMatchObject({ segments: 1, onVolume: 1, streamedRows: 0, givenUp: 0 });
  expect(index.segments[0]!.table).toBe(growing.table);
  const expected = columnsOf(merged!.data).flatMap(({ firstKeys, pieces }) =>
    Array.from(firstKeys, (_, i) => pieces[0]!.slice(i * PAGE_BYTES, (i + 1) * PAGE_BYTES)),
  );
  expect(growing.pages.map((page) => Buffer.from(page).toString('hex'))).toEqual(
    expected.map((page) => Buffer.from(page).toString('hex')),
  );
  expect(index.segments[0]!.data.filter).toEqual(merged!.data.filter);
  const freed = segments.reduce((sum, { bytes }) => sum + bytes, 0);
  expect(memory.usedBytes).toBe(before - freed + index.segments[0]!.bytes);
});

test('smaller segments are merged while a merge from the volume to the volume waits for a checkpoint', () => {
  const { index, pages, add, useRoom } = storedIndex(1 << 20, 16);
  expect(index.counts()).toMatchObject({ segments: 4, onVolume: 0 });
  while (index.droppableBytes > 0) index.drop();
  const later: (() => void)[] = [];
  index.useVolume(({ pages: names, arrived }, done) => {
    for (const name of names) arrived(name, pages.get(name.table)![name.page]!);
    later.push(() => done(true));
  });
  useRoom(2 ** 30);
  for (let i = 0; i < 4 * 4096; i += 1) {
    add(1);
    while (later.length > 0) later.shift()!();
  }
  // No checkpoint has come: its columns are in memory, and the four younger segments are one.
  expect(index.growing.map(({ isComplete }) => isComplete)).toEqual([false]);
  expect(index.counts()).toMatchObject({ segments: 5, onVolume: 4 });
});

test.each([
  ['found no room for it', (index: RowIndex) => index.stored(DerivedTables.old, NOTHING_STORED)],
  ['drops what it has of it', (index: RowIndex) => index.keptTables()],
])(
  'a merge from the volume to the volume is given up when a checkpoint %s, whatever is written',
  (_, fail) => {
    for (const isWhole of [false, true]) {
      const { index, memory, pages, add, useRoom } = storedIndex(1 << 16);
      while (index.droppableBytes > 0) index.drop();
      add(1);
      const { segments } = index;
      const before = memory.usedBytes;
      const later: (() => void)[] = [];
      index.useVolume(({ pages: names, arrived }, done) => {
        for (const name of names) arrived(name, pages.get(name.table)![name.page]!);
        later.push(() => done(true));
      });
      const growing = new GrowingTable();
      useRoom(2 ** 30);
      for (let rounds = 0; ; rounds += 1) {
        expect(rounds).toBeLessThan(50);
        for (let i = 0; i < 40; i += 1) {
          add(1);
          while (later.length > 0) later.shift()!();
        }
        growing.take(index);
        if (growing.isWhole || (!isWhole && growing.pages.length > 0)) break;
        index.stored(
          DerivedTables.new,
          growing.stored(() => undefined),
        );
      }
      fail(index);
      expect(index.growing).toEqual([]);
      expect(index.segments).toBe(segments);
      expect(index.counts()).toMatchObject({ segments: 4, onVolume: 4 });
      expect(memory.usedBytes).toBe(before);
    }
  },
);

test('a merge from the volume to the volume waits when a read for a smaller one has failed, and goes on with what it has made when pages can be read again', () => {
  const { index, pages, add, useRoom } = storedIndex(1 << 20, 16);
  while (index.droppableBytes > 0) index.drop();
  const later: (() => void)[] = [];
  let isReadable = true;
  const useVolume = (): void =>
    index.useVolume(({ pages: names, arrived }, done) => {
      const isBrought = isReadable;
      if (isBrought) for (const name of names) arrived(name, pages.get(name.table)![name.page]!);
      later.push(() => done(isBrought));
    });
  useVolume();
  const grow = (rows: number): void => {
    for (let i = 0; i < rows; i += 1) {
      add(1);
      while (later.length > 0) later.shift()!();
    }
  };
  useRoom(2 ** 30);
  grow(2 * 4096);
  expect(index.growing.map(({ isComplete }) => isComplete)).toEqual([false]);
  const [oldest] = index.segments;
  // Two younger segments leave memory, and cannot come back to be merged with the next two.
  const tableOf = ({ firstRow }: { readonly firstRow: number }): number => 90_000 + firstRow;
  for (const segment of index.segments)
    if (!segment.isCold) pages.set(tableOf(segment), pagesIn(segment));
  index.stored(DerivedTables.new, {
    tableOf: (segment) => (segment instanceof Segment ? tableOf(segment) : undefined),
    pagesOf: () => 0,
  });
  isReadable = false;
  while (index.droppableBytes > 0) index.drop();
  grow(2 * 4096);
  index.stored(DerivedTables.new, { tableOf: () => undefined, pagesOf: () => 2 ** 30 });
  const columns = (): number => columnsOf(index.growing[0]!.data).length;
  const made = columns();
  grow(1024);
  expect(index.counts().areReadsFailing).toBe(true);
  expect(columns()).toBe(made);
  expect(index.segments[0]).toBe(oldest);
  isReadable = true;
  useVolume();
  grow(1024);
  expect(index.counts().areReadsFailing).toBe(false);
  expect(columns()).toBeGreaterThan(made);
});

test('a merge from the volume to the volume has all rows though each second read has failed after it brought some pages', () => {
  const inMemory = storedIndex();
  inMemory.useRoom(2 ** 30);
  inMemory.add(2048);
  const [merged] = inMemory.index.segments;
  const { index, pages, add, inputs, useRoom } = storedIndex(1 << 16);
  while (index.droppableBytes > 0) index.drop();
  const later: (() => void)[] = [];
  let isReadable = true;
  const useVolume = (): void =>
    index.useVolume(({ pages: names, arrived }, done) => {
      isReadable = !isReadable;
      const isBrought = isReadable;
      later.push(() => {
        // Those that lie elsewhere in the file.
        for (const name of isBrought ? names : names.slice(Math.ceil(names.length / 2)))
          arrived(name, pages.get(name.table)![name.page]!);
        done(isBrought);
        if (!isBrought) useVolume();
      });
    });
  useVolume();
  useRoom(inputs * 0.9);
  const growing = new GrowingTable();
  for (let checkpoints = 0; !growing.isWhole; checkpoints += 1) {
    expect(checkpoints).toBeLessThan(50);
    for (let i = 0; i < 60; i += 1) {
      add(1);
      while (later.length > 0) later.shift()!();
    }
    growing.take(index);
    index.stored(
      DerivedTables.new,
      growing.stored(() => undefined),
    );
  }
  const expected = columnsOf(merged!.data).flatMap(({ firstKeys, pieces }) =>
    Array.from(firstKeys, (_, i) => pieces[0]!.slice(i * PAGE_BYTES, (i + 1) * PAGE_BYTES)),
  );
  expect(growing.pages.map((page) => Buffer.from(page).toString('hex'))).toEqual(
    expected.map((page) => Buffer.from(page).toString('hex')),
  );
  expect(index.segments[0]!.data.filter).toEqual(merged!.data.filter);
});

test('segments in memory leave it to be merged where there is room for one of their columns, but not for all', () => {
  for (const [part, bringsPages] of [
    [1.2, false],
    [1.6, true],
    [2.2, false],
  ] as const) {
    const { index, memory, pages, add, inputs, useRoom } = storedIndex();
    expect(index.counts()).toMatchObject({ segments: 4, onVolume: 0 });
    const later: (() => void)[] = [];
    let [brought, most] = [0, 0];
    index.useVolume(({ pages: names, arrived }, done) => {
      brought += names.length;
      later.push(() => {
        for (const name of names) arrived(name, pages.get(name.table)![name.page]!);
        done(true);
      });
    });
    useRoom(inputs * part);
    const before = memory.usedBytes;
    for (let i = 0; i < 256; i += 1) {
      add(8);
      most = Math.max(most, memory.usedBytes - before);
      while (later.length > 0) later.shift()!();
    }
    expect(brought > 0).toBe(bringsPages);
    expect(index.counts().segments).toBe(part === 1.2 ? 4 : 1);
    // What the inputs had was free before.
    if (bringsPages) expect(most).toBeLessThan(inputs * 0.6);
  }
});

test.each(['is given up', 'cannot read a page'])(
  'a merge of segments on the volume that %s leaves them as they are, whatever columns it has merged',
  (how) => {
    for (const columns of [0, 1, 5]) {
      const { index, memory, pages, add, store, useRoom } = storedIndex();
      while (index.droppableBytes > 0) index.drop();
      const volume = { reads: 0, refuses: false };
      let later: (() => void) | undefined;
      const arrive = (): void => {
        const now = later;
        later = undefined;
        now?.();
      };
      // The young part has room for what comes.
      add(1);
      const useVolume = (): void =>
        index.useVolume(({ pages: names, arrived }, done) => {
          volume.reads += 1;
          const isBrought = !volume.refuses;
          later = () => {
            if (isBrought)
              for (const name of names) arrived(name, pages.get(name.table)![name.page]!);
            done(isBrought);
          };
        });
      useVolume();
      const inMemory = memory.usedBytes;
      useRoom(2 ** 30);
      // Each column of each of four segments is read at once.
      while (volume.reads <= columns * 4) {
        if (later === undefined) add(1);
        else arrive();
      }
      const { segments } = index;
      expect(index.mergeBytes).toBeGreaterThan(0);
      if (how === 'is given up') index.giveUpMerge();
      else {
        volume.refuses = true;
        while (index.mergeBytes > 0) {
          add(1);
          arrive();
        }
      }
      expect(index.segments).toBe(segments);
      expect(index.counts()).toMatchObject({ segments: 4, onVolume: 4, unmerged: 4, givenUp: 1 });
      expect(memory.usedBytes).toBe(inMemory);
      // Pages that were on their way.
      arrive();
      const before = volume.reads;
      add(100);
      expect(volume.reads).toBe(before);
      expect(index.counts().areReadsFailing).toBe(how !== 'is given up');
      volume.refuses = false;
      store();
      add(1);
      expect(volume.reads).toBe(before);
      // It begins anew once there is clearly more room, or pages may be read again.
      if (how === 'is given up') useRoom(2 ** 31);
      else useVolume();
      add(1);
      expect(volume.reads).toBe(before + 1);
      arrive();
      expect(index.counts().areReadsFailing).toBe(false);
    }
  },
);

test.each(['was read', 'need not be read'])(
  'no read of pages to be merged counts as failing any more when the merge was given up and its page %s',
  (how) => {
    const { index, pages, add, useRoom } = storedIndex();
    while (index.droppableBytes > 0) index.drop();
    let isReadable = false;
    let arrive: (() => void) | undefined;
    const useVolume = (): void =>
      index.useVolume(({ pages: names, arrived }, done) => {
        const isBrought = isReadable;
        arrive = () => {
          if (isBrought)
            for (const name of names) arrived(name, pages.get(name.table)![name.page]!);
          done(isBrought);
        };
      });
    useVolume();
    useRoom(2 ** 30);
    add(1);
    arrive!();
    expect(index.counts()).toMatchObject({ areReadsFailing: true, givenUp: 1 });
    add(1);
    isReadable = true;
    useVolume();
    if (how === 'was read') {
      add(1);
      index.giveUpMerge();
      expect(index.counts()).toMatchObject({ areReadsFailing: true, givenUp: 2 });
      arrive!();
    } else {
      // Its segments have no room to be merged any more.
      useRoom(0);
      add(1);
    }
    expect(index.counts().areReadsFailing).toBe(false);
  },
);

test('no smaller merge waits for one that was given up for lack of room', () => {
  const { index, add, store, inputs, useRoom } = storedIndex();
  while (index.droppableBytes > 0) index.drop();
  let reads = 0;
  index.useVolume(() => void (reads += 1));
  useRoom(inputs * 1.4);
  add(1);
  expect(reads).toBe(1);
  index.giveUpMerge();
  store();
  // Four younger ones take a little less, because they are in memory.
  add(4 * 4096);
  expect(index.counts()).toMatchObject({ segments: 5, onVolume: 4 });
  expect(reads).toBe(1);
});

test('a merge that was given up once is begun again after as many rows as it has, with no more room', () => {
  const { index, add, store, useRoom } = storedIndex();
  while (index.droppableBytes > 0) index.drop();
  let reads = 0;
  index.useVolume(() => void (reads += 1));
  useRoom(2 ** 30);
  add(1);
  expect(reads).toBe(1);
  // Room was short for a moment: a checkpoint was slow, or the volume was full.
  index.giveUpMerge();
  store();
  add(4 * 4096);
  expect(reads).toBe(1);
  add(1);
  expect(reads).toBe(2);
});

function resultOf(job: IndexJob): IndexResult {
  const generator = runJob(job);
  for (;;) {
    const step = generator.next();
    if (step.done === true) return step.value;
  }
}

/** A ledger of many transfers, which all have left memory, with what is read from its volume. Segments of the index come back or not. */
function coldLedger(comeBack: boolean, idOf = (n: number): number => n) {
  const machine = new StateMachine({
    memoryLimitBytes: 2 ** 30,
    hashKey: PUBLIC_HASH_KEY,
    rowsLeaveAtBytes: 0,
    pageCacheBytes: PAGE_BYTES,
    rowsShift: 3,
    indexSizes: { sealRows: 4, chunkRows: 2, pageBytes: PAGE_BYTES },
  });
  const stored = new Map<string, Uint32Array>();
  const bring = ({ pages, arrived }: Needs): void => {
    for (const name of pages) arrived(name, stored.get(`${name.table} ${name.page}`)!);
  };
  const returning: (() => void)[] = [];
  if (comeBack) {
    machine.useIndexVolume((needs, done) => {
      returning.push(() => {
        bring(needs);
        done(true);
      });
    });
    machine.useIndexHelper({
      begin: (job, done) => void returning.push(() => done(resultOf(job))),
      giveUp: () => undefined,
      end: () => Promise.resolve(),
    });
  }
  machine.commit(Operation.createAccountsUnbatched, 100n, new Uint8Array(events(1, 2).buffer));
  for (let first = 0; first < ROWS; first += 8) {
    while (returning.length > 0) returning.shift()!();
    const words = transfers(first + 1, 8);
    for (let i = 0; i < 8; i += 1) {
      const value = first + i + 1;
      words.set([value, 0, 0, 0, value, 0, value], i * 32 + 20);
      words[i * 32] = idOf(value);
    }
    const body = new Uint8Array(words.buffer);
    const timestamp = BigInt(first + 200);
    for (let needs; (needs = machine.prepare(Operation.createTransfersUnbatched, timestamp, body));)
      bring(needs);
    machine.commit(Operation.createTransfersUnbatched, timestamp, body);
    for (const { table, rowSize, firstRow, chunks } of machine.takeDelta(new Set())) {
      const bytes = Buffer.concat(Array.from(chunks, (chunk) => chunk.slice()));
      if (rowSize !== PAGE_BYTES) continue;
      for (let at = 0; at < bytes.length; at += PAGE_BYTES)
        stored.set(
          `${table} ${firstRow + at / PAGE_BYTES}`,
          new Uint32Array(new Uint8Array(bytes.subarray(at, at + PAGE_BYTES)).buffer),
        );
    }
    machine.stored();
  }
  return { machine, bring };
}

test.each([
  ['that do not come back', false],
  ['that come back to be merged', true],
])(
  'a query of several rare values ends with a cache of one page, whatever segments %s',
  (_, comeBack) => {
    const { machine, bring } = coldLedger(comeBack);
    const { segments, onVolume } = machine.index();
    // Without merges, each generation would be one.
    if (comeBack) expect(segments).toBeLessThan(8);
    else expect(onVolume).toBeGreaterThan(45);
    for (const [value, isReversed] of [
      [ROWS, 0],
      [1, 1],
    ] as const) {
      const filter = new Uint32Array(16);
      // In all three fields of user data.
      filter.set([value, 0, 0, 0, value, 0, value, 1, 1]);
      filter.set([10, isReversed], 14);
      const body = new Uint8Array(filter.buffer);
      const read = machine.beginRead(Operation.queryTransfersUnbatched, body);
      let steps = 0;
      for (let step; (step = read.step(Infinity)) !== true; steps += 1) {
        expect(steps).toBeLessThan(40);
        if (step !== false) bring(step);
      }
      const [found] = new Uint32Array(read.finish().slice().buffer);
      expect(found).toBe(value);
    }
  },
);

/** Statuses of the transfers in a reply's body; those that were created are left out. */
const failures = (reply: Uint8Array): number[] =>
  [...new Uint32Array(reply.slice().buffer)].filter((_, word) => word % 2 === 1);

test('an operation that is executed asks no sealed segment again for an id that it has looked for while it was prepared', () => {
  const { machine, bring } = coldLedger(false);
  const asked = jest.spyOn(Segment.prototype, 'rowsOf');
  // Four exist, in different segments, and the others are new.
  const words = transfers(ROWS + 1, 8);
  [7, 300, 500, 700].forEach((id, i) => words.set([id], i * 2 * 32));
  const body = new Uint8Array(words.buffer);
  const operation = Operation.createTransfersUnbatched;
  for (let needs; (needs = machine.prepare(operation, 5000n, body));) bring(needs);
  expect(asked).toHaveBeenCalled();
  asked.mockClear();
  expect(failures(machine.commit(operation, 5000n, body))).toHaveLength(4);
  expect(asked).not.toHaveBeenCalled();
  asked.mockRestore();
});

test('operations that wait, and are prepared in turns, ask the sealed segments once for each id', () => {
  const { machine, bring } = coldLedger(false);
  const operation = Operation.createTransfersUnbatched;
  // One of each exists.
  const bodies = [300, 500, 700].map((id) => {
    const words = transfers(ROWS + id, 2);
    words.set([id], 0);
    return new Uint8Array(words.buffer);
  });
  const prepareAll = (): void => {
    for (const [i, body] of bodies.entries())
      for (let needs; (needs = machine.prepare(operation, 5000n + BigInt(i * 10), body));)
        bring(needs);
  };
  const asked = jest.spyOn(Segment.prototype, 'rowsOf');
  prepareAll();
  expect(asked).toHaveBeenCalled();
  asked.mockClear();
  prepareAll();
  expect(failures(machine.commit(operation, 5000n, bodies[0]!))).toHaveLength(1);
  expect(asked).not.toHaveBeenCalled();
  asked.mockRestore();
});

test('what an operation has found while it was prepared is not believed after another one has added rows', () => {
  const { machine, bring } = coldLedger(false);
  const operation = Operation.createTransfersUnbatched;
  const prepare = (timestamp: bigint, body: Uint8Array): void => {
    for (let needs; (needs = machine.prepare(operation, timestamp, body));) bring(needs);
  };
  const later = new Uint8Array(transfers(ROWS + 1, 8).buffer);
  prepare(6000n, later);
  const before = new Uint8Array(transfers(ROWS + 1, 8).buffer);
  prepare(5000n, before);
  expect(failures(machine.commit(operation, 5000n, before))).toEqual([]);
  for (let i = 1; i < 8; i += 1) {
    const others = new Uint8Array(transfers(ROWS + 1 + i * 8, 8).buffer);
    prepare(5000n + BigInt(i * 10), others);
    machine.commit(operation, 5000n + BigInt(i * 10), others);
  }
  prepare(6000n, later);
  expect(failures(machine.commit(operation, 6000n, later))).toHaveLength(8);
});

test('an id that exists is found each time that it comes in an operation, also while its row is absent', () => {
  const { machine, bring } = coldLedger(false);
  const words = transfers(ROWS + 1, 8);
  for (let i = 0; i < 4; i += 1) words.set([300], i * 32);
  const body = new Uint8Array(words.buffer);
  const operation = Operation.createTransfersUnbatched;
  for (let needs; (needs = machine.prepare(operation, 5000n, body));) bring(needs);
  expect(failures(machine.commit(operation, 5000n, body))).toHaveLength(4);
});

test('an operation with many new ids in no order asks no sealed segment for those that no filter has, and finds those that exist', () => {
  const idOf = (n: number): number => Math.imul(n, 0x9e3779b1) >>> 0;
  const { machine, bring } = coldLedger(false, idOf);
  const asked = jest.spyOn(Segment.prototype, 'rowsOf');
  const count = 600;
  const words = transfers(1, count);
  // Every third exists.
  for (let i = 0; i < count; i += 1) words[i * 32] = idOf(i % 3 === 0 ? i + 1 : ROWS + i);
  const body = new Uint8Array(words.buffer);
  const operation = Operation.createTransfersUnbatched;
  for (let needs; (needs = machine.prepare(operation, 5000n, body));) bring(needs);
  const looked = new Set(asked.mock.calls.map(([key]) => key)).size;
  expect(looked).toBeGreaterThanOrEqual(count / 3);
  expect(looked).toBeLessThan(count / 2);
  expect(failures(machine.commit(operation, 5000n, body))).toHaveLength(count / 3);
  asked.mockRestore();
});

test('an id of a young segment is looked for in that one before the older ones', () => {
  const idOf = (n: number): number => Math.imul(n, 0x9e3779b1) >>> 0;
  const { machine, bring } = coldLedger(false, idOf);
  const asked = jest.spyOn(Segment.prototype, 'rowsOf');
  const words = transfers(1, 8);
  for (let i = 0; i < 8; i += 1) words[i * 32] = idOf(ROWS - 40 + i);
  const body = new Uint8Array(words.buffer);
  const operation = Operation.createTransfersUnbatched;
  for (let needs; (needs = machine.prepare(operation, 5000n, body));) bring(needs);
  expect(failures(machine.commit(operation, 5000n, body))).toHaveLength(8);
  // Older ones are asked only in the first run, while pages of the index are absent.
  expect(asked.mock.calls.length).toBeLessThan(8 * machine.index().segments * 1.5);
  asked.mockRestore();
});
