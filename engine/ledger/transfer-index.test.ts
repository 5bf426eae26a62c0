import { expect, jest, test } from '@jest/globals';
import { Operation } from '../wire/operations.ts';
import { type Needs, RowAccess } from './cold-rows.ts';
import { KeyedHash, PUBLIC_HASH_KEY } from './keyed-hash.ts';
import { Transfer } from './layout.ts';
import { Memory } from './memory.ts';
import { PAGE_BYTES } from './page.ts';
import { PageCache } from './page-cache.ts';
import { RowTable } from './row-table.ts';
import { Segment } from './segments/segment.ts';
import { StateMachine } from './state-machine.ts';
import { TransferIndex } from './transfer-index.ts';

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
  const index = new TransferIndex({
    memory,
    hash,
    rows,
    access: new RowAccess(new PageCache(memory, 0)),
    sizes: { sealRows: 64, chunkRows: 64, pageBytes: 128 },
    // Four segments of generations have room to be merged, but not four of those that come of that.
    mergeRoom: () => 20_000,
    makeRoom: () => undefined,
    youngBytes: () => Infinity,
    isStored: false,
    onDamage: () => undefined,
  });
  for (let row = 0; row < 64 * 36; row += 1) {
    const transfer = rows.push();
    rows.chunkOf(transfer)[rows.offsetOf(transfer)] = row + 1;
    const id = hash.of128(rows.chunkOf(transfer), rows.offsetOf(transfer));
    index.addId(transfer, id, hash.lower);
    index.addRows(row + 1, () => 1);
  }
  expect(index.counts()).toEqual({ segments: 11, onVolume: 0, unsealed: 1, unmerged: 8 });
  for (let row = 0; row < rows.count; row += 1) {
    const [words, at] = [rows.chunkOf(row), rows.offsetOf(row)];
    const idHash = hash.of128(words, at);
    const young = index.findYoung(words, at, idHash);
    expect(young === -1 ? index.findSealed(words, at, idHash, hash.lower) : young).toBe(row);
  }
});

/** A ledger of many transfers, which all have left memory, with what is read from its volume. Segments of the index come back or not. */
function coldLedger(comeBack: boolean) {
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
  if (comeBack)
    machine.useIndexVolume((needs, done) => {
      returning.push(() => {
        bring(needs);
        done(true);
      });
    });
  machine.commit(Operation.createAccountsUnbatched, 100n, new Uint8Array(events(1, 2).buffer));
  for (let first = 0; first < ROWS; first += 8) {
    while (returning.length > 0) returning.shift()!();
    const words = transfers(first + 1, 8);
    for (let i = 0; i < 8; i += 1) {
      const value = first + i + 1;
      words.set([value, 0, 0, 0, value, 0, value], i * 32 + 20);
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
