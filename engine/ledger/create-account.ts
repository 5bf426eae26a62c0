/** Execution of one event of create_accounts. */
import { type EventContext, setResultTime, Time } from './event-context.ts';
import { CREATED_CLOSED, NO_EVENT } from './last-event.ts';
import { Transfer } from './layout.ts';
import { Account } from '../wire/records.ts';
import { AccountFlag } from '../wire/flags.ts';
import { AccountStatus } from '../wire/statuses.ts';
import { compare64, equal128, isMax128, isZero128 } from './words.ts';

const LIMITS =
  AccountFlag.debits_must_not_exceed_credits | AccountFlag.credits_must_not_exceed_debits;

/**
 * Checks one account in TigerBeetle's order of precedence and creates it. Returns its status. The caller has made the
 * checks common to all events of a batch (chains, imported, timestamp).
 */
export function createAccount(context: EventContext, event: Uint32Array, at: number): number {
  const { state } = context;
  const flags = event[at + Account.codeFlags]! >>> 16;
  if (event[at + Account.reserved] !== 0) return AccountStatus.reserved_field;
  if ((flags & AccountFlag.reserved) !== 0) return AccountStatus.reserved_flag;
  if (isZero128(event, at)) return AccountStatus.id_must_not_be_zero;
  if (isMax128(event, at)) return AccountStatus.id_must_not_be_int_max;
  const existing = state.findAccount(event, at);
  if (existing !== -1) return compareExisting(context, event, at, existing);
  if ((flags & LIMITS) === LIMITS) return AccountStatus.flags_are_mutually_exclusive;
  if (!isZero128(event, at + Account.debitsPending)) {
    return AccountStatus.debits_pending_must_be_zero;
  }
  if (!isZero128(event, at + Account.debitsPosted)) return AccountStatus.debits_posted_must_be_zero;
  if (!isZero128(event, at + Account.creditsPending)) {
    return AccountStatus.credits_pending_must_be_zero;
  }
  if (!isZero128(event, at + Account.creditsPosted)) {
    return AccountStatus.credits_posted_must_be_zero;
  }
  if (event[at + Account.ledger] === 0) return AccountStatus.ledger_must_not_be_zero;
  if ((event[at + Account.codeFlags]! & 0xffff) === 0) return AccountStatus.code_must_not_be_zero;
  const isImported = (flags & AccountFlag.imported) !== 0;
  if (isImported && regresses(context, event, at + Account.timestamp)) {
    return AccountStatus.imported_event_timestamp_must_not_regress;
  }

  // From here on the account must be created.
  const time = isImported ? event : context.times;
  const timeAt = isImported ? at + Account.timestamp : Time.slot;
  const account = state.accounts.push();
  const row = state.accounts.chunkOf(account);
  const offset = state.accounts.offsetOf(account);
  for (let i = 0; i < Account.timestamp; i += 1) row[offset + i] = event[at + i]!;
  row[offset + Account.reserved] = (flags & AccountFlag.closed) === 0 ? NO_EVENT : CREATED_CLOSED;
  row[offset + Account.timestamp] = time[timeAt]!;
  row[offset + Account.timestamp + 1] = time[timeAt + 1]!;
  state.addAccountId(account);
  setResultTime(context, time, timeAt);
  return AccountStatus.created;
}

function compareExisting(
  context: EventContext,
  event: Uint32Array,
  at: number,
  existing: number,
): number {
  const { liveAccounts } = context.state;
  const row = liveAccounts.chunkOf(existing);
  const offset = liveAccounts.offsetOf(existing);
  const codeFlags = row[offset + Account.codeFlags]!;
  const given = event[at + Account.codeFlags]!;
  if (codeFlags >>> 16 !== given >>> 16) return AccountStatus.exists_with_different_flags;
  if (!equal128(row, offset + Account.userData128, event, at + Account.userData128)) {
    return AccountStatus.exists_with_different_user_data_128;
  }
  if (compare64(row, offset + Account.userData64, event, at + Account.userData64) !== 0) {
    return AccountStatus.exists_with_different_user_data_64;
  }
  if (row[offset + Account.userData32] !== event[at + Account.userData32]) {
    return AccountStatus.exists_with_different_user_data_32;
  }
  if (row[offset + Account.ledger] !== event[at + Account.ledger]) {
    return AccountStatus.exists_with_different_ledger;
  }
  if (codeFlags !== given) return AccountStatus.exists_with_different_code;
  setResultTime(context, row, offset + Account.timestamp);
  return AccountStatus.exists;
}

function regresses(context: EventContext, time: Uint32Array, at: number): boolean {
  const { accounts, transfers } = context.state;
  if (accounts.count > 0) {
    const last = accounts.count - 1;
    const offset = accounts.offsetOf(last) + Account.timestamp;
    if (compare64(time, at, accounts.chunkOf(last), offset) <= 0) return true;
  }
  return context.state.hasTimestamp(transfers, Transfer.timestamp, time, at);
}
