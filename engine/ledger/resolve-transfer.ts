/** Posting and voiding of a pending transfer by an event of create_transfers that names it. */
import { type EventContext, IdHash, setResultTime, Time } from './event-context.ts';
import { importedRegresses } from './imported.ts';
import { Transfer } from './layout.ts';
import { Account, WireTransfer } from '../wire/records.ts';
import { PendingStatus } from './row-values.ts';
import { AccountFlag, TransferFlag } from '../wire/flags.ts';
import { TransferStatus } from '../wire/statuses.ts';
import { setClosed, storeOutcome } from './store-transfer.ts';
import { pendingIdSlot } from './sealed-answers.ts';
import {
  add128,
  compare128,
  compare64,
  copy128,
  equal128,
  expiresAt,
  isMax128,
  isZero128,
  subtract128,
} from './words.ts';

const EXCLUDED =
  TransferFlag.pending |
  TransferFlag.balancing_debit |
  TransferFlag.balancing_credit |
  TransferFlag.closing_debit |
  TransferFlag.closing_credit;
const BOTH = TransferFlag.post_pending_transfer | TransferFlag.void_pending_transfer;
const pendingAmount = new Uint32Array(4);
const amount = new Uint32Array(4);
const expiry = new Uint32Array(2);

export function resolveTransfer(context: EventContext, event: Uint32Array, at: number): number {
  const { state } = context;
  const flags = event[at + WireTransfer.codeFlags]! >>> 16;
  if ((flags & BOTH) === BOTH || (flags & EXCLUDED) !== 0) {
    return TransferStatus.flags_are_mutually_exclusive;
  }
  const pendingId = at + WireTransfer.pendingId;
  if (isZero128(event, pendingId)) return TransferStatus.pending_id_must_not_be_zero;
  if (isMax128(event, pendingId)) return TransferStatus.pending_id_must_not_be_int_max;
  if (equal128(event, pendingId, event, at)) return TransferStatus.pending_id_must_be_different;
  if (event[at + WireTransfer.timeout] !== 0) {
    return TransferStatus.timeout_reserved_for_pending_transfer;
  }
  const hash = state.hashOf(event, pendingId);
  const slot = pendingIdSlot(at);
  const found = state.findTransfer(event, pendingId, hash, state.hashLower, slot);
  if (found <= 0) return TransferStatus.pending_transfer_not_found;
  const pending = found - 1;
  const p = state.transfers.chunkOf(pending);
  const o = state.transfers.offsetOf(pending);
  if (((p[o + Transfer.codeFlags]! >>> 16) & TransferFlag.pending) === 0) {
    return TransferStatus.pending_transfer_not_pending;
  }
  const status = checkSame(context, event, at, p, o);
  if (status !== TransferStatus.created) return status;
  state.readAmount(p, o, pendingAmount, 0);
  const isVoid = (flags & TransferFlag.void_pending_transfer) !== 0;
  const given = at + WireTransfer.amount;
  const takesAll = isVoid ? isZero128(event, given) : isMax128(event, given);
  copy128(amount, 0, takesAll ? pendingAmount : event, takesAll ? 0 : given);
  const comparison = compare128(amount, 0, pendingAmount, 0);
  if (comparison > 0) return TransferStatus.exceeds_pending_transfer_amount;
  if (isVoid && comparison < 0) return TransferStatus.pending_transfer_has_different_amount;
  const resolved = checkUnresolved(context, pending, p, o);
  if (resolved !== TransferStatus.created) return resolved;
  const isImported = (flags & TransferFlag.imported) !== 0;
  if (isImported && importedRegresses(context, event, at + WireTransfer.timestamp)) {
    return TransferStatus.imported_event_timestamp_must_not_regress;
  }
  if (!isVoid) {
    if (isClosed(context, p[o + Transfer.debitAccount]!)) {
      return TransferStatus.debit_account_already_closed;
    }
    if (isClosed(context, p[o + Transfer.creditAccount]!)) {
      return TransferStatus.credit_account_already_closed;
    }
  }

  // From here on the pending transfer must be posted or voided.
  apply(context, pending, isVoid);
  store(context, event, at, pending);
  return TransferStatus.created;
}

/** Checks that the event's fields, if given, match the pending transfer. */
function checkSame(
  context: EventContext,
  event: Uint32Array,
  at: number,
  p: Uint32Array,
  o: number,
): number {
  const { accounts } = context.state;
  const debitAccount = p[o + Transfer.debitAccount]!;
  const debit = accounts.chunkOf(debitAccount);
  const d = accounts.offsetOf(debitAccount);
  const debitId = at + WireTransfer.debitAccountId;
  if (!isZero128(event, debitId) && !equal128(event, debitId, debit, d)) {
    return TransferStatus.pending_transfer_has_different_debit_account_id;
  }
  const creditAccount = p[o + Transfer.creditAccount]!;
  const creditId = at + WireTransfer.creditAccountId;
  if (
    !isZero128(event, creditId) &&
    !equal128(event, creditId, accounts.chunkOf(creditAccount), accounts.offsetOf(creditAccount))
  ) {
    return TransferStatus.pending_transfer_has_different_credit_account_id;
  }
  const ledger = event[at + WireTransfer.ledger];
  if (ledger !== 0 && ledger !== debit[d + Account.ledger]) {
    return TransferStatus.pending_transfer_has_different_ledger;
  }
  const code = event[at + WireTransfer.codeFlags]! & 0xffff;
  if (code !== 0 && code !== (p[o + Transfer.codeFlags]! & 0xffff)) {
    return TransferStatus.pending_transfer_has_different_code;
  }
  return TransferStatus.created;
}

