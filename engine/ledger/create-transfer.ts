/**
 * Execution of one event of create_transfers: single-phase and pending transfers. Posting and voiding is in
 * resolve-transfer.ts.
 */
import { type EventContext, IdHash, setResultTime, Time } from './event-context.ts';
import { compareExisting } from './existing-transfer.ts';
import { importedRegresses } from './imported.ts';
import { Transfer } from './layout.ts';
import { Account, WireTransfer } from '../wire/records.ts';
import { resolveTransfer } from './resolve-transfer.ts';
import { PendingStatus } from './row-values.ts';
import { AccountFlag, TransferFlag } from '../wire/flags.ts';
import { TransferStatus } from '../wire/statuses.ts';
import { setClosed, storeOutcome } from './store-transfer.ts';
import { idSlot } from './sealed-answers.ts';
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

const RESOLVING = TransferFlag.post_pending_transfer | TransferFlag.void_pending_transfer;
const BALANCING = TransferFlag.balancing_debit | TransferFlag.balancing_credit;
const CLOSING = TransferFlag.closing_debit | TransferFlag.closing_credit;
const clamped = new Uint32Array(4);
const sum = new Uint32Array(4);
const available = new Uint32Array(4);
const total = new Uint32Array(4);

/**
 * Checks one transfer in TigerBeetle's order of precedence and creates it. Returns its status. The caller has made the
 * checks common to all events of a batch (chains, imported, timestamp).
 */
export function createTransfer(context: EventContext, event: Uint32Array, at: number): number {
  const flags = event[at + WireTransfer.codeFlags]! >>> 16;
  if ((flags & TransferFlag.reserved) !== 0) return TransferStatus.reserved_flag;
  if (isZero128(event, at)) return TransferStatus.id_must_not_be_zero;
  if (isMax128(event, at)) return TransferStatus.id_must_not_be_int_max;
  const { hashes, hashesAt } = context;
  const existing = context.areNewest
    ? context.state.findNewest(event, at)
    : context.state.findTransfer(
        event,
        at,
        hashes[hashesAt],
        hashes[hashesAt + IdHash.transferLower],
        idSlot(at),
      );
  if (existing > 0) return compareExisting(context, event, at, existing - 1);
  if (existing < 0) return TransferStatus.id_already_failed;
  if ((flags & RESOLVING) !== 0) return resolveTransfer(context, event, at);
  const status = checkFields(event, at, flags);
  return status === TransferStatus.created ? move(context, event, at, flags) : status;
}

/** Makes the checks that need only the event. */
function checkFields(event: Uint32Array, at: number, flags: number): number {
  const debit = at + WireTransfer.debitAccountId;
  const credit = at + WireTransfer.creditAccountId;
  if (isZero128(event, debit)) return TransferStatus.debit_account_id_must_not_be_zero;
  if (isMax128(event, debit)) return TransferStatus.debit_account_id_must_not_be_int_max;
  if (isZero128(event, credit)) return TransferStatus.credit_account_id_must_not_be_zero;
  if (isMax128(event, credit)) return TransferStatus.credit_account_id_must_not_be_int_max;
  if (equal128(event, debit, event, credit)) return TransferStatus.accounts_must_be_different;
  if (!isZero128(event, at + WireTransfer.pendingId)) return TransferStatus.pending_id_must_be_zero;
  if ((flags & TransferFlag.pending) === 0) {
    if (event[at + WireTransfer.timeout] !== 0) {
      return TransferStatus.timeout_reserved_for_pending_transfer;
    }
    if ((flags & CLOSING) !== 0) return TransferStatus.closing_transfer_must_be_pending;
  }
  if (event[at + WireTransfer.ledger] === 0) return TransferStatus.ledger_must_not_be_zero;
  if ((event[at + WireTransfer.codeFlags]! & 0xffff) === 0) {
    return TransferStatus.code_must_not_be_zero;
  }
  return TransferStatus.created;
}

