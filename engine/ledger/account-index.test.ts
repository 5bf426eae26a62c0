/** The index of accounts that have left memory: what stays of it, and how it stands in checkpoints. */
import { expect, test } from '@jest/globals';
import { Operation } from '../wire/operations.ts';
import { FIRST_SEGMENT_TABLE, INDEX_TABLE } from './checkpoint.ts';
import type { Needs } from './cold-rows.ts';
import { ACCOUNTS_A_PAGE, ACCOUNTS_TABLE } from './layout.ts';
import { ROWS_A_SLICE } from './ledger-state.ts';
import { PAGE_BYTES } from './page.ts';
import { type IndexJob, type IndexResult, runJob } from './segments/index-jobs.ts';
import { StateMachine } from './state-machine.ts';

const KEY = { low: 5, high: 6 };
const ROW_BYTES = 128;
/** Rows, accounts and segments leave memory as soon as a checkpoint has them. */
const COLD = {
  rowsLeaveAtBytes: 0,
  accountsShift: 5,
  accountsStayBytes: 0,
  liveAccountsMax: 16,
  pageCacheBytes: 4 * PAGE_BYTES,
  indexSizes: { sealRows: 1024, chunkRows: 256, pageBytes: PAGE_BYTES },
};
const BATCH = 4096;

/** Accounts with three fields of user data that no other has. */
function accounts(first: number, count: number): Uint8Array {
  const words = new Uint32Array(count * 32);
  for (let i = 0; i < count; i += 1) {
    const unique = Math.imul(first + i, 0x9e3779b1);
    words.set([first + i, unique], i * 32);
    words.set([unique, 0, 0, first + i, unique, 7, first + i, 0, 1, 1], i * 32 + 20);
  }
  return new Uint8Array(words.buffer);
}

const joined = (...parts: Uint8Array[]): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Buffer.concat(parts));

/** A ledger with what its checkpoints have: the pages of segments by name, and the accounts. */
class Stored {
  readonly machine = new StateMachine({ memoryLimitBytes: 2 ** 30, hashKey: KEY, ...COLD });
  readonly #pages = new Map<string, Uint8Array>();
  #accounts = new Uint8Array(0);
  directory = new Uint32Array(0);
  indexPagesRead = 0;
  #time = 1n;

  create(first: number, count: number): void {
    this.commit(Operation.createAccountsUnbatched, accounts(first, count));
    this.#checkpoint();
    // Whatever a checkpoint has leaves memory with the next operation.
    this.commit(Operation.createAccountsUnbatched, accounts(first + count, 1));
  }

