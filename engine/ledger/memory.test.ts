import { expect, test } from '@jest/globals';
import { encodeMultiBatch } from '../wire/multi-batch.ts';
import { Operation } from '../wire/operations.ts';
import { type IndexJob, type IndexResult, runJob } from './segments/index-jobs.ts';
import { PAGE_BYTES } from './page.ts';
import { type Shortage, StateMachine } from './state-machine.ts';

const MIB = 2 ** 20;
/** A page of rows that have none of the ids that a test uses. */
const NO_ROWS = new Uint32Array(1024);

/** A body of `count` events whose ids, user_data_128 and user_data_64 all differ. */
function events(kind: 'account' | 'transfer', count: number, first: number): Uint8Array {
  const words = new Uint32Array(count * 32);
  for (let i = 0; i < count; i += 1) {
    const at = i * 32;
    const unique = Math.imul(first + i + 1, 0x9e3779b1);
    words.set([first + i + 1, unique], at);
    if (kind === 'transfer') {
      words.set([1 + ((first + i) % 100), Math.imul(1 + ((first + i) % 100), 0x9e3779b1)], at + 4);
      const credit = 1 + ((first + i + 1) % 100);
      words.set([credit, Math.imul(credit, 0x9e3779b1)], at + 8);
      words[at + 12] = 1;
    }
    words.set([unique, 0, 0, first + i + 1, unique, 7, 7], at + 20);
    words[at + 28] = 1;
    words[at + 29] = 1;
  }
  return encodeMultiBatch([new Uint8Array(words.buffer)], 128);
}

test.each([24, 48, 64])(
  'a machine of %i MiB refuses in time, not early, and goes on reading',
  (mib) => {
    const limitBytes = mib * MIB;
    const machine = new StateMachine({ memoryLimitBytes: limitBytes });
    let timestamp = 1_000_000n;
    const commit = (operation: number, body: Uint8Array): void => {
      timestamp += 10_000n;
      machine.commit(operation, timestamp, body);
    };
    commit(Operation.createAccounts, events('account', 100, 0));
    let count = 0;
    for (;;) {
      const body = events('transfer', 4000, count);
      if (!machine.admits(Operation.createTransfers, body)) break;
      commit(Operation.createTransfers, body);
      count += 4000;
      expect(machine.memory().usedBytes).toBeLessThanOrEqual(limitBytes);
    }
    expect(machine.counts().transfers).toBe(count);
    expect(machine.memory().usedBytes).toBeGreaterThan(limitBytes - 20 * MIB);
    expect(machine.admits(Operation.lookupTransfers, new Uint8Array(32))).toBe(true);
    expect(machine.admits(Operation.pulse, new Uint8Array(0))).toBe(true);
    const id = new Uint8Array(16);
    new DataView(id.buffer).setUint32(0, count, true);
    new DataView(id.buffer).setUint32(4, Math.imul(count, 0x9e3779b1) >>> 0, true);
    const reply = machine.read(Operation.lookupTransfers, encodeMultiBatch([id], 16));
    expect(reply.subarray(0, 16)).toEqual(id);
  },
);

test('rows that are in a checkpoint leave memory: the same limit holds far more transfers, and is never exceeded', () => {
  const limitBytes = 64 * MIB;
  const fill = (sizes: { rowsLeaveAtBytes?: number; pageCacheBytes?: number }) => {
    const machine = new StateMachine({ memoryLimitBytes: limitBytes, ...sizes });
    machine.commit(Operation.createAccounts, 1_000_000n, events('account', 100, 0));
    let checkpoints = 0;
    for (let count = 0; ; count += 4000) {
      const body = events('transfer', 4000, count);
      const shortage = machine.shortage(Operation.createTransfers, body);
      if (shortage === 'memory') return { transfers: count, checkpoints, machine };
      if (shortage === 'rows' || machine.wantsCheckpoint) {
        for (const { chunks } of machine.takeDelta(new Set())) for (const _ of chunks);
        machine.stored();
        checkpoints += 1;
      }
      const { usedBytes } = machine.memory();
      expect(usedBytes).toBeGreaterThan(0);
      expect(usedBytes).toBeLessThanOrEqual(limitBytes);
      const timestamp = BigInt(count + 1_010_000);
      // Ids whose hashes are equal are told apart by their rows, which may have left: none of them are equal here.
      const needs = machine.prepare(Operation.createTransfers, timestamp, body);
      for (const name of needs?.pages ?? []) needs!.arrived(name, NO_ROWS);
      machine.commit(Operation.createTransfers, timestamp, body);
    }
  };
  const warm = fill({});
  const cold = fill({ rowsLeaveAtBytes: limitBytes * (7 / 8), pageCacheBytes: MIB });
  expect(warm.checkpoints).toBe(0);
  expect(cold.checkpoints).toBeGreaterThan(2);
  expect(cold.transfers).toBeGreaterThan(warm.transfers * 1.5);
  // The rows in memory take less than an eighth of what they all take.
  expect(cold.machine.pages().rowsInMemory).toBeLessThan(cold.transfers / 2);
});

