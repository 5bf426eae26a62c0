/**
 * Makes a ledger that equals a cluster's, up to a timestamp. Accounts and change events are read in the order of their timestamps and
 * executed with these timestamps; pending transfers expire when they did. Clients go on meanwhile: their writes have later timestamps.
 */
import type { StateMachine } from '../ledger/state-machine.ts';
import { EventType } from '../ledger/read-reply.ts';
import type { PageSource } from '../log/page-reader.ts';
import { adviceFor } from '../rows/advice.ts';
import { balancesOf, flagsOf } from '../rows/check-rows.ts';
import { accountRows, FLAGS_OFFSET, transferRows, type RowKind } from '../rows/columns.ts';
import { RowExecutor } from '../rows/row-executor.ts';
import type { RowsPosition, WriteCheckpoint } from '../rows/working-ledger.ts';
import { AccountFlag } from '../wire/flags.ts';
import { Account, ChangeEvent, WireTransfer } from '../wire/records.ts';
import { EVENT_SIZE, timestampOf, type ClusterReader } from './cluster-reader.ts';
import { compareAccounts } from './compare-accounts.ts';
import { differs, EventComparison } from './compare-events.ts';
import { eventTypeOf, transferOf } from './event-rows.ts';
import { Expiries } from './expiries.ts';

/** The part of a cluster's client that reading needs. */
export type ReadCluster = Pick<ClusterReader, 'newest' | 'accounts' | 'events' | 'hasTransfers'>;

interface ReadLedgerOptions {
  readonly reader: ReadCluster;
  /** An empty ledger. */
  readonly ledger: StateMachine;
  readonly pages: PageSource;
  readonly checkpoint: WriteCheckpoint;
}

const ID_SIZE = 16;
const NEVER = (1n << 63n) - 1n;

/** Reads the ledger. Throws if it differs from the cluster's in any balance. The rows since the last checkpoint are in memory only. */
export async function readLedger(options: ReadLedgerOptions): Promise<RowsPosition> {
  const { reader, ledger, pages, checkpoint } = options;
  const until = await throughExpiries(reader, await reader.newest());
  const executor: RowExecutor = new RowExecutor({
    ledger,
    pages,
    checkpoint: () => checkpoint(executor.position),
    isToldExpiries: true,
    onRefused: ({ kind, line }, status) => {
      throw differs(
        `the ${ordinal(line)} row was not created again (${adviceFor(kind, status).code})`,
      );
    },
    onOtherAmount: ({ line }, amount) => {
      throw differs(`the ${ordinal(line)} row moves only ${amount}`);
    },
  });
  const comparison = new EventComparison(ledger, pages);
  const made = new Making(executor, comparison);
  const accounts = reader.accounts(until);
  let account = await accounts.next();
  const accountsBefore = async (timestamp: bigint): Promise<void> => {
    while (account.done !== true && timestampOf(account.value, Account.timestamp) < timestamp) {
      await made.account(await asCreated(reader, account.value));
      account = await accounts.next();
    }
  };
  for await (const page of reader.events(until)) {
    comparison.add(page);
    for (let at = 0; at < page.length; at += EVENT_SIZE) {
      const event = page.subarray(at, at + EVENT_SIZE);
      await accountsBefore(timestampOf(event, ChangeEvent.timestamp));
      await made.event(event);
    }
    await comparison.compareUpTo(executor.position.timestamp);
  }
  await accountsBefore(until + 1n);
  await made.finish();
  await compareAccounts({ reader, ledger, pages, until });
  // A later backup has a larger number if it has anything new. Requests would not tell: one more row fits into the last of them.
  return { op: made.count, timestamp: executor.position.timestamp };
}

/** The last of the expiries that follow the timestamp before any other event: they belong to the state that the cluster had when it was asked. */
async function throughExpiries(reader: ReadCluster, timestamp: bigint): Promise<bigint> {
  let last = timestamp;
  for await (const page of reader.events(NEVER, timestamp + 1n)) {
    for (let at = 0; at < page.length; at += EVENT_SIZE) {
      const event = page.subarray(at, at + EVENT_SIZE);
      if (eventTypeOf(event) !== EventType.expired) return last;
      last = timestampOf(event, ChangeEvent.timestamp);
    }
  }
  return last;
}

class Making {
  readonly #executor: RowExecutor;
  readonly #comparison: EventComparison;
  readonly #expiries = new Expiries();
  #rows = 0;
  #expired = 0;
  #last = 0n;

  constructor(executor: RowExecutor, comparison: EventComparison) {
    this.#executor = executor;
    this.#comparison = comparison;
  }

  /** Accounts and events. */
  get count(): number {
    return this.#rows + this.#expired;
  }

  account(record: Uint8Array): Promise<void> {
    return this.#add(accountRows, record, timestampOf(record, Account.timestamp));
  }

  async event(event: Uint8Array): Promise<void> {
    const timestamp = timestampOf(event, ChangeEvent.timestamp);
    if (eventTypeOf(event) !== EventType.expired) {
      const record = transferOf(event);
      await this.#add(transferRows, record, timestampOf(record, WireTransfer.timestamp));
      return;
    }
    this.#rise(timestamp);
    this.#expired += 1;
    await this.#expire(this.#expiries.add(timestamp));
  }

  async finish(): Promise<void> {
    await this.#expire(this.#expiries.take());
    await this.#executor.finish();
    await this.#comparison.compareUpTo(this.#last);
  }

  async #add(kind: RowKind, record: Uint8Array, timestamp: bigint): Promise<void> {
    await this.#expire(this.#expiries.take());
    this.#rise(timestamp);
    this.#rows += 1;
    const waits = this.#executor.add(kind, this.#rows, timestamp, record);
    if (waits !== undefined) await waits;
  }

  async #expire(timestamp: bigint | undefined): Promise<void> {
    if (timestamp !== undefined) await this.#executor.expire(timestamp);
  }

  #rise(timestamp: bigint): void {
    if (timestamp <= this.#last) throw differs(`two rows have the timestamp ${timestamp}`);
    this.#last = timestamp;
  }
}

/**
 * An account as it was created: without balances, and open if a transfer closed it. One that was created closed never has any.
 */
async function asCreated(reader: ReadCluster, record: Uint8Array): Promise<Uint8Array> {
  balancesOf(record).fill(0);
  const flags = flagsOf(record);
  if (
    (flags & AccountFlag.closed) !== 0 &&
    (await reader.hasTransfers(record.subarray(0, ID_SIZE)))
  )
    record[FLAGS_OFFSET] = flags & ~AccountFlag.closed & 0xff;
  return record;
}

const ordinal = (row: number): string => `${row}.`;
