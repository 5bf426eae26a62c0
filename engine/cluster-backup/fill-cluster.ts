/**
 * Fills an empty cluster with a ledger: its accounts and transfers become imported events with their timestamps. It goes on after an
 * interruption: the rows that are there must be the beginning of the ledger. At the end every event and every account is compared.
 *
 * TigerBeetle up to 0.17.9 ends for good at an imported post or void of a pending transfer with a timeout (engine/wire/imported-post.ts).
 * Imported pending transfers have no timeout. So nothing is written before all rows that are there have been proven to be imported.
 * TigerBeetle also ends at an imported transfer with the timestamp of an expiry (api/gateway/met-expiry.ts). Only rows up to the
 * cluster's time before that proof are sent. Rows that another client writes after the proof are later, so the imported rows meet none of them.
 */
import { ArchiveError } from '../archive/errors.ts';
import type { StateMachine } from '../ledger/state-machine.ts';
import { adviceFor } from '../rows/advice.ts';
import { flagsOf } from '../rows/check-rows.ts';
import { accountRows, transferRows, type RowKind } from '../rows/columns.ts';
import { AccountFlag } from '../wire/flags.ts';
import { AccountStatus, CREATED, TransferStatus } from '../wire/statuses.ts';
import { Operation } from '../wire/operations.ts';
import { Account } from '../wire/records.ts';
import { EVENT_SIZE, timestampOf, type ClusterReader } from './cluster-reader.ts';
import {
  beginningOf,
  importedAccount,
  importedTransfer,
  isLinked,
  wantedAccount,
  wantedEvent,
} from './imported-rows.ts';
import { requireNoTimeouts } from './check-fillable.ts';
import type { LedgerReader } from './ledger-reader.ts';

const RESULT_SIZE = 16;
const STATUS_AT = 8;
const ROWS_MAX = 2_048;
const NEVER = (1n << 63n) - 1n;

/** The part of a cluster's client that filling needs. */
export type FilledCluster = Pick<
  ClusterReader,
  'now' | 'accounts' | 'events' | 'rowsMax' | 'create'
>;

interface FillOptions {
  readonly ledger: StateMachine;
  readonly source: LedgerReader;
  readonly cluster: FilledCluster;
  /** Open pending transfers lose their timeouts. */
  readonly dropsTimeouts: boolean;
}

export interface Filled {
  readonly accounts: number;
  readonly events: number;
  /** Rows that were not there before. */
  readonly created: number;
}

export async function fillCluster(options: FillOptions): Promise<Filled> {
  const { ledger, source, cluster, dropsTimeouts } = options;
  requireNoTimeouts(ledger, dropsTimeouts);
  const now = await cluster.now();
  await requireBeginning(options);
  const touched = await touchedAccounts(source);
  const filling = new Filling(cluster, now);
  for await (const account of source.accounts())
    await filling.add(accountRows, importedAccount(account, touched.has(idOf(account))));
  await filling.send();
  for await (const event of source.events())
    await filling.add(transferRows, importedTransfer(event));
  await filling.send();
  const events = await compareStreams(wanted(source.events(), wantedEvent), eachEvent(cluster));
  const accounts = await compareStreams(
    wanted(source.accounts(), wantedAccount),
    cluster.accounts(NEVER),
  );
  return { accounts, events, created: filling.created };
}

/** Accounts get their balances later, so that only ID, timestamp and the flag `imported` can be compared at the beginning. */
async function requireBeginning({ source, cluster }: FillOptions): Promise<void> {
  const accounts = wanted(source.accounts(), (row) => beginningOf(wantedAccount(row)));
  await compareStreams(accounts, wanted(cluster.accounts(NEVER), beginningOf), 'beginning');
  const events = wanted(source.events(), wantedEvent);
  await compareStreams(events, eachEvent(cluster), 'beginning');
}

const idOf = (record: Uint8Array): string => Buffer.from(record.subarray(0, 16)).toString('latin1');

/** Closed accounts that have transfers: one of those closes them. */
async function touchedAccounts(source: LedgerReader): Promise<ReadonlySet<string>> {
  const closed = new Set<string>();
  for await (const account of source.accounts()) if (isClosed(account)) closed.add(idOf(account));
  const touched = new Set<string>();
  if (closed.size === 0) return touched;
  for await (const event of source.events()) {
    const transfer = importedTransfer(event);
    for (const at of [16, 32]) {
      const id = idOf(transfer.subarray(at));
      if (closed.has(id)) touched.add(id);
    }
  }
  return touched;
}

const isClosed = (account: Uint8Array): boolean => (flagsOf(account) & AccountFlag.closed) !== 0;

