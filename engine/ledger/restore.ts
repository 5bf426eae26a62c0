/**
 * Restores the state that a checkpoint does not hold from its rows: ids, balances, statuses of pending transfers, indexes. It goes
 * once through all events in the order of their execution. Rows come a few thousand at a time, and those in pages leave memory
 * behind it when there is not enough for all: so memory holds no more of them than when the ledger runs.
 *
 * It also checks that the tables fit together.
 */
import { check } from './checkpoint-error.ts';
import { Expiry, Transfer } from './layout.ts';
import { Account } from '../wire/records.ts';
import { type LedgerState, ROWS_A_SLICE } from './ledger-state.ts';
import { expiryBalances, transferBalances } from './read-reply.ts';
import type { RowFeed } from './row-feed.ts';
import { PendingStatus, RowFlag } from './row-values.ts';
import { TransferFlag } from '../wire/flags.ts';
import { type BalancesAt, readBalances, setClosed } from './store-transfer.ts';

const RESOLVING = TransferFlag.post_pending_transfer | TransferFlag.void_pending_transfer;
/** Entries of the queue of expiries between two looks for entries of resolved transfers. */
const QUEUE_GROWTH = 1 << 18;

export interface RowFeeds {
  readonly transfers: RowFeed;
  readonly wides: RowFeed;
  readonly expiries: RowFeed;
  readonly burnedIds: RowFeed;
}

/** Fills the state. `pause` is called after each slice of some thousand rows. */
export async function restore(
  state: LedgerState,
  feeds: RowFeeds,
  pause: () => Promise<void>,
): Promise<void> {
  const { accounts } = state;
  state.reserveIds(accounts.count);
  for (let account = 0; account < accounts.count; account += 1) {
    state.addAccountId(account);
    if (account % ROWS_A_SLICE !== ROWS_A_SLICE - 1) continue;
    state.indexAccounts(account + 1);
    await pause();
  }
  state.indexAccounts(accounts.count);
  await new EventOrder(state, feeds, pause).run();
  await restoreBurnedIds(state, feeds.burnedIds, pause);
}

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
  /** Events of each kind that are done. */
  #transfers = 0;
  #expiries = 0;
  /** Wide values before this one belong to events that are done. */
  #wides = 0;
  #queued = 0;
  /** Events that were done at the last pause. */
  #pausedAt = 0;
  /** Whether expiries name no accounts, as those of format version 1. */
  #lacksNames = false;
  /** Then, of each pending transfer that may expire: its accounts. Its row may have left memory. */
  readonly #names = new Map<number, readonly [number, number]>();

  constructor(state: LedgerState, feeds: RowFeeds, pause: () => Promise<void>) {
    this.#state = state;
    this.#feeds = feeds;
    this.#pause = pause;
  }

  async run(): Promise<void> {
    const { transfers, expiries } = this.#state;
    while (expiries.count === 0 && (await this.#feeds.expiries.more()));
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
    await this.#endSlice();
    this.#tidyQueue();
    this.#state.expiringTransfers = this.#state.expiryQueue.size;
  }

  /** Goes on for some thousand rows. Returns the feed whose rows it lacks. */
  #slice(): RowFeed | undefined {
    const { transfers, expiries } = this.#state;
    for (let rows = 0; rows < ROWS_A_SLICE; rows += 1) {
      if (this.#expiries === expiries.count) {
        if (!this.#feeds.expiries.isOver) return this.#feeds.expiries;
      } else if (this.#expiryIsNext()) {
        if (!this.#hasWide(this.#wideOfExpiry())) return this.#feeds.wides;
        this.#restoreExpiry();
        continue;
      }
      if (this.#transfers === transfers.count) return this.#feeds.transfers;
      if (!this.#hasWide(this.#wideOfTransfer())) return this.#feeds.wides;
      this.#restoreTransfer();
    }
    return undefined;
  }

  async #endSlice(): Promise<void> {
    const state = this.#state;
    state.indexTransfers(this.#transfers);
    if (state.expiryQueue.size > this.#queued * 2 + QUEUE_GROWTH) this.#tidyQueue();
    const { transfers, wides, expiries } = this.#feeds;
    state.transfers.stored = Math.min(this.#transfers, transfers.pagedRows);
    state.expiries.stored = Math.min(this.#expiries, expiries.pagedRows);
    state.wides.stored = Math.min(this.#wides, wides.pagedRows);
    state.makeRoom();
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
    restoreAccounts(this.#state, accounts, row[at + Expiry.flags]!, expiryBalances(row, at));
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
    restoreAccounts(state, accounts, codeFlags, transferBalances(row, at));
    this.#transfers += 1;
  }

  #resolve(transfer: number, status: number): void {
    const { pendingStatuses } = this.#state;
    const isPending = pendingStatuses.get(transfer) === PendingStatus.pending;
    check(isPending, 'a transfer is resolved that is not pending');
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
  balances: BalancesAt,
): void {
  for (let side = 0; side < 2; side += 1) {
    const account = accounts[side]!;
    check(account < state.accounts.count, 'an account is missing');
    const chunk = state.accounts.chunkOf(account);
    const offset = state.accounts.offsetOf(account);
    readBalances(state, balances, side, chunk, offset + Account.debitsPending);
    const closed = side === 0 ? RowFlag.debit_account_closed : RowFlag.credit_account_closed;
    setClosed(chunk, offset, ((rowFlags >>> 16) & closed) !== 0);
  }
}
