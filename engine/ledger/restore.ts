/**
 * Restores the state that a checkpoint does not hold from its rows: ids, balances, statuses of pending transfers, indexes. It goes
 * once through the events after the start point, or all if there is none, in the order of their execution. Rows come a few thousand at a
 * time, and those in pages leave memory behind it when there is not enough for all: so memory holds no more of them than when the ledger
 * runs. Rows before those of the point and of the young part of the index are not read.
 *
 * It also checks that the tables fit together.
 */
import { check } from './checkpoint-error.ts';
import { Expiry, Transfer } from './layout.ts';
import { eventOfExpiry, eventOfTransfer } from './last-event.ts';
import { Account } from '../wire/records.ts';
import { type LedgerState, ROWS_A_SLICE } from './ledger-state.ts';
import type { RowFeed } from './row-feed.ts';
import type { RowTable } from './row-table.ts';
import { PendingStatus, RowFlag } from './row-values.ts';
import { TransferFlag } from '../wire/flags.ts';
import type { StartPoint } from './start-point.ts';
import {
  type BalancesAt,
  expiryBalances,
  readBalances,
  setClosed,
  transferBalances,
} from './store-transfer.ts';

const RESOLVING = TransferFlag.post_pending_transfer | TransferFlag.void_pending_transfer;
/** Entries of the queue of expiries between two looks for entries of resolved transfers. */
const QUEUE_GROWTH = 1 << 18;

export interface RowFeeds {
  readonly transfers: RowFeed;
  readonly wides: RowFeed;
  readonly expiries: RowFeed;
  readonly burnedIds: RowFeed;
}

interface RestoreOptions {
  readonly feeds: RowFeeds;
  /** The start point that the state already holds. */
  readonly point: StartPoint | undefined;
  /** Called after each slice of some thousand rows. */
  readonly pause: () => Promise<void>;
  /** Writes segments of the index, after which they may leave memory. Resolves with false if it must not be called again. */
  readonly storeIndex: (() => Promise<boolean>) | undefined;
}

/** Fills the state. */
export async function restore(state: LedgerState, options: RestoreOptions): Promise<void> {
  const { feeds, point, pause } = options;
  if (point !== undefined) leaveOut(state, feeds, point);
  await new EventOrder(state, options).run();
  await restoreBurnedIds(state, feeds.burnedIds, pause);
}

/** Leaves the rows on the volume that nothing in memory is made of. */
function leaveOut(state: LedgerState, feeds: RowFeeds, point: StartPoint): void {
  const { transfers, expiries, wides, transferIndex, youngBytes } = state;
  const old = feeds.transfers.rowCount - Math.floor(youngBytes / transfers.rowBytes);
  const end = Math.min(old, point.transfers, transferIndex.sealedEnd);
  beginCold(transfers, feeds.transfers, end, point.transferTimes);
  beginCold(expiries, feeds.expiries, point.expiries, point.expiryTimes);
  beginCold(wides, feeds.wides, point.wides, NO_TIMES);
}

function beginCold(table: RowTable, feed: RowFeed, row: number, times: Uint32Array): void {
  // Rows leave by chunks, and the last one always stays.
  const end = Math.min(row, feed.pagedRows, feed.rowCount - 1);
  if (end >= table.rowsPerChunk) table.beginCold(end - (end % table.rowsPerChunk), times);
}

const NO_TIMES = new Uint32Array(0);

async function restoreBurnedIds(
  state: LedgerState,
  feed: RowFeed,
  pause: () => Promise<void>,
): Promise<void> {
  const { burnedIds } = state;
  for (let index = 0; await feed.more();) {
    while (index < burnedIds.count) {
      const end = Math.min(burnedIds.count, index + ROWS_A_SLICE);
      const isSlice = end - index === ROWS_A_SLICE;
      for (; index < end; index += 1) state.addBurnedId(index);
      if (isSlice) await pause();
    }
    burnedIds.stored = Math.min(burnedIds.count, feed.pagedRows);
    state.makeRoom();
  }
}

