/** A ledger that is made of another one's accounts and events is that one, or is refused. */
import { expect, test } from '@jest/globals';
import { accountBytes, transferBytes } from '../../test/support/engine/ledger.ts';
import { Simulation } from '../../test/support/engine/ledger/simulation.ts';
import { contentsOf } from '../archive/testing/ledger-file.ts';
import { StateMachine } from '../ledger/state-machine.ts';
import { TransferFlag } from '../wire/flags.ts';
import { Operation } from '../wire/operations.ts';
import { Account, AccountFilter, ChangeEvent, ChangeEventsFilter } from '../wire/records.ts';
import { EVENT_SIZE, timestampOf } from './cluster-reader.ts';
import { readLedger, type ReadCluster } from './read-ledger.ts';

const SEEDS = 4;
const MEMORY = 2 ** 34;

function worked(seed: number, steps: number): StateMachine {
  const simulation = new Simulation(seed);
  for (let step = 0; step < steps; step += 1) simulation.step();
  return simulation.machine;
}

/** Reads a ledger as its cluster's client does, in pages of three events. `alter` may change each page. */
class LedgerReader implements ReadCluster {
  readonly #ledger: StateMachine;
  readonly #alter: (page: Uint8Array) => Uint8Array;

  constructor(ledger: StateMachine, alter: (page: Uint8Array) => Uint8Array = (page) => page) {
    this.#ledger = ledger;
    this.#alter = alter;
  }

  newest(): Promise<bigint> {
    const last = (operation: number) => this.#rows(operation, 1).at(-1);
    const times = [Operation.queryAccountsUnbatched, Operation.queryTransfersUnbatched].map(
      (operation) => {
        const row = last(operation);
        return row === undefined ? 0n : timestampOf(row, Account.timestamp);
      },
    );
    return Promise.resolve(times[0]! > times[1]! ? times[0]! : times[1]!);
  }

  async *accounts(until: bigint): AsyncGenerator<Uint8Array> {
    await Promise.resolve();
    const rows = this.#rows(Operation.queryAccountsUnbatched, 0);
    for (const row of rows) if (timestampOf(row, Account.timestamp) <= until) yield row.slice();
  }

  async *events(until: bigint, first = 1n): AsyncGenerator<Uint8Array> {
    await Promise.resolve();
    for (let from = first; ;) {
      const filter = new DataView(new ArrayBuffer(64));
      filter.setBigUint64(ChangeEventsFilter.timestampMin * 4, from, true);
      filter.setBigUint64(ChangeEventsFilter.timestampMax * 4, until, true);
      filter.setUint32(ChangeEventsFilter.limit * 4, 3, true);
      const body = new Uint8Array(filter.buffer);
      const page = this.#ledger.read(Operation.getChangeEvents, body).slice();
      if (page.length === 0) return;
      from = timestampOf(page.subarray(-EVENT_SIZE), ChangeEvent.timestamp) + 1n;
      yield this.#alter(page);
    }
  }

  hasTransfers(id: Uint8Array): Promise<boolean> {
    const filter = new Uint8Array(AccountFilter.words * 4);
    filter.set(id);
    const view = new DataView(filter.buffer);
    view.setUint32(AccountFilter.limit * 4, 1, true);
    view.setUint32(AccountFilter.flags * 4, 3, true);
    const found = this.#ledger.read(Operation.getAccountTransfersUnbatched, filter);
    return Promise.resolve(found.length > 0);
  }

  #rows(operation: number, flags: number): readonly Uint8Array[] {
    const filter = new DataView(new ArrayBuffer(64));
    filter.setUint32(56, flags === 0 ? 8_189 : 1, true);
    filter.setUint32(60, flags, true);
    const rows = this.#ledger.read(operation, new Uint8Array(filter.buffer)).slice();
    return Array.from({ length: rows.length / 128 }, (_, i) =>
      rows.subarray(i * 128, (i + 1) * 128),
    );
  }
}

