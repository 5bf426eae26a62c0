/** Ids that are above all earlier ones enter the index after the answer. No answer may show it. */
import { expect, test } from '@jest/globals';
import {
  accountFields,
  concatenate,
  encodeRecord,
  transferFields,
} from '../../test/support/engine/ledger/records.ts';
import type { Needs } from './cold-rows.ts';
import { KeyedHash } from './keyed-hash.ts';
import { PAGE_BYTES } from './page.ts';
import { StateMachine } from './state-machine.ts';
import { encodeMultiBatch } from '../wire/multi-batch.ts';
import { Operation } from '../wire/operations.ts';
import { CREATED, TransferStatus } from '../wire/statuses.ts';

const LINKED = 1n;
const PENDING = 2n;
const POST = 4n;
const created = CREATED >>> 0;
const parties = { debit_account_id: 1n, credit_account_id: 2n, ledger: 1n, code: 1n };

type Fields = Record<string, bigint>;
const transfer = (id: bigint, fields: Fields = {}): Uint8Array =>
  encodeRecord(transferFields, 128, { id, amount: 1n, ...parties, ...fields });

const KEY = { low: 5, high: 6 };
/** Rows leave memory as soon as a checkpoint has them, all of them before they are in a segment of the index. */
const COLD = { rowsLeaveAtBytes: 0, rowsShift: 2, pageCacheBytes: PAGE_BYTES, hashKey: KEY };

class Ledger {
  readonly machine: StateMachine;
  #timestamp = 1_000_000n;
  readonly #pages = new Map<string, Uint8Array>();

  constructor(options: object = {}) {
    this.machine = new StateMachine({ memoryLimitBytes: 2 ** 34, ...options });
    const account = (id: bigint): Uint8Array =>
      encodeRecord(accountFields, 128, { id, ledger: 1n, code: 1n });
    this.#commit(Operation.createAccountsUnbatched, concatenate([account(1n), account(2n)]));
  }

  /** Creates the batches of one operation and returns all statuses. */
  create(...batches: readonly Uint8Array[][]): number[] {
    const body = encodeMultiBatch(batches.map(concatenate), 128);
    const reply = this.#commit(Operation.createTransfers, body);
    const view = new DataView(reply.buffer, reply.byteOffset);
    return batches.flat().map((_, i) => view.getUint32(i * 16 + 8, true));
  }

  checkpoint(): void {
    for (const { chunks, table, firstRow, rowSize } of this.machine.takeDelta(new Set())) {
      if (rowSize !== PAGE_BYTES) continue;
      const bytes = concatenate(Array.from(chunks, (chunk) => chunk.slice()));
      for (let at = 0; at < bytes.length; at += PAGE_BYTES)
        this.#pages.set(`${table} ${firstRow + at / PAGE_BYTES}`, bytes.slice(at, at + PAGE_BYTES));
    }
    this.machine.stored();
  }