test('a ledger beyond its limit asks for a checkpoint only if that lets rows go', () => {
  const machine = new StateMachine({ memoryLimitBytes: MIB, rowsLeaveAtBytes: 0 });
  machine.commit(Operation.createAccounts, 1_000_000n, events('account', 100, 0));
  for (let count = 0; count < 120_000; count += 8000) {
    expect(machine.mustCheckpoint(0)).toBe(false);
    const body = events('transfer', 8000, count);
    machine.commit(Operation.createTransfers, BigInt(count + 1_010_000), body);
  }
  expect(machine.mustCheckpoint(0)).toBe(true);
  expect(machine.mustCheckpoint(64 * MIB)).toBe(false);
  for (const { chunks } of machine.takeDelta(new Set())) for (const _ of chunks);
  machine.stored();
  expect(machine.heldBytes).toBeGreaterThan(MIB);
  expect(machine.mustCheckpoint(0)).toBe(false);
});

test('rows in memory make way for merges of the index: a ledger larger than memory has few segments', () => {
  const limitBytes = 32 * MIB;
  const machine = new StateMachine({
    memoryLimitBytes: limitBytes,
    indexSizes: { sealRows: 1024, chunkRows: 256, pageBytes: 4096 },
    // Rows fill memory up to here, so that without them there is room for large merges, and with them for none.
    rowsLeaveAtBytes: limitBytes - MIB,
    pageCacheBytes: MIB,
    rowsShift: 10,
  });
  machine.commit(Operation.createAccounts, 1_000_000n, events('account', 100, 0));
  for (let count = 0; count < 220_000; count += 4000) {
    const body = events('transfer', 4000, count);
    if (machine.wantsCheckpoint) {
      for (const { chunks } of machine.takeDelta(new Set())) for (const _ of chunks);
      machine.stored();
    }
    const timestamp = BigInt(count + 1_010_000);
    const needs = machine.prepare(Operation.createTransfers, timestamp, body);
    for (const name of needs?.pages ?? []) needs!.arrived(name, NO_ROWS);
    machine.commit(Operation.createTransfers, timestamp, body);
    expect(machine.memory().usedBytes).toBeLessThanOrEqual(limitBytes);
    expect(machine.index().segments).toBeLessThan(14);
  }
  expect(machine.pages().rowsInMemory).toBeLessThan(220_000);
});

/** Fills a ledger whose helper is as slow or as fast with merges as it is told. Returns how far it comes, and how many merges were given up. */
function fillWithHelper(limitBytes: number, merges: 'at once' | 'never', timeoutS = 0) {
  const machine = new StateMachine({
    memoryLimitBytes: limitBytes,
    indexSizes: { sealRows: 25_088, chunkRows: 6272, pageBytes: 4096 },
    rowsShift: 8,
  });
  const jobs: (() => void)[] = [];
  let [begun, givenUp] = [0, 0];
  machine.useIndexHelper({
    begin(job, done) {
      if (job.kind === 'merge') begun += 1;
      if (job.kind === 'seal' || merges === 'at once') jobs.push(() => done(resultOf(job)));
    },
    giveUp: () => (givenUp += 1),
    end: () => Promise.resolve(),
  });
  machine.commit(Operation.createAccounts, 1_000_000n, events('account', 100, 0));
  for (let transfers = 0; ; transfers += 4000) {
    while (jobs.length > 0) jobs.shift()!();
    const body = events('transfer', 4000, transfers);
    if (timeoutS > 0) makePending(body, timeoutS);
    if (!machine.admits(Operation.createTransfers, body))
      return { ...machine.index(), transfers, begun, givenUp };
    machine.commit(Operation.createTransfers, BigInt(transfers + 1_010_000), body);
    expect(machine.memory().usedBytes).toBeLessThanOrEqual(limitBytes);
  }
}

function makePending(body: Uint8Array, timeoutS: number): void {
  const words = new Uint32Array(body.buffer, body.byteOffset, 4000 * 32);
  for (let at = 0; at < words.length; at += 32) {
    words[at + 27] = timeoutS;
    words[at + 29] = 1 | (2 << 16);
  }
}

function resultOf(job: IndexJob): IndexResult {
  const generator = runJob(job);
  for (;;) {
    const step = generator.next();
    if (step.done === true) return step.value;
  }
}

/** Transfers whose ids rise, so that none of them is looked for in the index. */
function risingTransfers(count: number, first: number): Uint8Array {
  const body = events('transfer', count, first);
  const words = new Uint32Array(body.buffer, body.byteOffset, count * 32);
  for (let at = 0; at < words.length; at += 32) words[at + 1] = 0;
  return body;
}

