/**
 * A ledger that gets counted transfers (counted-transfers.ts) over the native protocol, and whose answers are compared with an
 * independent count of them.
 */
import type { Client } from '../../../engine/client/client.ts';
import { accountBatch } from '../../../engine/commands/workload.ts';
import { decodeMultiBatch, encodeMultiBatch } from '../../../engine/wire/multi-batch.ts';
import { Operation } from '../../../engine/wire/operations.ts';
import { BATCH, batchOf, kindOf, mix, moved, pendingOf, putId } from './counted-transfers.ts';

const created = 0xffff_ffff;
const timeoutMs = 600_000;

interface Sums {
  debitsPending: number;
  debitsPosted: number;
  creditsPending: number;
  creditsPosted: number;
}

/** What the count says of an account: its transfers, oldest first, and its balances. */
interface Counted {
  readonly own: number[];
  readonly sums: Sums;
}

export class CountedLedger {
  /** Another one after each start of an engine whose address is another then. */
  client: Client;
  readonly accounts: number;
  /** Answers that differ from the count. */
  differences = 0;
  #times = new Map<string, number[]>();

  constructor(client: Client, accounts: number) {
    this.client = client;
    this.accounts = accounts;
  }

  async createAccounts(): Promise<void> {
    const part = 8000;
    for (let first = 1; first <= this.accounts; first += part)
      await this.#request(
        Operation.createAccounts,
        accountBatch(first, Math.min(part, this.accounts + 1 - first)),
      );
  }

  /** Batches follow each other from 0 on. */
  async createBatch(batch: number): Promise<void> {
    const reply = await this.#timed(
      `batch, ${kindOf(batch)}`,
      Operation.createTransfers,
      batchOf(batch, this.accounts),
    );
    const statuses = recordsOf(reply, 16);
    this.same('results', statuses.length, BATCH);
    for (const record of statuses) this.same('status', record.getUint32(8, true), created);
  }

  /** Look-ups, queries, pages and balances of some of the first `count` transfers and of their accounts, others in each round. */
  async compare(count: number, round: number): Promise<void> {
    for (let k = 0; k < 40; k += 1) {
      const i = mix(round * 1000 + k) % count;
      const reply = await this.#timed('lookup', Operation.lookupTransfers, lookupOf(i));
      this.#compareLookup(i, reply);
      await this.#compareQuery(i, count);
    }
    const accounts = new Set([0, 1, 2].map((k) => mix(round + k) % this.accounts));
    for (const [account, counted] of this.#count(accounts, count))
      await this.#compareAccount(account, counted);
  }

  /** Compares one transfer; the time of it does not count. */
  async lookUp(i: number): Promise<void> {
    this.#compareLookup(i, await this.#request(Operation.lookupTransfers, lookupOf(i)));
  }

  /** Look-ups of random transfers, and pages of 8,189 from random transfers on, in the order of time. */
  async readAtRest(count: number, lookups: number, pages: number): Promise<void> {
    for (let k = 0; k < lookups; k += 1) {
      const i = mix(count + k) % count;
      const lookup = 'lookup at rest';
      this.#compareLookup(i, await this.#timed(lookup, Operation.lookupTransfers, lookupOf(i)));
    }
    for (let k = 0; k < pages; k += 1) {
      const i = mix(count + lookups + k) % (count - BATCH + 1);
      const [first] = recordsOf(await this.#request(Operation.lookupTransfers, lookupOf(i)), 128);
      const filter = new DataView(new ArrayBuffer(64));
      filter.setBigUint64(40, first?.getBigUint64(120, true) ?? 0n, true);
      filter.setUint32(56, BATCH, true);
      const body = encodeMultiBatch([new Uint8Array(filter.buffer)], 64);
      const reply = await this.#timed('page at rest', Operation.queryTransfers, body);
      const found = recordsOf(reply, 128);
      this.same(`rows of a page from ${i} on`, found.length, BATCH);
      for (const [at, record] of found.entries()) this.#compareTransfer(record, i + at);
    }
  }

  #compareLookup(i: number, reply: Uint8Array): void {
    const [one] = recordsOf(reply, 128);
    if (one === undefined) this.same(`transfer ${i}`, 'nothing', 'there');
    else this.#compareTransfer(one, i);
  }

  /** Counts a difference, and prints the first ones. */
  same(what: string, is: unknown, should: unknown): void {
    if (is === should) return;
    this.differences += 1;
    if (this.differences < 10)
      process.stderr.write(`DIFFERENCE ${what}: ${String(is)} instead of ${String(should)}\n`);
  }

  /** The median, the 99th percentile and the longest of each kind of request since the last call, ms. */
  takeLatencies(): string {
    const shown = [...this.#times].map(
      ([what, all]) => `${what} ${partOf(all, 0.5)}, ${partOf(all, 0.99)}, ${partOf(all, 1)}`,
    );
    this.#times = new Map();
    return shown.join(' · ');
  }

  #compareTransfer(record: DataView, i: number): void {
    const { debit, credit, amount, userData } = moved(i, this.accounts);
    this.same(`transfer ${i}, id`, record.getUint32(0, true), i + 1);
    this.same(`transfer ${i}, debit`, record.getUint32(16, true), debit + 1);
    this.same(`transfer ${i}, credit`, record.getUint32(32, true), credit + 1);
    this.same(`transfer ${i}, amount`, record.getUint32(48, true), amount);
    this.same(`transfer ${i}, user data`, record.getUint32(96, true), userData);
    const isPost = kindOf(Math.floor(i / BATCH)) === 'post';
    this.same(`transfer ${i}, pending`, record.getUint32(64, true), isPost ? pendingOf(i) + 1 : 0);
  }

  /** The transfers with a unique value of user data: one, or a pending one and its post. */
  async #compareQuery(i: number, count: number): Promise<void> {
    const { userData } = moved(i, this.accounts);
    const filter = new DataView(new ArrayBuffer(64));
    filter.setUint32(16, userData, true);
    filter.setUint32(20, 1, true);
    filter.setUint32(56, 8189, true);
    const body = encodeMultiBatch([new Uint8Array(filter.buffer)], 64);
    const found = recordsOf(await this.#timed('query', Operation.queryTransfers, body), 128);
    const numbers = new Set(found.map((record) => record.getUint32(0, true) - 1));
    this.same(`transfer ${i} is found by its user data`, numbers.has(i), true);
    for (const record of found) this.#compareTransfer(record, record.getUint32(0, true) - 1);
    for (const number of numbers)
      this.same('user data', moved(number, this.accounts).userData, userData);
    const isWithin = [...numbers].every((number) => number < count);
    this.same('no number beyond the last', isWithin, true);
  }

  #count(accounts: ReadonlySet<number>, count: number): ReadonlyMap<number, Counted> {
    const counted = new Map<number, Counted>();
    for (const account of accounts)
      counted.set(account, {
        own: [],
        sums: { debitsPending: 0, debitsPosted: 0, creditsPending: 0, creditsPosted: 0 },
      });
    for (let i = 0; i < count; i += 1) {
      const { debit, credit, amount } = moved(i, this.accounts);
      for (const [side, account] of [
        ['debits', debit],
        ['credits', credit],
      ] as const) {
        const of = counted.get(account);
        if (of === undefined) continue;
        const { own, sums } = of;
        own.push(i);
        const kind = kindOf(Math.floor(i / BATCH));
        if (kind !== 'pending') sums[`${side}Posted`] += amount;
        else sums[`${side}Pending`] += amount;
        if (kind === 'post') sums[`${side}Pending`] -= amount;
      }
    }
    return counted;
  }

  /** The newest and the oldest transfers of an account, and its balances. */
  async #compareAccount(account: number, { own, sums }: Counted): Promise<void> {
    for (const isReversed of [false, true]) {
      const filter = new DataView(new ArrayBuffer(128));
      filter.setUint32(0, account + 1, true);
      filter.setUint32(120, 1000, true);
      filter.setUint32(124, isReversed ? 7 : 3, true);
      const body = encodeMultiBatch([new Uint8Array(filter.buffer)], 128);
      const reply = await this.#timed('page of an account', Operation.getAccountTransfers, body);
      const should = isReversed ? own.toReversed().slice(0, 1000) : own.slice(0, 1000);
      const found = recordsOf(reply, 128);
      this.same(`transfers of account ${account}`, found.length, should.length);
      for (const [k, record] of found.entries()) this.#compareTransfer(record, should[k]!);
    }
    const id = new Uint8Array(16);
    new DataView(id.buffer).setUint32(0, account + 1, true);
    const reply = await this.#request(Operation.lookupAccounts, encodeMultiBatch([id], 16));
    const [row] = recordsOf(reply, 128);
    this.same('debits pending', row?.getUint32(16, true), sums.debitsPending);
    this.same('debits posted', row?.getUint32(32, true), sums.debitsPosted);
    this.same('credits pending', row?.getUint32(48, true), sums.creditsPending);
    this.same('credits posted', row?.getUint32(64, true), sums.creditsPosted);
  }

  #request(operation: number, body: Uint8Array): Promise<Uint8Array> {
    return this.client.submit(operation, body, { timeoutMs });
  }

  async #timed(what: string, operation: number, body: Uint8Array): Promise<Uint8Array> {
    const start = performance.now();
    const reply = await this.#request(operation, body);
    const times = this.#times.get(what) ?? [];
    times.push(performance.now() - start);
    this.#times.set(what, times);
    return reply;
  }
}

function lookupOf(i: number): Uint8Array {
  const id = new Uint8Array(16);
  putId(new DataView(id.buffer), 0, i);
  return encodeMultiBatch([id], 16);
}

const recordsOf = (reply: Uint8Array, size: number): DataView[] =>
  Array.from(
    { length: decodeMultiBatch(reply, size)?.[0] ?? 0 },
    (_, k) => new DataView(reply.buffer, reply.byteOffset + k * size, size),
  );

const partOf = (all: readonly number[], part: number): string =>
  (
    all.toSorted((a, b) => a - b)[Math.min(all.length - 1, Math.floor(all.length * part))] ?? 0
  ).toFixed(2);
