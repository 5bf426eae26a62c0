/** Conversion of rows back into wire records, one after another. */
import { Expiry, Transfer } from './layout.ts';
import { Account, AccountBalance, ChangeEvent, WireTransfer } from '../wire/records.ts';
import type { LedgerState } from './ledger-state.ts';
import { RowFlag } from './row-values.ts';
import { AccountFlag, TransferFlag } from '../wire/flags.ts';
import {
  type BalancesAt,
  expiryBalances,
  readBalances,
  transferBalances,
} from './store-transfer.ts';
import { copy128 } from './words.ts';

const ROW_FLAGS =
  (RowFlag.wide | RowFlag.debit_account_closed | RowFlag.credit_account_closed) << 16;
const RESOLVING = TransferFlag.post_pending_transfer | TransferFlag.void_pending_transfer;

/** Types of events of get_change_events. */
export const EventType = { single_phase: 0, pending: 1, posted: 2, voided: 3, expired: 4 } as const;

export function writeAccount(
  state: LedgerState,
  account: number,
  to: Uint32Array,
  at: number,
): void {
  const row = state.liveAccounts.chunkOf(account);
  const offset = state.liveAccounts.offsetOf(account);
  for (let i = 0; i < Account.words; i += 1) to[at + i] = row[offset + i]!;
  to[at + Account.reserved] = 0;
}

/**
 * Asks for the rows that records of transfers are made of. Returns whether all that the read needs until now are there. What another filter's
 * transfers lack keeps none from being asked for, or a read would be repeated for each of its filters.
 */
export function askForTransfers(state: LedgerState, found: Uint32Array): boolean {
  if (!state.hasCold) return true;
  const { access, accounts, transfers } = state;
  const { notes } = access;
  for (let i = 0; i < found.length; i += 1) transfers.chunkOf(found[i]!);
  if (access.notes !== notes) return false;
  for (let i = 0; i < found.length; i += 1) {
    const row = transfers.chunkOf(found[i]!);
    const r = transfers.offsetOf(found[i]!);
    accounts.chunkOf(row[r + Transfer.debitAccount]!);
    accounts.chunkOf(row[r + Transfer.creditAccount]!);
    const flags = row[r + Transfer.codeFlags]! >>> 16;
    if ((flags & RESOLVING) !== 0) transfers.chunkOf(row[r + Transfer.pendingTransfer]!);
    state.askForAmount(row, r);
  }
  return access.isComplete;
}

export function writeTransfer(
  state: LedgerState,
  transfer: number,
  to: Uint32Array,
  at: number,
): void {
  const row = state.transfers.chunkOf(transfer);
  const r = state.transfers.offsetOf(transfer);
  const { accounts } = state;
  const debit = row[r + Transfer.debitAccount]!;
  const credit = row[r + Transfer.creditAccount]!;
  const debitRow = accounts.chunkOf(debit);
  const d = accounts.offsetOf(debit);
  const codeFlags = row[r + Transfer.codeFlags]!;
  copy128(to, at, row, r);
  copy128(to, at + WireTransfer.debitAccountId, debitRow, d);
  const ledger = debitRow[d + Account.ledger]!;
  copy128(
    to,
    at + WireTransfer.creditAccountId,
    accounts.chunkOf(credit),
    accounts.offsetOf(credit),
  );
  if ((codeFlags & (RowFlag.wide << 16)) === 0) {
    to[at + WireTransfer.amount] = row[r + Transfer.amount]!;
    to[at + WireTransfer.amount + 1] = row[r + Transfer.amount + 1]!;
    to[at + WireTransfer.amount + 2] = 0;
    to[at + WireTransfer.amount + 3] = 0;
  } else state.readAmount(row, r, to, at + WireTransfer.amount);
  writePendingId(state, row, r, to, at + WireTransfer.pendingId);
  writeUserData(row, r, to, at + WireTransfer.userData128);
  to[at + WireTransfer.ledger] = ledger;
  to[at + WireTransfer.codeFlags] = codeFlags & ~ROW_FLAGS;
  to[at + WireTransfer.timestamp] = row[r + Transfer.timestamp]!;
  to[at + WireTransfer.timestamp + 1] = row[r + Transfer.timestamp + 1]!;
}

/** Writes the id of the transfer that this one posts or voids, otherwise zero. */
function writePendingId(
  state: LedgerState,
  row: Uint32Array,
  r: number,
  to: Uint32Array,
  at: number,
): void {
  if (((row[r + Transfer.codeFlags]! >>> 16) & RESOLVING) === 0) {
    for (let i = 0; i < 4; i += 1) to[at + i] = 0;
    return;
  }
  const { transfers } = state;
  const pending = row[r + Transfer.pendingTransfer]!;
  copy128(to, at, transfers.chunkOf(pending), transfers.offsetOf(pending));
}

/** Writes user_data_128, _64, _32 and timeout, which follow one another on the wire, in a transfer as in an event. */
function writeUserData(row: Uint32Array, r: number, to: Uint32Array, at: number): void {
  copy128(to, at, row, r + Transfer.userData128);
  to[at + 4] = row[r + Transfer.userData64]!;
  to[at + 5] = row[r + Transfer.userData64 + 1]!;
  to[at + 6] = row[r + Transfer.userData32]!;
  to[at + 7] = row[r + Transfer.timeout]!;
}