async function read(reader: ReadCluster): Promise<{ ledger: StateMachine; op: number }> {
  const ledger = new StateMachine({ memoryLimitBytes: MEMORY });
  const pages = { read: () => Promise.reject(new Error('all rows are in memory')) };
  const checkpoint = () => Promise.resolve();
  const { op } = await readLedger({ reader, ledger, pages, checkpoint });
  return { ledger, op };
}

const made = async (reader: ReadCluster): Promise<StateMachine> => (await read(reader)).ledger;

/** All events up to the last account or transfer: those after it belong to the next backup. */
async function eventsOf(ledger: StateMachine, until: bigint): Promise<Buffer> {
  const pages: Uint8Array[] = [];
  for await (const page of new LedgerReader(ledger).events(until)) pages.push(page);
  return Buffer.concat(pages);
}

test('random ledgers with chains, expiries, closings and imports come back with every account and every event', async () => {
  let events = 0;
  for (let seed = 0; seed < SEEDS; seed += 1) {
    const source = worked(seed, 250);
    const reader = new LedgerReader(source);
    const until = await reader.newest();
    const ledger = await made(reader);
    const its = await eventsOf(source, until);
    events += its.length / EVENT_SIZE;
    expect({ seed, isSame: (await eventsOf(ledger, until)).equals(its) }).toEqual({
      seed,
      isSame: true,
    });
    expect(contentsOf(ledger)[0]).toBe(contentsOf(source)[0]);
  }
  expect(events).toBeGreaterThan(50);
});

test('transfers that expired after the last row have expired in the copy, and a backup with more has a larger number', async () => {
  const source = new StateMachine({ memoryLimitBytes: MEMORY });
  let clock = 1_000_000n;
  const commit = (operation: number, body: Uint8Array) =>
    source.commit(operation, (clock += 10_000n), body);
  commit(Operation.createAccountsUnbatched, accountBytes([1n, 2n]));
  const transfer = (id: bigint, more: object) =>
    commit(
      Operation.createTransfersUnbatched,
      transferBytes([{ id, debit: 1n, credit: 2n, amount: 1n, ...more }]),
    );
  transfer(1n, { flags: TransferFlag.pending, timeout: 1 });
  const open = await read(new LedgerReader(source));
  expect(open.ledger.nextExpiry()).toBeDefined();
  clock += 2_000_000_000n;
  commit(Operation.pulse, new Uint8Array(0));
  const expired = await read(new LedgerReader(source));
  expect(expired.ledger.nextExpiry()).toBeUndefined();
  expect((await eventsOf(expired.ledger, clock)).equals(await eventsOf(source, clock))).toBe(true);
  transfer(2n, {});
  const more = await read(new LedgerReader(source));
  expect([open, expired, more].map(({ op }) => op)).toEqual([3, 4, 5]);
});

const event = (page: Uint8Array, place: number) => page.subarray(place * EVENT_SIZE);
test.each<[string, (page: Uint8Array) => Uint8Array]>([
  [
    'a wrong balance',
    (page) => {
      page[(ChangeEvent.debitAccount + Account.debitsPosted) * 4]! ^= 1;
      return page;
    },
  ],
  [
    'a wrong amount',
    (page) => {
      page[ChangeEvent.transferAmount * 4]! ^= 1;
      return page;
    },
  ],
  ['a missing event', (page) => event(page, 1)],
  [
    'another order of events',
    (page) => Buffer.concat([event(page, 1), page.subarray(0, EVENT_SIZE)]),
  ],
])('%s in what the cluster tells is noticed', async (_, alter) => {
  const source = worked(3, 150);
  let pages = 0;
  const wrong = new LedgerReader(source, (page) => ((pages += 1) === 2 ? alter(page) : page));
  await expect(made(wrong)).rejects.toMatchObject({ code: 'cluster_differs' });
  expect(pages).toBeGreaterThan(1);
});