test('while another thread lags with the index, writes wait for it and are not refused for good, and when it fails at that moment they go on', () => {
  const limitBytes = 64 * MIB;
  const machine = new StateMachine({
    memoryLimitBytes: limitBytes,
    hashKey: { low: 1, high: 2 },
    rowsLeaveAtBytes: limitBytes * (7 / 8),
    pageCacheBytes: MIB,
    indexSizes: { sealRows: 25_088, chunkRows: 6272, pageBytes: PAGE_BYTES },
  });
  let fail = (): void => undefined;
  machine.useIndexHelper({
    begin: (_job, done) => (fail = () => done(undefined)),
    giveUp: () => undefined,
    end: () => Promise.resolve(),
  });
  const checkpoint = (): void => {
    for (const { chunks } of machine.takeDelta(new Set())) for (const _ of chunks);
    machine.stored();
  };
  machine.commit(Operation.createAccounts, 1_000_000n, events('account', 100, 0));
  let count = 0;
  const fill = (until: number): Shortage | undefined => {
    for (let refused = 0; refused < 2;) {
      const body = risingTransfers(4000, count);
      const shortage = machine.shortage(Operation.createTransfers, body);
      if (shortage === 'memory' || shortage === 'index') return shortage;
      refused = shortage === undefined ? 0 : refused + 1;
      if (shortage === 'rows' || machine.wantsCheckpoint) checkpoint();
      if (shortage === 'rows') continue;
      const timestamp = BigInt(count + 1_010_000);
      const needs = machine.prepare(Operation.createTransfers, timestamp, body);
      for (const name of needs?.pages ?? []) needs!.arrived(name, NO_ROWS);
      machine.commit(Operation.createTransfers, timestamp, body);
      count += 4000;
      if (count > until) return undefined;
    }
    return 'rows';
  };
  expect(fill(2_000_000)).toBe('index');
  expect(machine.index().segments).toBe(0);
  const before = count;
  fail();
  for (let turn = 0; machine.index().unsealed > 1 && turn < 1000; turn += 1)
    machine.advanceIndexes();
  expect(machine.index().segments).toBeGreaterThan(0);
  expect(fill(before * 1.5)).toBeUndefined();
});

test('no write is refused for the room of a merge of the index: the merge is given up, and begins again only when there is room', () => {
  let givenUp = 0;
  for (const mib of [29, 32, 35]) {
    const during = fillWithHelper(mib * MIB, 'never');
    const without = fillWithHelper(mib * MIB, 'at once');
    expect(during.transfers).toBeGreaterThanOrEqual(without.transfers);
    expect(during.begun).toBeLessThanOrEqual(1);
    givenUp += during.givenUp;
  }
  expect(givenUp).toBeGreaterThan(0);
});

test('while pending transfers keep nearly all room for their expiries, the index is merged in it', () => {
  for (const mib of [54, 56]) {
    const { transfers, segments, unmerged } = fillWithHelper(mib * MIB, 'at once', 1000);
    expect(transfers).toBeGreaterThan(100_000);
    expect({ segments, unmerged }).toEqual({ segments: 1, unmerged: 0 });
  }
});

test('room for expiries is reserved at admission: the limit holds when all admitted transfers expire', () => {
  const limitBytes = 48 * MIB;
  const machine = new StateMachine({ memoryLimitBytes: limitBytes });
  let timestamp = 1_000_000n;
  const commit = (operation: number, body: Uint8Array): void => {
    timestamp += 10_000n;
    machine.commit(operation, timestamp, body);
  };
  commit(Operation.createAccounts, events('account', 100, 0));
  let count = 0;
  for (;;) {
    // Every other amount exceeds 64 bits, so that its expiry also needs a wide row.
    const body = events('transfer', 4000, count);
    const words = new Uint32Array(body.buffer, body.byteOffset, 4000 * 32);
    for (let at = 0; at < words.length; at += 32) {
      words[at + 14] = at % 64 === 0 ? 1 : 0;
      words[at + 27] = 60;
      words[at + 29] = 1 | (2 << 16);
    }
    if (!machine.admits(Operation.createTransfers, body)) break;
    commit(Operation.createTransfers, body);
    count += 4000;
  }
  expect(machine.counts().pendingTransfers).toBe(count);
  expect(count).toBeGreaterThan(40_000);
  // The status says so, too.
  expect(machine.memory().usedBytes).toBeGreaterThan(limitBytes - 12 * MIB);
  timestamp += 100_000_000_000n;
  while (machine.nextExpiry() !== undefined) commit(Operation.pulse, new Uint8Array(0));
  expect(machine.counts().pendingTransfers).toBe(0);
  expect(machine.memory().usedBytes).toBeLessThanOrEqual(limitBytes);
  // The room reserved for the expiries is used.
  expect(machine.memory().usedBytes).toBeGreaterThan(limitBytes - 20 * MIB);
});

test('accounts with two unique fields of user data stay below 450 bytes, transfers below 250', () => {
  const machine = new StateMachine({ memoryLimitBytes: 2 ** 40 });
  const empty = machine.memory().usedBytes;
  for (let first = 0, time = 10_000n; first < 120_000; first += 8000, time += 10_000n) {
    machine.commit(Operation.createAccounts, time, events('account', 8000, first));
  }
  const filled = machine.memory().usedBytes;
  expect((filled - empty) / 120_000).toBeLessThan(450);
  for (let first = 0, time = 10_000_000n; first < 400_000; first += 8000, time += 10_000n) {
    machine.commit(Operation.createTransfers, time, events('transfer', 8000, first));
  }
  expect((machine.memory().usedBytes - filled) / 400_000).toBeLessThan(250);
});