  commit(operation: number, body: Uint8Array): Uint8Array {
    this.#time += 100_000n;
    const { machine } = this;
    for (let needs; (needs = machine.prepare(operation, this.#time, body));) this.bring(needs);
    return machine.commit(operation, this.#time, body);
  }

  read(operation: number, body: Uint8Array): Uint8Array {
    const read = this.machine.beginRead(operation, body);
    for (;;) {
      const step = read.step(1000);
      if (step === true) return read.finish();
      if (step !== false) this.bring(step);
    }
  }

  #checkpoint(): void {
    for (const { chunks, table, firstRow, rowSize } of this.machine.takeDelta(new Set())) {
      const bytes = joined(...Array.from(chunks, (chunk) => chunk.slice()));
      if (table === ACCOUNTS_TABLE) this.#accounts = joined(this.#accounts, bytes);
      if (table === INDEX_TABLE) this.directory = new Uint32Array(bytes.buffer);
      if (rowSize === PAGE_BYTES) this.#takePages(table, firstRow, bytes);
    }
    this.machine.stored();
  }

  #takePages(table: number, first: number, bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at += PAGE_BYTES)
      this.#pages.set(`${table} ${first + at / PAGE_BYTES}`, bytes.slice(at, at + PAGE_BYTES));
  }

  bring({ pages, arrived }: Needs): void {
    for (const name of pages) {
      if (name.table >= FIRST_SEGMENT_TABLE) this.indexPagesRead += 1;
      const from = name.page * ACCOUNTS_A_PAGE * ROW_BYTES;
      const bytes =
        name.table === ACCOUNTS_TABLE
          ? this.#accounts.slice(from, from + ACCOUNTS_A_PAGE * ROW_BYTES)
          : this.#pages.get(`${name.table} ${name.page}`)!;
      expect(arrived(name, new Uint32Array(bytes.slice().buffer))).toBe(true);
    }
  }
}

test('an account with three fields of its own that has left memory takes less than 12 bytes of it, and is found by its id and each field', () => {
  const ledger = new Stored();
  const batches = 12;
  let early = 0;
  for (let batch = 0; batch < batches; batch += 1) {
    ledger.create(1 + batch * (BATCH + 1), BATCH);
    if (batch === 3) early = ledger.machine.memory().usedBytes;
  }
  const count = batches * (BATCH + 1);
  const later = ledger.machine.memory().usedBytes;
  expect((later - early) / ((batches - 4) * (BATCH + 1))).toBeLessThan(12);
  const exists = ledger.commit(Operation.createAccountsUnbatched, accounts(3, 5));
  expect(ledger.machine.counts().accounts).toBe(count);
  expect(new Uint32Array(exists.slice().buffer)[1]).toBe(21);
  const ids = new Uint32Array(4 * 40);
  for (let i = 0; i < 40; i += 1) {
    const id = 1 + i * 1500;
    ids.set([id, Math.imul(id, 0x9e3779b1)], i * 4);
  }
  const known = [...Array(40).keys()].map((i) => 1 + i * 1500).filter((id) => id <= count);
  const found = ledger.read(Operation.lookupAccountsUnbatched, new Uint8Array(ids.buffer));
  const idOf = (row: number): number => new Uint32Array(found.slice().buffer)[row * 32]!;
  expect(Array.from({ length: found.length / ROW_BYTES }, (_, row) => idOf(row))).toEqual(known);
  for (const id of [2, 9000, count - 3]) {
    const unique = Math.imul(id, 0x9e3779b1);
    for (const field of [
      [unique, 0, 0, id],
      [0, 0, 0, 0, unique, 7],
      [0, 0, 0, 0, 0, 0, id],
    ]) {
      const filter = new Uint32Array(16);
      filter.set(field);
      filter[14] = 8000;
      const reply = ledger.read(Operation.queryAccountsUnbatched, new Uint8Array(filter.buffer));
      expect(reply.length).toBe(ROW_BYTES);
      expect(new Uint32Array(reply.slice().buffer)[0]).toBe(id);
    }
  }
  expect(ledger.indexPagesRead).toBeGreaterThan(40);
});

test('releases before stop at the first segment of accounts in the directory, as at a gap, and take none for one of transfers', () => {
  const ledger = new Stored();
  ledger.create(1, BATCH / 2);
  const { directory } = ledger;
  const [head, entry] = [6, 20];
  const rows: [number, number][] = [];
  for (let at = head; at + entry <= directory.length; at += entry)
    rows.push([directory[at + 1]!, directory[at + 2]!]);
  expect(rows.length).toBeGreaterThan(1);
  // They go on as long as a segment begins where the one before it ended, the first at 0.
  expect(rows[0]![0]).toBe(2 ** 31);
  for (const [i, [first]] of rows.entries())
    expect(first).toBe(i === 0 ? 2 ** 31 : rows[i - 1]![1]);
});

test('a page of the index of accounts that cannot be read to be merged shows as one of transfers does, until it can be read', () => {
  const ledger = new Stored();
  const { machine } = ledger;
  const later: (() => void)[] = [];
  let isReadable = false;
  const useVolume = (): void =>
    machine.useIndexVolume((needs, done) => {
      later.push(() => {
        if (isReadable) ledger.bring(needs);
        done(isReadable);
      });
    });
  useVolume();
  const run = (first: number): void => {
    ledger.create(first, BATCH);
    while (later.length > 0) later.shift()!();
  };
  for (let batch = 0; batch < 4; batch += 1) run(1 + batch * (BATCH + 1));
  expect(machine.index().areReadsFailing).toBe(true);
  isReadable = true;
  useVolume();
  run(1 + 4 * (BATCH + 1));
  expect(machine.index().areReadsFailing).toBe(false);
});

test('accounts leave memory while their ids are entered at a start, because their index was made meanwhile, and all are found', async () => {
  const count = 3 * ROWS_A_SLICE;
  const writer = new StateMachine({ memoryLimitBytes: 2 ** 30 });
  for (let first = 1; first <= count; first += BATCH)
    writer.commit(Operation.createAccountsUnbatched, BigInt(first + BATCH), accounts(first, BATCH));
  const indexSizes = { sealRows: count / 2, chunkRows: 1024, pageBytes: PAGE_BYTES };
  const machine = new StateMachine({
    memoryLimitBytes: 2 ** 30,
    hashKey: KEY,
    ...COLD,
    indexSizes,
  });
  const jobs: (() => void)[] = [];
  machine.useIndexHelper({
    begin: (job, done) => void jobs.push(() => done(resultOf(job))),
    giveUp: () => undefined,
    end: () => Promise.resolve(),
  });
  let stored = new Uint8Array(0);
  for (const { chunks, ...head } of writer.takeDelta(new Set())) {
    const bytes = joined(...Array.from(chunks, (chunk) => chunk.slice()));
    if (head.table === ACCOUNTS_TABLE) stored = bytes;
    await machine.loadSection(head, inPieces(bytes));
  }
  let pauses = 0;
  await machine.finishLoad(async () => {
    pauses += 1;
    // Three slices of accounts are loaded, and the ids of the first one are entered.
    if (pauses === 4) while (jobs.length > 0) jobs.shift()!();
  });
  expect(machine.stateHash()).toEqual(writer.stateHash());
  const ids = [1, count / 3, count / 3 + 1, count / 2, count - 1, count];
  const wanted = new Uint32Array(ids.flatMap((id) => [id, Math.imul(id, 0x9e3779b1), 0, 0]));
  const read = machine.beginRead(Operation.lookupAccountsUnbatched, new Uint8Array(wanted.buffer));
  for (let step; (step = read.step(1000)) !== true;) {
    if (step === false) continue;
    for (const name of step.pages) {
      const from = name.page * ACCOUNTS_A_PAGE * ROW_BYTES;
      const page = stored.slice(from, from + ACCOUNTS_A_PAGE * ROW_BYTES);
      expect(step.arrived(name, new Uint32Array(page.buffer))).toBe(true);
    }
  }
  const found = new Uint32Array(read.finish().slice().buffer);
  expect(ids.map((_, i) => found[i * 32])).toEqual(ids);
});

function resultOf(job: IndexJob): IndexResult {
  const generator = runJob(job);
  for (;;) {
    const step = generator.next();
    if (step.done === true) return step.value;
  }
}

async function* inPieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