/** Goes through transfers and expiries. The last event of an account gives its balances. */
class EventOrder {
  readonly #state: LedgerState;
  readonly #feeds: RowFeeds;
  readonly #pause: () => Promise<void>;
  #storeIndex: (() => Promise<boolean>) | undefined;
  /** Events of each kind that are done. */
  #transfers = 0;
  #expiries = 0;
  /** Wide values before this one belong to events that are done. */
  #wides = 0;
  #queued = 0;
  /** Transfers before it have a status from the start point, which may be younger than the events that come next. */
  #pointTransfers = 0;
  /** Events that were done at the last pause. */
  #pausedAt = 0;
  /** Whether expiries name no accounts, as those of format version 1. */
  #lacksNames = false;
  /** Then, of each pending transfer that may expire: its accounts. Its row may have left memory. */
  readonly #names = new Map<number, readonly [number, number]>();

  constructor(state: LedgerState, { feeds, point, pause, storeIndex }: RestoreOptions) {
    this.#state = state;
    this.#feeds = feeds;
    this.#pause = pause;
    this.#storeIndex = storeIndex;
    if (point === undefined) return;
    this.#transfers = point.transfers;
    this.#expiries = point.expiries;
    this.#wides = point.wides;
    this.#pointTransfers = point.transfers;
    this.#queued = state.expiryQueue.size;
    state.expiriesQueued(point.transfers);
  }