/** Writes the account's balances right after one of its transfers. */
export function writeAccountBalance(
  state: LedgerState,
  account: number,
  transfer: number,
  to: Uint32Array,
  at: number,
): void {
  const row = state.transfers.chunkOf(transfer);
  const r = state.transfers.offsetOf(transfer);
  const side = row[r + Transfer.debitAccount] === account ? 0 : 1;
  readBalances(state, transferBalances(row, r), side, to, at + AccountBalance.debitsPending);
  to[at + AccountBalance.timestamp] = row[r + Transfer.timestamp]!;
  to[at + AccountBalance.timestamp + 1] = row[r + Transfer.timestamp + 1]!;
  to.fill(0, at + AccountBalance.timestamp + 2, at + AccountBalance.words);
}

/** Writes the event of a transfer's creation. */
export function writeTransferEvent(
  state: LedgerState,
  transfer: number,
  to: Uint32Array,
  at: number,
): void {
  const row = state.transfers.chunkOf(transfer);
  const r = state.transfers.offsetOf(transfer);
  const codeFlags = row[r + Transfer.codeFlags]!;
  writeEventTransfer(state, transfer, to, at);
  writeEventAccounts(state, transfer, codeFlags, transferBalances(row, r), to, at);
  to[at + ChangeEvent.type] = eventType(codeFlags >>> 16);
  to[at + ChangeEvent.timestamp] = row[r + Transfer.timestamp]!;
  to[at + ChangeEvent.timestamp + 1] = row[r + Transfer.timestamp + 1]!;
}

/** Writes the event of a pending transfer's expiry; its transfer fields are those of the pending transfer. */
export function writeExpiryEvent(
  state: LedgerState,
  expiry: number,
  to: Uint32Array,
  at: number,
): void {
  const row = state.expiries.chunkOf(expiry);
  const e = state.expiries.offsetOf(expiry);
  const transfer = row[e + Expiry.transfer]!;
  writeEventTransfer(state, transfer, to, at);
  writeEventAccounts(state, transfer, row[e + Expiry.flags]!, expiryBalances(row, e), to, at);
  to[at + ChangeEvent.type] = EventType.expired;
  to[at + ChangeEvent.timestamp] = row[e + Expiry.timestamp]!;
  to[at + ChangeEvent.timestamp + 1] = row[e + Expiry.timestamp + 1]!;
}

function eventType(flags: number): number {
  if ((flags & TransferFlag.pending) !== 0) return EventType.pending;
  if ((flags & TransferFlag.post_pending_transfer) !== 0) return EventType.posted;
  if ((flags & TransferFlag.void_pending_transfer) !== 0) return EventType.voided;
  return EventType.single_phase;
}

/**
 * With `writeEventAccounts`, it writes every word of an event but for type and timestamp. Streams read each event once, so this is written
 * word by word: views and calls for a few words take longer than the words.
 */
function writeEventTransfer(
  state: LedgerState,
  transfer: number,
  to: Uint32Array,
  at: number,
): void {
  const row = state.transfers.chunkOf(transfer);
  const r = state.transfers.offsetOf(transfer);
  const debit = row[r + Transfer.debitAccount]!;
  copy128(to, at + ChangeEvent.transferId, row, r);
  state.readAmount(row, r, to, at + ChangeEvent.transferAmount);
  writePendingId(state, row, r, to, at + ChangeEvent.transferPendingId);
  writeUserData(row, r, to, at + ChangeEvent.transferUserData128);
  to[at + ChangeEvent.transferCodeFlags] = row[r + Transfer.codeFlags]! & ~ROW_FLAGS;
  to[at + ChangeEvent.ledger] =
    state.accounts.chunkOf(debit)[state.accounts.offsetOf(debit) + Account.ledger]!;
  for (let i = ChangeEvent.reserved; i < ChangeEvent.debitAccount; i += 1) to[at + i] = 0;
  to[at + ChangeEvent.transferTimestamp] = row[r + Transfer.timestamp]!;
  to[at + ChangeEvent.transferTimestamp + 1] = row[r + Transfer.timestamp + 1]!;
}

function writeEventAccounts(
  state: LedgerState,
  transfer: number,
  rowFlags: number,
  balances: BalancesAt,
  to: Uint32Array,
  at: number,
): void {
  const row = state.transfers.chunkOf(transfer);
  const r = state.transfers.offsetOf(transfer);
  for (let side = 0; side < 2; side += 1) {
    const account = row[r + Transfer.debitAccount + side]!;
    const source = state.accounts.chunkOf(account);
    const s = state.accounts.offsetOf(account);
    const target = at + (side === 0 ? ChangeEvent.debitAccount : ChangeEvent.creditAccount);
    copy128(to, target, source, s);
    readBalances(state, balances, side, to, target + Account.debitsPending);
    for (let i = Account.userData128; i < Account.reserved; i += 1) to[target + i] = source[s + i]!;
    // Code and flags are at the offset of the account's reserved field; `closed` is as it was then.
    const closed = side === 0 ? RowFlag.debit_account_closed : RowFlag.credit_account_closed;
    const flags = source[s + Account.codeFlags]! & ~(AccountFlag.closed << 16);
    const isClosed = ((rowFlags >>> 16) & closed) !== 0;
    to[target + Account.reserved] = isClosed ? flags | (AccountFlag.closed << 16) : flags;
    const time =
      side === 0 ? ChangeEvent.debitAccountTimestamp : ChangeEvent.creditAccountTimestamp;
    to[at + time] = source[s + Account.timestamp]!;
    to[at + time + 1] = source[s + Account.timestamp + 1]!;
  }
}
