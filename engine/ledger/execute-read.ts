/** Replies of operations that only read. */
import { assert } from '../../base/assert.ts';
import { Expiry, Transfer } from './layout.ts';
import { AccountBalance, Account, ChangeEvent, WireTransfer } from '../wire/records.ts';
import type { LedgerState } from './ledger-state.ts';
import { Action, type LedgerOperation } from './operations.ts';
import { findHistoryAccount, selectChangeEvents } from './queries.ts';
import {
  askForTransfers,
  writeAccount,
  writeAccountBalance,
  writeExpiryEvent,
  writeTransfer,
  writeTransferEvent,
} from './read-reply.ts';
import type { ReplyWriter } from './reply.ts';
import { compare64 } from './words.ts';

const ID_WORDS = 4;

interface Read {
  readonly state: LedgerState;
  readonly reply: ReplyWriter;
  readonly events: Uint32Array;
  /** Maximum number of records in the reply. */
  readonly limitMax: number;
}

/** Writes the reply's body and returns it. `found` returns the records that a query's filters have found. */
export function writeReply(
  read: Read,
  { action, shape }: LedgerOperation,
  counts: readonly number[],
  found: (batch: number) => Uint32Array,
): Uint8Array {
  const { reply } = read;
  reply.begin();
  let at = 0;
  for (const [batch, count] of counts.entries()) {
    writeBatch(read, action, { at, count, hits: found(batch) });
    at += (count * shape.eventSize) / 4;
    reply.endBatch(shape);
  }
  return reply.end(shape);
}

interface Batch {
  /** Offset of its first event, in words. */
  readonly at: number;
  readonly count: number;
  readonly hits: Uint32Array;
}

function writeBatch(read: Read, action: Action, { at, count, hits }: Batch): void {
  switch (action) {
    case Action.lookupAccounts:
      lookupAccounts(read, at, count);
      break;
    case Action.lookupTransfers:
      lookupTransfers(read, at, count);
      break;
    case Action.getAccountTransfers:
    case Action.queryTransfers:
      writeTransfers(read, hits);
      break;
    case Action.getAccountBalances:
      writeAccountBalances(read, at, hits);
      break;
    case Action.queryAccounts:
      writeAccounts(read, hits);
      break;
    case Action.getChangeEvents:
      getChangeEvents(read);
      break;
    case Action.createAccounts:
    case Action.createTransfers:
      assert(false, 'creations are committed, not read');
  }
}

function lookupAccounts({ state, reply, events }: Read, at: number, count: number): void {
  for (let i = 0; i < count; i += 1) {
    const account = state.findAccount(events, at + i * ID_WORDS);
    if (account === -1) continue;
    writeAccount(state, account, reply.words, reply.at);
    reply.at += Account.words;
  }
}

function lookupTransfers({ state, reply, events }: Read, at: number, count: number): void {
  for (let i = 0; i < count; i += 1) {
    const found = state.findTransfer(events, at + i * ID_WORDS);
    if (found <= 0) continue;
    writeTransfer(state, found - 1, reply.words, reply.at);
    reply.at += WireTransfer.words;
  }
}

function writeAccounts({ state, reply }: Read, hits: Uint32Array): void {
  for (let i = 0; i < hits.length; i += 1) {
    writeAccount(state, hits[i]!, reply.words, reply.at);
    reply.at += Account.words;
  }
}

function writeTransfers({ state, reply }: Read, hits: Uint32Array): void {
  // What is written without a row would be written again.
  if (!askForTransfers(state, hits)) return;
  for (let i = 0; i < hits.length; i += 1) {
    writeTransfer(state, hits[i]!, reply.words, reply.at);
    reply.at += WireTransfer.words;
  }
}

function writeAccountBalances({ state, reply, events }: Read, at: number, hits: Uint32Array): void {
  const account = findHistoryAccount(state, events, at);
  if (account === -1) return;
  for (let i = 0; i < hits.length; i += 1) {
    writeAccountBalance(state, account, hits[i]!, reply.words, reply.at);
    reply.at += AccountBalance.words;
  }
}

/** Writes transfers and expiries, merged by timestamp. */
function getChangeEvents({ state, reply, events, limitMax }: Read): void {
  const range = selectChangeEvents(state, events, limitMax);
  // Without the rows that bound it, the range means nothing.
  if (range === undefined || !state.access.isComplete) return;
  let transfer = range.transfers.from;
  let expiry = range.expiries.from;
  for (let i = 0; i < range.limit; i += 1) {
    const hasTransfer = transfer < range.transfers.end;
    const hasExpiry = expiry < range.expiries.end;
    if (!hasTransfer && !hasExpiry) return;
    if (hasTransfer && (!hasExpiry || isTransferFirst(state, transfer, expiry))) {
      writeTransferEvent(state, transfer, reply.words, reply.at);
      transfer += 1;
    } else {
      writeExpiryEvent(state, expiry, reply.words, reply.at);
      expiry += 1;
    }
    reply.at += ChangeEvent.words;
  }
}

function isTransferFirst(state: LedgerState, transfer: number, expiry: number): boolean {
  const { transfers, expiries } = state;
  return (
    compare64(
      transfers.chunkOf(transfer),
      transfers.offsetOf(transfer) + Transfer.timestamp,
      expiries.chunkOf(expiry),
      expiries.offsetOf(expiry) + Expiry.timestamp,
    ) <= 0
  );
}