// oxlint-disable-next-line max-lines-per-function -- one hot run of guards in the documented precedence
function move(context: EventContext, event: Uint32Array, at: number, flags: number): number {
  const { state, hashes, hashesAt } = context;
  const { liveAccounts } = state;
  const debitHash = hashes[hashesAt + IdHash.debitAccount]!;
  const debitAccount = context.knowsAccounts
    ? debitHash
    : state.findAccount(event, at + WireTransfer.debitAccountId, debitHash);
  if (debitAccount === -1) return TransferStatus.debit_account_not_found;
  const creditHash = hashes[hashesAt + IdHash.creditAccount]!;
  const creditAccount = context.knowsAccounts
    ? creditHash
    : state.findAccount(event, at + WireTransfer.creditAccountId, creditHash);
  if (creditAccount === -1) return TransferStatus.credit_account_not_found;
  const debit = liveAccounts.chunkOf(debitAccount);
  const d = liveAccounts.offsetOf(debitAccount);
  const credit = liveAccounts.chunkOf(creditAccount);
  const c = liveAccounts.offsetOf(creditAccount);
  const ledger = debit[d + Account.ledger];
  if (ledger !== credit[c + Account.ledger]) {
    return TransferStatus.accounts_must_have_the_same_ledger;
  }
  if (ledger !== event[at + WireTransfer.ledger]) {
    return TransferStatus.transfer_must_have_the_same_ledger_as_accounts;
  }
  const isImported = (flags & TransferFlag.imported) !== 0;
  if (isImported) {
    const status = checkImported(context, event, at, debit, d, credit, c);
    if (status !== TransferStatus.created) return status;
  }
  const debitFlags = debit[d + Account.codeFlags]! >>> 16;
  const creditFlags = credit[c + Account.codeFlags]! >>> 16;
  if ((debitFlags & AccountFlag.closed) !== 0) return TransferStatus.debit_account_already_closed;
  if ((creditFlags & AccountFlag.closed) !== 0) return TransferStatus.credit_account_already_closed;

  let amount = event;
  let a = at + WireTransfer.amount;
  if ((flags & BALANCING) !== 0) {
    copy128(clamped, 0, event, a);
    amount = clamped;
    a = 0;
    if ((flags & TransferFlag.balancing_debit) !== 0) {
      clamp(debit, d + Account.debitsPending, d + Account.debitsPosted, d + Account.creditsPosted);
    }
    if ((flags & TransferFlag.balancing_credit) !== 0) {
      clamp(
        credit,
        c + Account.creditsPending,
        c + Account.creditsPosted,
        c + Account.debitsPosted,
      );
    }
  }
  // Three values below 2^96 cannot overflow 128 bits: almost always there is nothing to check.
  const top =
    amount[a + 3]! |
    debit[d + Account.debitsPending + 3]! |
    debit[d + Account.debitsPosted + 3]! |
    credit[c + Account.creditsPending + 3]! |
    credit[c + Account.creditsPosted + 3]!;
  if (top !== 0) {
    const status = checkOverflows(amount, a, flags, debit, d, credit, c);
    if (status !== TransferStatus.created) return status;
  }
  const time = isImported ? event : context.times;
  const timeAt = isImported ? at + WireTransfer.timestamp : Time.slot;
  const timeout = event[at + WireTransfer.timeout]!;
  if (timeout !== 0) {
    expiresAt(sum, 0, time, timeAt, timeout);
    if (sum[1]! >= 0x8000_0000) return TransferStatus.overflows_timeout;
  }
  if ((debitFlags & AccountFlag.debits_must_not_exceed_credits) !== 0) {
    const pending = d + Account.debitsPending;
    if (exceeds(debit, pending, d + Account.debitsPosted, amount, a, d + Account.creditsPosted)) {
      return TransferStatus.exceeds_credits;
    }
  }
  if ((creditFlags & AccountFlag.credits_must_not_exceed_debits) !== 0) {
    const pending = c + Account.creditsPending;
    if (exceeds(credit, pending, c + Account.creditsPosted, amount, a, c + Account.debitsPosted)) {
      return TransferStatus.exceeds_debits;
    }
  }

  // From here on the transfer must be created.
  if (context.undo.isOpen) {
    context.undo.recordAccount(debitAccount);
    context.undo.recordAccount(creditAccount);
  }
  const isPending = (flags & TransferFlag.pending) !== 0;
  if (isPending) {
    add128(debit, d + Account.debitsPending, amount, a);
    add128(credit, c + Account.creditsPending, amount, a);
    state.pendingTransfers += 1;
    if (timeout !== 0) state.expiringTransfers += 1;
    if ((flags & TransferFlag.closing_debit) !== 0) setClosed(debit, d, true);
    if ((flags & TransferFlag.closing_credit) !== 0) setClosed(credit, c, true);
  } else {
    add128(debit, d + Account.debitsPosted, amount, a);
    add128(credit, c + Account.creditsPosted, amount, a);
  }
  const transfer = state.transfers.push();
  const row = state.transfers.chunkOf(transfer);
  const r = state.transfers.offsetOf(transfer);
  copy128(row, r, event, at);
  row[r + Transfer.debitAccount] = debitAccount;
  row[r + Transfer.creditAccount] = creditAccount;
  row[r + Transfer.pendingTransfer] = 0;
  row[r + Transfer.userData32] = event[at + WireTransfer.userData32]!;
  copy128(row, r + Transfer.userData128, event, at + WireTransfer.userData128);
  row[r + Transfer.userData64] = event[at + WireTransfer.userData64]!;
  row[r + Transfer.userData64 + 1] = event[at + WireTransfer.userData64 + 1]!;
  row[r + Transfer.timeout] = timeout;
  row[r + Transfer.timestamp] = time[timeAt]!;
  row[r + Transfer.timestamp + 1] = time[timeAt + 1]!;
  storeOutcome(state, row, r, event[at + WireTransfer.codeFlags]!, amount, a);
  state.pendingStatuses.set(transfer, isPending ? PendingStatus.pending : PendingStatus.none);
  if (context.areNewest) state.addTransferIdLater(transfer);
  else state.addTransferId(transfer, hashes[hashesAt]!, hashes[hashesAt + IdHash.transferLower]!);
  setResultTime(context, time, timeAt);
  return TransferStatus.created;
}

