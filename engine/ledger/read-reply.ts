/** Conversion of rows back into wire records, one after another. */
import { Expiry, Transfer } from './layout.ts';
import { Account, AccountBalance, ChangeEvent, WireTransfer } from '../wire/records.ts';
import type { LedgerState } from './ledger-state.ts';
import { RowFlag } from './row-values.ts';
import { AccountFlag, TransferFlag } from '../wire/flags.ts';
import { type BalancesAt, readBalances } from './store-transfer.ts';
import { copy128 } from './words.ts';

const ROW_FLAGS =
  (RowFlag.wide | RowFlag.debit_account_closed | RowFlag.credit_account_closed) << 16;
const RESOLVING = TransferFlag.post_pending_transfer | TransferFlag.void_pending_transfer;

/** Event types of get_change_events. */
const EventType = { single_phase: 0, pending: 1, posted: 2, voided: 3, expired: 4 } as const;

export function writeAccount(
  state: LedgerState,
  account: number,
  to: Uint32Array,
  at: number,
): void {
  const row = state.accounts.chunkOf(account);
  const offset = state.accounts.offsetOf(account);
  for (let i = 0; i < Account.words; i += 1) to[at + i] = row[offset + i]!;
  to[at + Account.reserved] = 0;
}

export function writeTransfer(
  state: LedgerState,
  transfer: number,
  to: Uint32Array,
  at: number,
): void {
  const row = state.transfers.chunkOf(transfer);
  const r = state.transfers.offsetOf(transfer);
  const { accounts, transfers } = state;
  const debit = row[r + Transfer.debitAccount]!;
  const credit = row[r + Transfer.creditAccount]!;
  const debitRow = accounts.chunkOf(debit);
  const d = accounts.offsetOf(debit);
  const codeFlags = row[r + Transfer.codeFlags]! & ~ROW_FLAGS;
  copy128(to, at, row, r);
  copy128(to, at + WireTransfer.debitAccountId, debitRow, d);
  copy128(
    to,
    at + WireTransfer.creditAccountId,
    accounts.chunkOf(credit),
    accounts.offsetOf(credit),
  );
  state.readAmount(row, r, to, at + WireTransfer.amount);
  if (((codeFlags >>> 16) & RESOLVING) === 0) to.fill(0, at + 16, at + 20);
  else {
    const pending = row[r + Transfer.pendingTransfer]!;
    copy128(
      to,
      at + WireTransfer.pendingId,
      transfers.chunkOf(pending),
      transfers.offsetOf(pending),
    );
  }
  copy128(to, at + WireTransfer.userData128, row, r + Transfer.userData128);
  to[at + WireTransfer.userData64] = row[r + Transfer.userData64]!;
  to[at + WireTransfer.userData64 + 1] = row[r + Transfer.userData64 + 1]!;
  to[at + WireTransfer.userData32] = row[r + Transfer.userData32]!;
  to[at + WireTransfer.timeout] = row[r + Transfer.timeout]!;
  to[at + WireTransfer.ledger] = debitRow[d + Account.ledger]!;
  to[at + WireTransfer.codeFlags] = codeFlags;
  to[at + WireTransfer.timestamp] = row[r + Transfer.timestamp]!;
  to[at + WireTransfer.timestamp + 1] = row[r + Transfer.timestamp + 1]!;
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

export function transferBalances(row: Uint32Array, r: number): BalancesAt {
  const isWide = ((row[r + Transfer.codeFlags]! >>> 16) & RowFlag.wide) !== 0;
  return { row, narrow: r + Transfer.balances, wide: isWide ? row[r + Transfer.amount]! : -1 };
}

export function expiryBalances(row: Uint32Array, e: number): BalancesAt {
  const isWide = ((row[e + Expiry.flags]! >>> 16) & RowFlag.wide) !== 0;
  return { row, narrow: e + Expiry.balances, wide: isWide ? row[e + Expiry.wide]! : -1 };
}

function eventType(flags: number): number {
  if ((flags & TransferFlag.pending) !== 0) return EventType.pending;
  if ((flags & TransferFlag.post_pending_transfer) !== 0) return EventType.posted;
  if ((flags & TransferFlag.void_pending_transfer) !== 0) return EventType.voided;
  return EventType.single_phase;
}

const wire = new Uint32Array(WireTransfer.words);

function writeEventTransfer(
  state: LedgerState,
  transfer: number,
  to: Uint32Array,
  at: number,
): void {
  to.fill(0, at, at + ChangeEvent.words);
  writeTransfer(state, transfer, wire, 0);
  copy128(to, at + ChangeEvent.transferId, wire, 0);
  copy128(to, at + ChangeEvent.transferAmount, wire, WireTransfer.amount);
  copy128(to, at + ChangeEvent.transferPendingId, wire, WireTransfer.pendingId);
  // user_data_128, _64, _32 and timeout follow one another in both.
  const userData = wire.subarray(WireTransfer.userData128, WireTransfer.ledger);
  to.set(userData, at + ChangeEvent.transferUserData128);
  to[at + ChangeEvent.transferCodeFlags] = wire[WireTransfer.codeFlags]!;
  to[at + ChangeEvent.ledger] = wire[WireTransfer.ledger]!;
  to[at + ChangeEvent.transferTimestamp] = wire[WireTransfer.timestamp]!;
  to[at + ChangeEvent.transferTimestamp + 1] = wire[WireTransfer.timestamp + 1]!;
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
    const userData = source.subarray(s + Account.userData128, s + Account.reserved);
    to.set(userData, target + Account.userData128);
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
