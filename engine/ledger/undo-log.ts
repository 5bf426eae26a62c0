/**
 * Undo log of an open chain, for the case that it breaks. Creations are undone by their tables' lengths (which also
 * restores the highest timestamps); changed account rows and pending statuses are kept here. Burned ids are not undone.
 */
import { Account } from '../wire/records.ts';
import type { LedgerState } from './ledger-state.ts';
import { PendingStatus } from './row-values.ts';

/** Words of an entry: account index, its sixteen words of balances, code and flags, last event. */
const ENTRY_WORDS = 19;
const ENTRIES_FIRST = 1024;

export class UndoLog {
  isOpen = false;
  readonly #state: LedgerState;
  #accounts = 0;
  #transfers = 0;
  #wides = 0;
  #pendingTransfers = 0;
  #expiringTransfers = 0;
  #entries = new Uint32Array(ENTRY_WORDS * ENTRIES_FIRST);
  #entryCount = 0;
  readonly #resolved: number[] = [];

  constructor(state: LedgerState) {
    this.#state = state;
  }

  open(): void {
    this.isOpen = true;
    this.#accounts = this.#state.accounts.count;
    this.#transfers = this.#state.transfers.count;
    this.#wides = this.#state.wides.count;
    this.#pendingTransfers = this.#state.pendingTransfers;
    this.#expiringTransfers = this.#state.expiringTransfers;
    this.#entryCount = 0;
    this.#resolved.length = 0;
  }

  close(): void {
    this.isOpen = false;
  }

  /** Call before an account's balances or flags change. */
  recordAccount(account: number): void {
    const at = this.#entryCount * ENTRY_WORDS;
    if (at === this.#entries.length) {
      const larger = new Uint32Array(at * 2);
      larger.set(this.#entries);
      this.#entries = larger;
    }
    const row = this.#state.liveAccounts.chunkOf(account);
    const offset = this.#state.liveAccounts.offsetOf(account);
    this.#entries[at] = account;
    for (let i = 0; i < 16; i += 1) {
      this.#entries[at + 1 + i] = row[offset + Account.debitsPending + i]!;
    }
    this.#entries[at + 17] = row[offset + Account.codeFlags]!;
    this.#entries[at + 18] = row[offset + Account.reserved]!;
    this.#entryCount += 1;
  }

  /** Call before a pending transfer is posted or voided. */
  recordResolved(transfer: number): void {
    this.#resolved.push(transfer);
  }

  rollback(): void {
    const state = this.#state;
    while (this.#entryCount > 0) {
      this.#entryCount -= 1;
      const at = this.#entryCount * ENTRY_WORDS;
      const account = this.#entries[at]!;
      const row = state.liveAccounts.chunkOf(account);
      const offset = state.liveAccounts.offsetOf(account);
      row.set(this.#entries.subarray(at + 1, at + 17), offset + Account.debitsPending);
      row[offset + Account.codeFlags] = this.#entries[at + 17]!;
      row[offset + Account.reserved] = this.#entries[at + 18]!;
    }
    for (const transfer of this.#resolved) {
      state.pendingStatuses.set(transfer, PendingStatus.pending);
    }
    state.pendingTransfers = this.#pendingTransfers;
    state.expiringTransfers = this.#expiringTransfers;
    state.truncateTransfers(this.#transfers);
    state.wides.truncate(this.#wides);
    state.truncateAccounts(this.#accounts);
    this.close();
  }
}