function checkImported(
  context: EventContext,
  event: Uint32Array,
  at: number,
  debit: Uint32Array,
  debitAt: number,
  credit: Uint32Array,
  creditAt: number,
): number {
  const time = at + WireTransfer.timestamp;
  if (importedRegresses(context, event, time)) {
    return TransferStatus.imported_event_timestamp_must_not_regress;
  }
  if (compare64(event, time, debit, debitAt + Account.timestamp) <= 0) {
    return TransferStatus.imported_event_timestamp_must_postdate_debit_account;
  }
  if (compare64(event, time, credit, creditAt + Account.timestamp) <= 0) {
    return TransferStatus.imported_event_timestamp_must_postdate_credit_account;
  }
  if (event[at + WireTransfer.timeout] !== 0) {
    return TransferStatus.imported_event_timeout_must_be_zero;
  }
  return TransferStatus.created;
}

/** Lowers `clamped` to what the account still has on the other side: `limit -| (pending + posted)`. */
function clamp(account: Uint32Array, pending: number, posted: number, limit: number): void {
  copy128(sum, 0, account, pending);
  add128(sum, 0, account, posted);
  if (compare128(sum, 0, account, limit) >= 0) {
    clamped.fill(0);
    return;
  }
  available.set(account.subarray(limit, limit + 4));
  subtract128(available, 0, sum, 0);
  if (compare128(available, 0, clamped, 0) < 0) copy128(clamped, 0, available, 0);
}

/** Returns whether `pending + posted + amount > limit`. The caller has checked that nothing overflows. */
function exceeds(
  account: Uint32Array,
  pending: number,
  posted: number,
  amount: Uint32Array,
  a: number,
  limit: number,
): boolean {
  copy128(sum, 0, account, pending);
  add128(sum, 0, account, posted);
  add128(sum, 0, amount, a);
  return compare128(sum, 0, account, limit) > 0;
}

function checkOverflows(
  amount: Uint32Array,
  a: number,
  flags: number,
  debit: Uint32Array,
  d: number,
  credit: Uint32Array,
  c: number,
): number {
  if ((flags & TransferFlag.pending) !== 0) {
    if (overflows(amount, a, debit, d + Account.debitsPending)) {
      return TransferStatus.overflows_debits_pending;
    }
    if (overflows(amount, a, credit, c + Account.creditsPending)) {
      return TransferStatus.overflows_credits_pending;
    }
  }
  if (overflows(amount, a, debit, d + Account.debitsPosted)) {
    return TransferStatus.overflows_debits_posted;
  }
  if (overflows(amount, a, credit, c + Account.creditsPosted)) {
    return TransferStatus.overflows_credits_posted;
  }
  copy128(total, 0, debit, d + Account.debitsPending);
  add128(total, 0, debit, d + Account.debitsPosted);
  if (overflows(amount, a, total, 0)) return TransferStatus.overflows_debits;
  copy128(total, 0, credit, c + Account.creditsPending);
  add128(total, 0, credit, c + Account.creditsPosted);
  if (overflows(amount, a, total, 0)) return TransferStatus.overflows_credits;
  return TransferStatus.created;
}

function overflows(amount: Uint32Array, a: number, balance: Uint32Array, b: number): boolean {
  copy128(sum, 0, amount, a);
  return add128(sum, 0, balance, b) !== 0;
}