class Filling {
  readonly #cluster: FilledCluster;
  readonly #now: bigint;
  #kind: RowKind = accountRows;
  #rows: Uint8Array[] = [];
  /** Rows before an open chain. */
  #whole = 0;
  created = 0;

  /** `now`: the cluster's time before it was looked at. */
  constructor(cluster: FilledCluster, now: bigint) {
    this.#cluster = cluster;
    this.#now = now;
  }

  async add(kind: RowKind, record: Uint8Array): Promise<void> {
    if (timestampOf(record, Account.timestamp) > this.#now) throw behind(this.#now);
    this.#kind = kind;
    this.#rows.push(record);
    if (!isLinked(record)) this.#whole = this.#rows.length;
    const most = await this.#cluster.rowsMax();
    if (this.#rows.length < Math.min(ROWS_MAX, most)) return;
    if (this.#whole === 0) {
      // A chain is sent in one request, however long it is: it was one request before.
      if (this.#rows.length < most) return;
      throw refused(
        `a chain has more than ${this.#rows.length} rows, which is more than the cluster takes at once`,
      );
    }
    await this.#sendFirst(this.#whole);
  }

  /** Sends the rest. A chain that is open at the end is refused by the cluster. */
  async send(): Promise<void> {
    await this.#sendFirst(this.#rows.length);
  }

  async #sendFirst(count: number): Promise<void> {
    if (count === 0) return;
    const isAccounts = this.#kind === accountRows;
    const operation = isAccounts ? Operation.createAccounts : Operation.createTransfers;
    // An account that a transfer has closed since has other flags. The comparison at the end decides.
    const there: readonly number[] = isAccounts
      ? [AccountStatus.exists, AccountStatus.exists_with_different_flags]
      : [TransferStatus.exists];
    const results = await this.#cluster.create(operation, this.#rows.slice(0, count));
    const view = new DataView(results.buffer, results.byteOffset, results.byteLength);
    if (results.length !== count * RESULT_SIZE) throw refused('it does not answer for each row');
    const statuses = this.#rows.map((_, row) =>
      row < count ? view.getUint32(row * RESULT_SIZE + STATUS_AT, true) | 0 : CREATED,
    );
    // A chain that is there completely is refused completely: its first row exists.
    const chainFailed = (row: number) => statuses[row] === TransferStatus.linked_event_failed;
    const wrong = statuses.findIndex(
      (status, row) => status !== CREATED && !there.includes(status) && !chainFailed(row),
    );
    if (wrong !== -1)
      throw refused(
        `the row of ${idText(this.#rows[wrong]!)} is refused (${adviceFor(this.#kind, statuses[wrong]!).code})`,
      );
    this.created += statuses.slice(0, count).filter((status) => status === CREATED).length;
    this.#rows = this.#rows.slice(count);
    this.#whole = 0;
  }
}

async function* wanted(
  rows: AsyncIterable<Uint8Array>,
  change: (row: Uint8Array) => Uint8Array,
): AsyncGenerator<Uint8Array> {
  for await (const row of rows) yield change(row);
}

async function* eachEvent(cluster: FilledCluster): AsyncGenerator<Uint8Array> {
  for await (const page of cluster.events(NEVER))
    for (let at = 0; at < page.length; at += EVENT_SIZE) yield page.subarray(at, at + EVENT_SIZE);
}

/** Throws unless the cluster's rows are those of the ledger, or for `beginning` its first ones, in the same order. Returns how many the cluster has. */
async function compareStreams(
  own: AsyncGenerator<Uint8Array>,
  its: AsyncGenerator<Uint8Array>,
  part: 'whole' | 'beginning' = 'whole',
): Promise<number> {
  for (let count = 0; ; count += 1) {
    const [one, other] = [await own.next(), await its.next()];
    if (other.done === true && (one.done === true || part === 'beginning')) return count;
    if (one.done === true || other.done === true)
      throw refused(`it has ${one.done === true ? 'more' : 'fewer'} rows than the ledger`);
    if (Buffer.compare(one.value, other.value) !== 0)
      throw refused(`its row or balances of ${idText(one.value)} are not the ledger's`);
  }
}

const idText = (row: Uint8Array): string => {
  const view = new DataView(row.buffer, row.byteOffset, row.byteLength);
  return String((view.getBigUint64(8, true) << 64n) | view.getBigUint64(0, true));
};

const refused = (what: string): ArchiveError =>
  new ArchiveError(
    'cluster_differs',
    `The cluster does not have the ledger of the backup: ${what}. It must be empty, and nobody else may write; format it again and start again.`,
  );

const behind = (now: bigint): ArchiveError =>
  new ArchiveError(
    'cluster_behind',
    `The clocks of the cluster's machines are behind those of the backup: it has rows after ${now}, the cluster's time. Set the clocks right and run this again; it goes on where it has stopped.`,
  );