  async run(): Promise<void> {
    const { transfers, expiries } = this.#state;
    while (expiries.count === 0 && (await this.#feeds.expiries.more()));
    // The release that wrote a start point also named the accounts of later expiries.
    if (this.#pointTransfers === 0)
      this.#lacksNames = expiries.count > 0 && !hasAccounts(expiries.chunkOf(0), 0);
    for (;;) {
      const lacking = this.#slice();
      if (lacking !== undefined) {
        const before = transfers.count;
        if (!(await lacking.more()) && lacking === this.#feeds.transfers) break;
        this.#state.addTransferIds(before, transfers.count);
      }
      await this.#endSlice();
    }
    check(this.#expiries === expiries.count, 'expiries are out of order');
    // Those of events before the start point: no event has asked for them.
    while (await this.#feeds.wides.more()) this.#wides = this.#state.wides.count;
    await this.#endSlice();
    this.#tidyQueue();
    this.#state.expiringTransfers = this.#state.expiryQueue.size;
  }

  /** Goes on for some thousand rows. Returns the feed whose rows it lacks. */
  #slice(): RowFeed | undefined {
    const { transfers, expiries } = this.#state;
    for (let rows = 0; rows < ROWS_A_SLICE; rows += 1) {
      if (this.#expiries >= expiries.count) {
        if (!this.#feeds.expiries.isOver) return this.#feeds.expiries;
      } else if (this.#expiryIsNext()) {
        if (!this.#hasWide(this.#wideOfExpiry())) return this.#feeds.wides;
        this.#restoreExpiry();
        continue;
      }
      if (this.#transfers >= transfers.count) return this.#feeds.transfers;
      if (!this.#hasWide(this.#wideOfTransfer())) return this.#feeds.wides;
      this.#restoreTransfer();
    }
    return undefined;
  }

  async #endSlice(): Promise<void> {
    const state = this.#state;
    // Rows before the start point may be lacking in the index.
    const indexed = Math.min(this.#transfers, state.transfers.count);
    state.indexTransfers(indexed);
    if (state.expiryQueue.size > this.#queued * 2 + QUEUE_GROWTH) this.#tidyQueue();
    const { transfers, wides, expiries } = this.#feeds;
    state.transfers.stored = Math.min(indexed, transfers.pagedRows);
    state.expiries.stored = Math.min(this.#expiries, expiries.pagedRows);
    state.wides.stored = Math.min(this.#wides, wides.pagedRows);
    state.makeRoom();
    while (this.#storeIndex !== undefined && state.lacksStoredIndex)
      if (!(await this.#storeIndex())) this.#storeIndex = undefined;
    if (this.#transfers + this.#expiries < this.#pausedAt + ROWS_A_SLICE) return;
    this.#pausedAt = this.#transfers + this.#expiries;
    await this.#pause();
  }

  #tidyQueue(): void {
    const { expiryQueue, pendingStatuses } = this.#state;
    expiryQueue.retain((transfer) => pendingStatuses.get(transfer) === PendingStatus.pending);
    this.#queued = expiryQueue.size;
  }

  #expiryIsNext(): boolean {
    const { expiries } = this.#state;
    const row = expiries.chunkOf(this.#expiries);
    return row[expiries.offsetOf(this.#expiries) + Expiry.transfersBefore] === this.#transfers;
  }

  /** Returns whether a wide value is there. It comes before long if more of them are stored. */
  #hasWide(wide: number): boolean {
    if (wide < this.#state.wides.count) {
      this.#wides = Math.max(this.#wides, wide);
      return true;
    }
    check(!this.#feeds.wides.isOver, 'a wide value is missing');
    return false;
  }

  #wideOfExpiry(): number {
    const { expiries } = this.#state;
    return expiryBalances(expiries.chunkOf(this.#expiries), expiries.offsetOf(this.#expiries)).wide;
  }

  #wideOfTransfer(): number {
    const { transfers } = this.#state;
    const at = transfers.offsetOf(this.#transfers);
    return transferBalances(transfers.chunkOf(this.#transfers), at).wide;
  }

  #restoreExpiry(): void {
    const { expiries } = this.#state;
    const row = expiries.chunkOf(this.#expiries);
    const at = expiries.offsetOf(this.#expiries);
    const transfer = row[at + Expiry.transfer]!;
    check(transfer < row[at + Expiry.transfersBefore]!, 'an expiry is of a later transfer');
    const names = this.#names.get(transfer);
    this.#resolve(transfer, PendingStatus.expired);
    if (!hasAccounts(row, at)) {
      check(names !== undefined, 'an expiry has no accounts');
      row.set(names, at + Expiry.debitAccount);
    }
    const accounts = [row[at + Expiry.debitAccount]!, row[at + Expiry.creditAccount]!] as const;
    const outcome = { event: eventOfExpiry(this.#expiries), balances: expiryBalances(row, at) };
    restoreAccounts(this.#state, accounts, row[at + Expiry.flags]!, outcome);
    this.#expiries += 1;
  }

  #restoreTransfer(): void {
    const state = this.#state;
    const transfer = this.#transfers;
    const row = state.transfers.chunkOf(transfer);
    const at = state.transfers.offsetOf(transfer);
    const codeFlags = row[at + Transfer.codeFlags]!;
    const flags = codeFlags >>> 16;
    const isPending = (flags & TransferFlag.pending) !== 0;
    state.pendingStatuses.set(transfer, isPending ? PendingStatus.pending : PendingStatus.none);
    if (isPending) state.pendingTransfers += 1;
    const accounts = [row[at + Transfer.debitAccount]!, row[at + Transfer.creditAccount]!] as const;
    if (isPending && this.#lacksNames && row[at + Transfer.timeout] !== 0)
      this.#names.set(transfer, accounts);
    if ((flags & RESOLVING) !== 0) {
      const pending = row[at + Transfer.pendingTransfer]!;
      check(pending < transfer, 'a transfer resolves a later one');
      const isVoid = (flags & TransferFlag.void_pending_transfer) !== 0;
      this.#resolve(pending, isVoid ? PendingStatus.voided : PendingStatus.posted);
    }
    const outcome = { event: eventOfTransfer(transfer), balances: transferBalances(row, at) };
    restoreAccounts(state, accounts, codeFlags, outcome);
    this.#transfers += 1;
  }

  #resolve(transfer: number, status: number): void {
    const { pendingStatuses } = this.#state;
    const before = pendingStatuses.get(transfer);
    if (transfer < this.#pointTransfers && before === status) return;
    check(before === PendingStatus.pending, 'a transfer is resolved that is not pending');
    pendingStatuses.set(transfer, status);
    this.#names.delete(transfer);
    this.#state.pendingTransfers -= 1;
  }
}

const hasAccounts = (row: Uint32Array, at: number): boolean =>
  row[at + Expiry.debitAccount] !== row[at + Expiry.creditAccount];

function restoreAccounts(
  state: LedgerState,
  accounts: readonly [number, number],
  rowFlags: number,
  { event, balances }: { readonly event: number; readonly balances: BalancesAt },
): void {
  for (let side = 0; side < 2; side += 1) {
    const account = accounts[side]!;
    check(account < state.accounts.count, 'an account is missing');
    if (account < state.accounts.coldEnd) {
      state.coldAccounts.setEvent(account, event);
      continue;
    }
    const chunk = state.accounts.chunkOf(account);
    const offset = state.accounts.offsetOf(account);
    chunk[offset + Account.reserved] = event;
    readBalances(state, balances, side, chunk, offset + Account.debitsPending);
    const closed = side === 0 ? RowFlag.debit_account_closed : RowFlag.credit_account_closed;
    setClosed(chunk, offset, ((rowFlags >>> 16) & closed) !== 0);
  }
}
