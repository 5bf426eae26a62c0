/** Comparison of an event of create_transfers with the stored transfer that has the same id. */
import { type EventContext, setResultTime } from './event-context.ts';
import { Transfer } from './layout.ts';
import { Account, WireTransfer } from '../wire/records.ts';
import { RowFlag } from './row-values.ts';
import { TransferFlag } from '../wire/flags.ts';
import { TransferStatus } from '../wire/statuses.ts';
import { compare128, compare64, equal128, isMax128, isZero128 } from './words.ts';

const RESOLVING = TransferFlag.post_pending_transfer | TransferFlag.void_pending_transfer;
const BALANCING = TransferFlag.balancing_debit | TransferFlag.balancing_credit;
const ROW_FLAGS = RowFlag.wide | RowFlag.debit_account_closed | RowFlag.credit_account_closed;
const ZERO = new Uint32Array(4);
const stored = new Uint32Array(4);
const pendingAmount = new Uint32Array(4);

export function compareExisting(
  context: EventContext,
  event: Uint32Array,
  at: number,
  existing: number,
): number {
  const { transfers } = context.state;
  const row = transfers.chunkOf(existing);
  const r = transfers.offsetOf(existing);
  const flags = event[at + WireTransfer.codeFlags]! >>> 16;
  if (((row[r + Transfer.codeFlags]! >>> 16) & ~ROW_FLAGS) !== flags) {
    return TransferStatus.exists_with_different_flags;
  }
  const isResolving = (flags & RESOLVING) !== 0;
  const pending = row[r + Transfer.pendingTransfer]!;
  const pendingId = at + WireTransfer.pendingId;
  const isSamePending = isResolving
    ? equal128(event, pendingId, transfers.chunkOf(pending), transfers.offsetOf(pending))
    : equal128(event, pendingId, ZERO, 0);
  if (!isSamePending) return TransferStatus.exists_with_different_pending_id;
  if (event[at + WireTransfer.timeout] !== row[r + Transfer.timeout]) {
    return TransferStatus.exists_with_different_timeout;
  }
  const accounts = compareAccounts(context, event, at, row, r, isResolving);
  if (accounts !== TransferStatus.exists) return accounts;
  context.state.readAmount(row, r, stored, 0);
  const rest = isResolving
    ? compareResolving(context, event, at, row, r)
    : compareMoving(event, at, row, r, flags);
  if (rest !== TransferStatus.exists) return rest;
  const status = compareLedgerCode(context, event, at, row, r, isResolving);
  if (status === TransferStatus.exists) setResultTime(context, row, r + Transfer.timestamp);
  return status;
}

/** Compares the accounts, which a post or void may leave out. */
function compareAccounts(
  context: EventContext,
  event: Uint32Array,
  at: number,
  row: Uint32Array,
  r: number,
  isResolving: boolean,
): number {
  const { accounts } = context.state;
  const debit = row[r + Transfer.debitAccount]!;
  const debitId = at + WireTransfer.debitAccountId;
  if (
    !(isResolving && isZero128(event, debitId)) &&
    !equal128(event, debitId, accounts.chunkOf(debit), accounts.offsetOf(debit))
  ) {
    return TransferStatus.exists_with_different_debit_account_id;
  }
  const credit = row[r + Transfer.creditAccount]!;
  const creditId = at + WireTransfer.creditAccountId;
  if (
    !(isResolving && isZero128(event, creditId)) &&
    !equal128(event, creditId, accounts.chunkOf(credit), accounts.offsetOf(credit))
  ) {
    return TransferStatus.exists_with_different_credit_account_id;
  }
  return TransferStatus.exists;
}

function compareMoving(
  event: Uint32Array,
  at: number,
  row: Uint32Array,
  r: number,
  flags: number,
): number {
  const comparison = compare128(event, at + WireTransfer.amount, stored, 0);
  // A balancing transfer may have got less than its amount, never more.
  if ((flags & BALANCING) !== 0 ? comparison < 0 : comparison !== 0) {
    return TransferStatus.exists_with_different_amount;
  }
  if (!equal128(event, at + WireTransfer.userData128, row, r + Transfer.userData128)) {
    return TransferStatus.exists_with_different_user_data_128;
  }
  if (compare64(event, at + WireTransfer.userData64, row, r + Transfer.userData64) !== 0) {
    return TransferStatus.exists_with_different_user_data_64;
  }
  if (event[at + WireTransfer.userData32] !== row[r + Transfer.userData32]) {
    return TransferStatus.exists_with_different_user_data_32;
  }
  return TransferStatus.exists;
}

/** Compares a post or void. A field that it leaves out means the pending transfer's value. */
function compareResolving(
  context: EventContext,
  event: Uint32Array,
  at: number,
  row: Uint32Array,
  r: number,
): number {
  const { transfers } = context.state;
  const pending = row[r + Transfer.pendingTransfer]!;
  const p = transfers.chunkOf(pending);
  const o = transfers.offsetOf(pending);
  context.state.readAmount(p, o, pendingAmount, 0);
  const given = at + WireTransfer.amount;
  const flags = event[at + WireTransfer.codeFlags]! >>> 16;
  const isVoid = (flags & TransferFlag.void_pending_transfer) !== 0;
  const isAll = isVoid ? isZero128(event, given) : isMax128(event, given);
  if (!(isAll ? equal128(stored, 0, pendingAmount, 0) : equal128(stored, 0, event, given))) {
    return TransferStatus.exists_with_different_amount;
  }
  const wire128 = at + WireTransfer.userData128;
  const same128 = isZero128(event, wire128)
    ? equal128(row, r + Transfer.userData128, p, o + Transfer.userData128)
    : equal128(row, r + Transfer.userData128, event, wire128);
  if (!same128) return TransferStatus.exists_with_different_user_data_128;
  const wire64 = at + WireTransfer.userData64;
  const comparison64 =
    (event[wire64]! | event[wire64 + 1]!) === 0
      ? compare64(row, r + Transfer.userData64, p, o + Transfer.userData64)
      : compare64(row, r + Transfer.userData64, event, wire64);
  if (comparison64 !== 0) return TransferStatus.exists_with_different_user_data_64;
  const given32 = event[at + WireTransfer.userData32]!;
  const expected32 = given32 === 0 ? p[o + Transfer.userData32] : given32;
  if (row[r + Transfer.userData32] !== expected32) {
    return TransferStatus.exists_with_different_user_data_32;
  }
  return TransferStatus.exists;
}

function compareLedgerCode(
  context: EventContext,
  event: Uint32Array,
  at: number,
  row: Uint32Array,
  r: number,
  isResolving: boolean,
): number {
  const { accounts } = context.state;
  const debit = row[r + Transfer.debitAccount]!;
  const ledger = event[at + WireTransfer.ledger]!;
  if (
    !(isResolving && ledger === 0) &&
    ledger !== accounts.chunkOf(debit)[accounts.offsetOf(debit) + Account.ledger]
  ) {
    return TransferStatus.exists_with_different_ledger;
  }
  const code = event[at + WireTransfer.codeFlags]! & 0xffff;
  if (!(isResolving && code === 0) && code !== (row[r + Transfer.codeFlags]! & 0xffff)) {
    return TransferStatus.exists_with_different_code;
  }
  return TransferStatus.exists;
}
