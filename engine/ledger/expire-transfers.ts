/** The pulse: expires due pending transfers, which releases the amounts that they reserved. */
import { Expiry, Transfer } from './layout.ts';
import { eventOfExpiry } from './last-event.ts';
import { Account } from '../wire/records.ts';
import type { LedgerState } from './ledger-state.ts';
import { PendingStatus, RowFlag } from './row-values.ts';
import { TransferFlag } from '../wire/flags.ts';
import { closedFlags, copyNarrow, isNarrow, setClosed, storeWide } from './store-transfer.ts';
import { compare64, offset64, subtract128 } from './words.ts';

/** Maximum number of transfers that a pulse expires; it always takes this many timestamps. */
export const EXPIRIES_MAX = 8190;

const due = new Uint32Array(EXPIRIES_MAX);
const expiresAt = new Uint32Array(2);
const amount = new Uint32Array(4);

/** Writes the expiry (u64) of the earliest unresolved pending transfer. Returns false if none has a timeout. */
export function readNextExpiry(state: LedgerState, to: Uint32Array, at: number): boolean {
  const queue = state.expiryQueue;
  while (queue.size > 0) {
    if (state.pendingStatuses.get(queue.topTransfer()) === PendingStatus.pending) {
      queue.topExpiresAt(to, at);
      return true;
    }
    queue.pop();
  }
  return false;
}

/** Expires the transfers due at the u64 timestamp, earliest first. The last one's event has that timestamp. */
export function expireTransfers(state: LedgerState, timestamp: Uint32Array, at: number): void {
  let count = 0;
  while (count < EXPIRIES_MAX && readNextExpiry(state, expiresAt, 0)) {
    if (compare64(expiresAt, 0, timestamp, at) > 0) break;
    due[count] = state.expiryQueue.topTransfer();
    state.expiryQueue.pop();
    count += 1;
  }
  for (let i = 0; i < count; i += 1) {
    const index = expire(state, due[i]!);
    const row = state.expiries.chunkOf(index);
    const time = state.expiries.offsetOf(index) + Expiry.timestamp;
    offset64(row, time, timestamp, at, i + 1 - count);
  }
}

/** Expires one transfer. Returns the index of the expiry; the caller must write its timestamp. */
function expire(state: LedgerState, transfer: number): number {
  const p = state.transfers.chunkOf(transfer);
  const o = state.transfers.offsetOf(transfer);
  const debitAccount = p[o + Transfer.debitAccount]!;
  const creditAccount = p[o + Transfer.creditAccount]!;
  const debit = state.liveAccounts.chunkOf(debitAccount);
  const d = state.liveAccounts.offsetOf(debitAccount);
  const credit = state.liveAccounts.chunkOf(creditAccount);
  const c = state.liveAccounts.offsetOf(creditAccount);
  state.readAmount(p, o, amount, 0);
  subtract128(debit, d + Account.debitsPending, amount, 0);
  subtract128(credit, c + Account.creditsPending, amount, 0);
  const flags = p[o + Transfer.codeFlags]! >>> 16;
  if ((flags & TransferFlag.closing_debit) !== 0) setClosed(debit, d, false);
  if ((flags & TransferFlag.closing_credit) !== 0) setClosed(credit, c, false);
  state.pendingStatuses.set(transfer, PendingStatus.expired);
  state.pendingTransfers -= 1;
  state.expiringTransfers -= 1;

  const index = state.expiries.push();
  const row = state.expiries.chunkOf(index);
  const e = state.expiries.offsetOf(index);
  row[e + Expiry.transfer] = transfer;
  row[e + Expiry.transfersBefore] = state.transfers.count;
  let rowFlags = closedFlags(debit, d, credit, c);
  row[e + Expiry.wide] = 0;
  copyNarrow(row, e + Expiry.balances, debit, d);
  copyNarrow(row, e + Expiry.balances + 8, credit, c);
  if ((amount[2]! | amount[3]!) !== 0 || !isNarrow(debit, d) || !isNarrow(credit, c)) {
    rowFlags |= RowFlag.wide;
    const accounts = { debit: debitAccount, credit: creditAccount };
    row[e + Expiry.wide] = storeWide(state, amount, 0, accounts);
  }
  row[e + Expiry.flags] = rowFlags << 16;
  debit[d + Account.reserved] = eventOfExpiry(index);
  credit[c + Account.reserved] = eventOfExpiry(index);
  return index;
}

/**
 * Writes the accounts into the expiries from `first` on. They are not part of an operation's hash, which releases before them
 * have computed without.
 */
export function nameExpired({ transfers, expiries }: LedgerState, first: number): void {
  for (let index = first; index < expiries.count; index += 1) {
    const row = expiries.chunkOf(index);
    const at = expiries.offsetOf(index);
    const transfer = row[at + Expiry.transfer]!;
    const accounts = transfers.offsetOf(transfer) + Transfer.debitAccount;
    row[at + Expiry.debitAccount] = transfers.chunkOf(transfer)[accounts]!;
    row[at + Expiry.creditAccount] = transfers.chunkOf(transfer)[accounts + 1]!;
  }
}

/** Returns the transfers that a pulse of this timestamp would expire. It changes nothing that can be seen. */
export function dueTransfers(state: LedgerState, timestamp: Uint32Array, at: number): Uint32Array {
  const queue = state.expiryQueue;
  const times = new Uint32Array(EXPIRIES_MAX * 2);
  let count = 0;
  while (count < EXPIRIES_MAX && readNextExpiry(state, times, count * 2)) {
    if (compare64(times, count * 2, timestamp, at) > 0) break;
    due[count] = queue.topTransfer();
    queue.pop();
    count += 1;
  }
  for (let i = 0; i < count; i += 1) queue.push(times, i * 2, due[i]!);
  return due.subarray(0, count);
}