  #commit(operation: number, body: Uint8Array): Uint8Array {
    this.#timestamp += 100_000n;
    const { machine } = this;
    for (let needs; (needs = machine.prepare(operation, this.#timestamp, body));)
      this.#bring(needs);
    return machine.commit(operation, this.#timestamp, body);
  }

  #bring({ pages, arrived }: Needs): void {
    for (const name of pages)
      arrived(name, new Uint32Array(this.#pages.get(`${name.table} ${name.page}`)!.buffer));
  }
}

test('a transfer of an earlier batch of the same operation exists, though its id has risen', () => {
  const ledger = new Ledger();
  const statuses = ledger.create([transfer(10n), transfer(11n)], [transfer(11n), transfer(10n)]);
  expect(statuses).toEqual([created, created, TransferStatus.exists, TransferStatus.exists]);
});

test('a pending transfer of an earlier batch of the same operation is posted once', () => {
  const ledger = new Ledger();
  const post = (id: bigint): Uint8Array =>
    transfer(id, { pending_id: 10n, amount: (1n << 128n) - 1n, flags: POST });
  const statuses = ledger.create([transfer(10n, { flags: PENDING })], [post(11n)], [post(12n)]);
  expect(statuses).toEqual([created, created, TransferStatus.pending_transfer_already_posted]);
});

test('a transfer that a broken chain took back can be created again, at once and later', () => {
  const ledger = new Ledger();
  const chain = (first: bigint): Uint8Array[] => [
    transfer(first, { flags: LINKED }),
    transfer(first + 1n, { flags: LINKED }),
    transfer(first + 2n, { amount: 1n, code: 0n }),
  ];
  const failed = TransferStatus.linked_event_failed;
  const code = TransferStatus.code_must_not_be_zero;
  expect(ledger.create([transfer(9n), ...chain(10n)], [transfer(11n), transfer(9n)])).toEqual([
    created,
    failed,
    failed,
    code,
    created,
    TransferStatus.exists,
  ]);
  expect(ledger.create(chain(20n))).toEqual([failed, failed, code]);
  expect(ledger.create([transfer(21n), transfer(20n), transfer(21n)])).toEqual([
    created,
    created,
    TransferStatus.exists,
  ]);
  expect(ledger.machine.counts().transfers).toBe(4);
});

test('an id that failed for good stays so, though it is above all others', () => {
  const ledger = new Ledger();
  const unknown = transfer(20n, { debit_account_id: 7n });
  const statuses = ledger.create([transfer(10n), unknown], [transfer(20n)]);
  expect(statuses).toEqual([
    created,
    TransferStatus.debit_account_not_found,
    TransferStatus.id_already_failed,
  ]);
  expect(ledger.create([transfer(20n)])).toEqual([TransferStatus.id_already_failed]);
});

test('an operation whose part after the answer fails has no successor, and no state hash without it', () => {
  const machine = new StateMachine({
    memoryLimitBytes: 2 ** 30,
    indexSizes: { sealRows: 4, chunkRows: 2, pageBytes: 80 },
  });
  machine.useIndexHelper({
    begin: () => {
      throw new Error('no thread');
    },
    giveUp: () => undefined,
    end: () => Promise.resolve(),
  });
  const account = (id: bigint): Uint8Array =>
    encodeRecord(accountFields, 128, { id, ledger: 1n, code: 1n });
  const accounts = concatenate([account(1n), account(2n)]);
  machine.commit(Operation.createAccountsUnbatched, 1000n, accounts);
  const transfers = concatenate([10n, 11n, 12n, 13n].map((id) => transfer(id)));
  machine.commit(Operation.createTransfersUnbatched, 2000n, transfers);
  const uses: readonly (() => unknown)[] = [
    () => machine.stateHash(),
    () => machine.stateHash(),
    () => machine.takeDelta(new Set()),
    () => machine.beginRead(Operation.lookupTransfersUnbatched, new Uint8Array(16)),
    () => machine.commit(Operation.createTransfersUnbatched, 3000n, transfer(20n)),
  ];
  for (const use of uses) expect(use).toThrow('no thread');
});

test('an operation is prepared for ids that are above all others when it is prepared, and below another one of its own when it is executed', () => {
  // Their hashes have 32 bits in common, as those of one pair of 90,000 ids have.
  const [old, young] = [52_299n, 57_837n];
  const hash = new KeyedHash(KEY);
  const hashOf = (id: bigint): number => hash.of128(Uint32Array.of(Number(id), 0, 0, 0), 0);
  expect(hashOf(young)).toBe(hashOf(old));
  const ledger = new Ledger(COLD);
  const ids = Array.from({ length: 200 }, (_, i) => BigInt(i + 1));
  ledger.create([old, ...ids].map((id) => transfer(id)));
  ledger.checkpoint();
  // Rows that a checkpoint has leave memory with the next operation.
  expect(ledger.create([transfer(300n)])).toEqual([created]);
  expect(ledger.machine.pages().rowsInMemory).toBeLessThan(100);
  const post = { pending_id: young, amount: (1n << 128n) - 1n, flags: POST };
  expect(
    ledger.create([
      transfer(60_000n),
      transfer(young, { flags: PENDING }),
      transfer(59_000n, post),
    ]),
  ).toEqual([created, created, created]);
  expect(ledger.create([transfer(old)])).toEqual([TransferStatus.exists]);
});
