/**
 * Looks for every row that an operation may read, so that those that have left memory are noted as absent (cold-rows.ts). It
 * changes nothing. It may look for more than the operation reads: the checks of an event may end before.
 */
import { Account, WireTransfer } from '../wire/records.ts';
import { AccountFlag, TransferFlag } from '../wire/flags.ts';
import { Operation } from '../wire/operations.ts';
import { dueTransfers } from './expire-transfers.ts';
import { Transfer } from './layout.ts';
import { EVENTS_MAX, type LedgerState } from './ledger-state.ts';
import { Action, ledgerOperation } from './operations.ts';
import { batchCounts } from './reply.ts';
import { RowFlag } from './row-values.ts';
import { idSlot, pendingIdSlot } from './sealed-answers.ts';
import { wordsOf, writeBigint64 } from './words.ts';

const RESOLVING = TransferFlag.post_pending_transfer | TransferFlag.void_pending_transfer;
const EVENT_WORDS = WireTransfer.words;
const amount = new Uint32Array(4);
/** Ids whose filters are read in a row: of dozens of segments, those still fit into the processor's cache. */
const GROUP = 64;
/** Hashes of the operation's ids. */
const hashes = new Int32Array(EVENTS_MAX);
const lowers = new Uint16Array(EVENTS_MAX);

export function touchOperation(
  state: LedgerState,
  operation: number,
  timestamp: bigint,
  body: Uint8Array,
): void {
  if (operation === Operation.pulse) {
    const time = new Uint32Array(2);
    writeBigint64(time, 0, timestamp);
    for (const transfer of dueTransfers(state, time, 0).slice()) {
      touchTransfer(state, transfer);
      touchAccountsOf(state, transfer);
    }
    return;
  }
  const { action, shape } = ledgerOperation(operation);
  const events = wordsOf(body);
  const count = batchCounts(shape, body).reduce((sum, batch) => sum + batch, 0);
  if (action === Action.createTransfers) touchTransfers(state, events, count);
  else touchCreatedAccounts(state, events, count);
}

function touchTransfers(state: LedgerState, events: Uint32Array, count: number): void {
  for (let i = 0; i < count; i += 1) {
    hashes[i] = state.hashOf(events, i * EVENT_WORDS);
    lowers[i] = state.hashLower;
  }
  state.screenTransferIds({ events, hashes, lowers, count });
  for (let first = 0; first < count; first += GROUP)
    touchGroup(state, events, first, Math.min(first + GROUP, count));
}

function touchGroup(state: LedgerState, events: Uint32Array, first: number, end: number): void {
  for (let i = first; i < end; i += 1) {
    const at = i * EVENT_WORDS;
    state.touchTransferId(events, at, hashes[i]!, idSlot(at));
  }
  for (let i = first; i < end; i += 1) {
    const at = i * EVENT_WORDS;
    const existing = state.findTransfer(events, at, hashes[i], lowers[i], idSlot(at));
    if (existing > 0) touchTransfer(state, existing - 1);
    const flags = events[at + WireTransfer.codeFlags]! >>> 16;
    if ((flags & RESOLVING) === 0) {
      if (state.accounts.coldEnd === 0) continue;
      touchAccount(state, events, at + WireTransfer.debitAccountId);
      touchAccount(state, events, at + WireTransfer.creditAccountId);
    } else {
      const pendingId = at + WireTransfer.pendingId;
      const hash = state.hashOf(events, pendingId);
      const { hashLower } = state;
      const pending = state.findTransfer(events, pendingId, hash, hashLower, pendingIdSlot(at));
      if (pending > 0) {
        touchTransfer(state, pending - 1);
        touchAccountsOf(state, pending - 1);
      }
    }
    // The timestamp of an imported transfer must be no account's.
    if ((flags & TransferFlag.imported) === 0 || state.accounts.coldEnd === 0) continue;
    state.hasTimestamp(state.accounts, Account.timestamp, events, at + WireTransfer.timestamp);
  }
}

/** Looks for the account with an id, as it is now. */
function touchAccount(state: LedgerState, id: Uint32Array, at: number): void {
  const account = state.findAccount(id, at);
  if (account !== -1) state.liveAccounts.chunkOf(account);
}

/** Looks for the accounts of a transfer. */
function touchAccountsOf(state: LedgerState, transfer: number): void {
  const { accounts, liveAccounts, transfers } = state;
  if (accounts.coldEnd === 0) return;
  const at = transfers.offsetOf(transfer) + Transfer.debitAccount;
  const row = transfers.chunkOf(transfer);
  const [debit, credit] = [row[at]!, row[at + 1]!];
  // A row that is absent has none.
  if (debit === credit) return;
  liveAccounts.chunkOf(debit);
  liveAccounts.chunkOf(credit);
}

/** An account may exist already. The timestamp of an imported one must be no transfer's. */
function touchCreatedAccounts(state: LedgerState, events: Uint32Array, count: number): void {
  for (let i = 0; i < count; i += 1) {
    const at = i * EVENT_WORDS;
    if (state.accounts.coldEnd > 0) touchAccount(state, events, at);
    const flags = events[at + Account.codeFlags]! >>> 16;
    if ((flags & AccountFlag.imported) === 0) continue;
    state.hasTimestamp(state.transfers, Transfer.timestamp, events, at + Account.timestamp);
  }
}

/** Looks for a transfer's row, and all rows that it refers to. Its accounts' ids and ledger are compared with a transfer that comes again. */
export function touchTransfer(state: LedgerState, transfer: number): void {
  const { transfers, wides } = state;
  const row = transfers.chunkOf(transfer);
  const at = transfers.offsetOf(transfer);
  const flags = row[at + Transfer.codeFlags]! >>> 16;
  if ((flags & RowFlag.wide) !== 0) wides.chunkOf(row[at + Transfer.amount]!);
  if (state.accounts.coldEnd > 0) {
    state.accounts.chunkOf(row[at + Transfer.debitAccount]!);
    state.accounts.chunkOf(row[at + Transfer.creditAccount]!);
  }
  if ((flags & RESOLVING) === 0) return;
  const pending = row[at + Transfer.pendingTransfer]!;
  state.readAmount(transfers.chunkOf(pending), transfers.offsetOf(pending), amount, 0);
}