function checkUnresolved(
  context: EventContext,
  pending: number,
  p: Uint32Array,
  o: number,
): number {
  const status = context.state.pendingStatuses.get(pending);
  if (status === PendingStatus.posted) return TransferStatus.pending_transfer_already_posted;
  if (status === PendingStatus.voided) return TransferStatus.pending_transfer_already_voided;
  if (status === PendingStatus.expired) return TransferStatus.pending_transfer_expired;
  const timeout = p[o + Transfer.timeout]!;
  if (timeout !== 0) {
    // Expired by the clock of the log, even if no pulse has come yet.
    expiresAt(expiry, 0, p, o + Transfer.timestamp, timeout);
    if (compare64(expiry, 0, context.times, Time.slot) <= 0) {
      return TransferStatus.pending_transfer_expired;
    }
  }
  return TransferStatus.created;
}

function isClosed(context: EventContext, account: number): boolean {
  const { liveAccounts } = context.state;
  const row = liveAccounts.chunkOf(account);
  const flags = row[liveAccounts.offsetOf(account) + Account.codeFlags]! >>> 16;
  return (flags & AccountFlag.closed) !== 0;
}

function apply(context: EventContext, pending: number, isVoid: boolean): void {
  const { state, undo } = context;
  const p = state.transfers.chunkOf(pending);
  const o = state.transfers.offsetOf(pending);
  const debitAccount = p[o + Transfer.debitAccount]!;
  const creditAccount = p[o + Transfer.creditAccount]!;
  if (undo.isOpen) {
    undo.recordAccount(debitAccount);
    undo.recordAccount(creditAccount);
    undo.recordResolved(pending);
  }
  const debit = state.liveAccounts.chunkOf(debitAccount);
  const d = state.liveAccounts.offsetOf(debitAccount);
  const credit = state.liveAccounts.chunkOf(creditAccount);
  const c = state.liveAccounts.offsetOf(creditAccount);
  subtract128(debit, d + Account.debitsPending, pendingAmount, 0);
  subtract128(credit, c + Account.creditsPending, pendingAmount, 0);
  if (isVoid) {
    const flags = p[o + Transfer.codeFlags]! >>> 16;
    if ((flags & TransferFlag.closing_debit) !== 0) setClosed(debit, d, false);
    if ((flags & TransferFlag.closing_credit) !== 0) setClosed(credit, c, false);
  } else {
    add128(debit, d + Account.debitsPosted, amount, 0);
    add128(credit, c + Account.creditsPosted, amount, 0);
  }
  state.pendingStatuses.set(pending, isVoid ? PendingStatus.voided : PendingStatus.posted);
  state.pendingTransfers -= 1;
  if (p[o + Transfer.timeout] !== 0) state.expiringTransfers -= 1;
}

function store(context: EventContext, event: Uint32Array, at: number, pending: number): void {
  const { state } = context;
  const p = state.transfers.chunkOf(pending);
  const o = state.transfers.offsetOf(pending);
  const transfer = state.transfers.push();
  const row = state.transfers.chunkOf(transfer);
  const r = state.transfers.offsetOf(transfer);
  copy128(row, r, event, at);
  row[r + Transfer.debitAccount] = p[o + Transfer.debitAccount]!;
  row[r + Transfer.creditAccount] = p[o + Transfer.creditAccount]!;
  row[r + Transfer.pendingTransfer] = pending;
  // Each field of user data that is not given is taken from the pending transfer.
  const given32 = event[at + WireTransfer.userData32]!;
  row[r + Transfer.userData32] = given32 === 0 ? p[o + Transfer.userData32]! : given32;
  const wire128 = at + WireTransfer.userData128;
  const inherits128 = isZero128(event, wire128);
  copy128(
    row,
    r + Transfer.userData128,
    inherits128 ? p : event,
    inherits128 ? o + Transfer.userData128 : wire128,
  );
  const wire64 = at + WireTransfer.userData64;
  const inherits64 = (event[wire64]! | event[wire64 + 1]!) === 0;
  const from64 = inherits64 ? o + Transfer.userData64 : wire64;
  row[r + Transfer.userData64] = (inherits64 ? p : event)[from64]!;
  row[r + Transfer.userData64 + 1] = (inherits64 ? p : event)[from64 + 1]!;
  row[r + Transfer.timeout] = 0;
  const flags = event[at + WireTransfer.codeFlags]! >>> 16;
  const isImported = (flags & TransferFlag.imported) !== 0;
  const time = isImported ? event : context.times;
  const timeAt = isImported ? at + WireTransfer.timestamp : Time.slot;
  row[r + Transfer.timestamp] = time[timeAt]!;
  row[r + Transfer.timestamp + 1] = time[timeAt + 1]!;
  const code = p[o + Transfer.codeFlags]! & 0xffff;
  storeOutcome(state, row, r, code | (flags << 16), amount, 0);
  state.pendingStatuses.set(transfer, PendingStatus.none);
  const { hashes, hashesAt } = context;
  state.addTransferId(transfer, hashes[hashesAt]!, hashes[hashesAt + IdHash.transferLower]!);
  setResultTime(context, time, timeAt);
}
