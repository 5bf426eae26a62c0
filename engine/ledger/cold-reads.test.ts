/** Reads whose rows have left memory: how often they are repeated until all rows are there. */
import { expect, test } from '@jest/globals';
import { encodeMultiBatch } from '../wire/multi-batch.ts';
import { Operation } from '../wire/operations.ts';
import type { Needs } from './cold-rows.ts';
import { PAGE_BYTES } from './page.ts';
import { StateMachine } from './state-machine.ts';

const ACCOUNTS_TABLE = 1;
const ACCOUNT_BYTES = 128;
const ACCOUNTS_A_PAGE = 32;
const TRANSFERS_A_PAGE = 28;
const GROUPS = 40;
const OPTIONS = {
  memoryLimitBytes: 2 ** 30,
  indexSizes: { sealRows: 256, chunkRows: 64, pageBytes: PAGE_BYTES },
};
/** Rows and accounts leave memory as soon as a checkpoint has them. */
const COLD = {
  ...OPTIONS,
  rowsLeaveAtBytes: 0,
  rowsShift: 3,
  accountsShift: 5,
  accountsStayBytes: 0,
  liveAccountsMax: 1,
  pageCacheBytes: 4 * PAGE_BYTES,
  hashKey: { low: 5, high: 6 },
};

/** A ledger whose pages are on a volume in memory. */
class Ledger {
  readonly machine: StateMachine;
  #timestamp = 1_000_000n;
  readonly #pages = new Map<string, Uint8Array>();
  #accounts = new Uint8Array(0);

  constructor(options: object) {
    this.machine = new StateMachine({ ...OPTIONS, ...options });
  }

  commit(operation: number, events: Uint32Array): void {
    const body = new Uint8Array(events.buffer);
    this.#timestamp += 1_000_000n;
    for (let needs; (needs = this.machine.prepare(operation, this.#timestamp, body));)
      this.#bring(needs);
    this.machine.commit(operation, this.#timestamp, body);
  }

  checkpoint(): void {
    for (const section of this.machine.takeDelta(new Set())) {
      const { chunks, table, firstRow, rowSize } = section;
      const bytes = Buffer.concat(Array.from(chunks, (chunk) => chunk.slice()));
      if (table === ACCOUNTS_TABLE) {
        const before = this.#accounts.subarray(0, firstRow * ACCOUNT_BYTES);
        this.#accounts = Buffer.concat([before, bytes]);
      }
      if (rowSize !== PAGE_BYTES) continue;
      for (let at = 0; at < bytes.length; at += PAGE_BYTES)
        this.#pages.set(
          `${table} ${firstRow + at / PAGE_BYTES}`,
          bytes.subarray(at, at + PAGE_BYTES),
        );
    }
    this.machine.stored();
    this.machine.advanceIndexes();
  }

  /** Returns the answer to a read, and how often its pages were brought. */
  read(
    operation: number,
    body: Uint8Array,
  ): { readonly answer: Uint8Array; readonly rounds: number } {
    const read = this.machine.beginRead(operation, body);
    let rounds = 0;
    for (let step; (step = read.step(Infinity)) !== true; rounds += 1) this.#bring(step as Needs);
    return { answer: read.finish().slice(), rounds };
  }

  #bring({ pages, arrived }: Needs): void {
    for (const { table, page } of pages) {
      const first = page * ACCOUNTS_A_PAGE * ACCOUNT_BYTES;
      const bytes =
        table === ACCOUNTS_TABLE
          ? this.#accounts.slice(first, first + PAGE_BYTES)
          : this.#pages.get(`${table} ${page}`)!;
      arrived({ table, page }, new Uint32Array(new Uint8Array(bytes).buffer));
    }
  }
}

/** Makes a ledger where each page of transfers is of two accounts, in a page of their own. Its first transfer has user_data_32 of its own. */
function filled(options: object): Ledger {
  const ledger = new Ledger(options);
  const accounts = new Uint32Array(GROUPS * ACCOUNTS_A_PAGE * 32);
  for (let at = 0; at < accounts.length; at += 32) {
    accounts[at] = at / 32 + 1;
    accounts.set([1, 1], at + 28);
  }
  ledger.commit(Operation.createAccountsUnbatched, accounts);
  // Some more transfers have the rest leave memory.
  const transfers = new Uint32Array((GROUPS + 20) * TRANSFERS_A_PAGE * 32);
  for (let at = 0; at < transfers.length; at += 32) {
    const number = at / 32;
    const group = Math.floor(number / TRANSFERS_A_PAGE);
    const account = (group % GROUPS) * ACCOUNTS_A_PAGE + 1;
    transfers[at] = number + 1;
    transfers.set([account, 0, 0, 0, account + 1, 0, 0, 0, 1], at + 4);
    transfers[at + 26] = number % TRANSFERS_A_PAGE === 0 ? group + 1 : 0;
    transfers.set([1, 1], at + 28);
  }
  ledger.commit(Operation.createTransfersUnbatched, transfers);
  for (let i = 0; i < 30; i += 1) ledger.checkpoint();
  return ledger;
}

/** A request of so many filters, each for the first transfer of another group. */
function filtersOf(count: number): Uint8Array {
  return encodeMultiBatch(
    Array.from({ length: count }, (_, group) => {
      const filter = new Uint32Array(16);
      filter[6] = group + 1;
      filter[14] = 1;
      return new Uint8Array(filter.buffer);
    }),
    64,
  );
}

test('a read of many filters is repeated no more often than one of a few: what one lacks keeps the others from nothing', () => {
  const [cold, hot] = [filled(COLD), filled({})];
  cold.commit(Operation.createAccountsUnbatched, Uint32Array.of(...Array<number>(32).fill(9)));
  expect(cold.machine.pages().rowsInMemory).toBeLessThan(TRANSFERS_A_PAGE);
  const few = cold.read(Operation.queryTransfers, filtersOf(2));
  const many = cold.read(Operation.queryTransfers, filtersOf(GROUPS));
  expect(few.rounds).toBeGreaterThan(1);
  // Of the index, each filter may lack pages of its own.
  expect(many.rounds).toBeLessThan(few.rounds + GROUPS / 4);
  const { answer, rounds } = hot.read(Operation.queryTransfers, filtersOf(GROUPS));
  expect([rounds, Buffer.compare(many.answer, answer)]).toEqual([0, 0]);
});
