/**
 * Execution of one batch: chains, the checks common to all events, timestamps, results.
 *
 * Each event has its own timestamp slot, T - n + i + 1, used or not. A chain is a run of events with `linked` and the first
 * event without it. Either all of its events are created or none, and it never extends beyond its batch.
 */
import { createAccount } from './create-account.ts';
import { createTransfer } from './create-transfer.ts';
import { type EventContext, IdHash, PREPARED, prepareTransfers, Time } from './event-context.ts';
import { Account, WireTransfer } from '../wire/records.ts';
import { AccountFlag, TransferFlag } from '../wire/flags.ts';
import { AccountStatus, CREATED, isTransient, TransferStatus } from '../wire/statuses.ts';
import { compare64, isTimestamp, offset64 } from './words.ts';

/** Words of a result: timestamp u64, status u32, reserved u32. */
export const RESULT_WORDS = 4;

export const EventKind = { account: 0, transfer: 1 } as const;
export type EventKind = (typeof EventKind)[keyof typeof EventKind];

/**
 * Words of an event. Accounts and transfers have flags, timestamp and id at the same offsets, but different codes for
 * shared statuses.
 */
const EVENT_WORDS = Account.words;
const LINKED = AccountFlag.linked;
const statuses = [AccountStatus, TransferStatus] as const;
const importedFlags = [AccountFlag.imported, TransferFlag.imported] as const;

interface Batch {
  readonly kind: EventKind;
  readonly events: Uint32Array;
  /** Offset of the first event, in words. */
  readonly at: number;
  readonly count: number;
  /** Receives the dense results from its beginning on, RESULT_WORDS each. */
  readonly results: Uint32Array;
  /** Whether each event is created at its own timestamp, imported or not. They must rise, also from batch to batch. */
  readonly keepsTimes: boolean;
}

/** Runs a batch whose last event has the timestamp `context.times[Time.batch]`. */
export function executeBatch(context: EventContext, batch: Batch): void {
  const { undo, times } = context;
  const { kind, events, results, count, keepsTimes } = batch;
  if (count === 0) return;
  const failed = statuses[kind].linked_event_failed;
  const isImportedBatch = (flagsOf(events, batch.at) & importedFlags[kind]) !== 0;
  let chainStart = -1;
  let isBroken = false;
  for (let i = 0; i < count; i += 1) {
    const at = batch.at + i * EVENT_WORDS;
    if (kind === EventKind.transfer && i % PREPARED === 0)
      prepareTransfers(context, events, batch.at, { first: i, end: Math.min(count, i + PREPARED) });
    context.hashesAt = i * IdHash.words;
    if (keepsTimes) {
      times[Time.slot] = events[at + WireTransfer.timestamp]!;
      times[Time.slot + 1] = events[at + WireTransfer.timestamp + 1]!;
    } else offset64(times, Time.slot, times, Time.batch, i + 1 - count);
    times[Time.result] = times[Time.slot]!;
    times[Time.result + 1] = times[Time.slot + 1]!;
    const isLinked = (flagsOf(events, at) & LINKED) !== 0;
    if (isLinked && chainStart === -1) {
      chainStart = i;
      undo.open();
    }
    let status: number;
    if (isLinked && i === count - 1) status = statuses[kind].linked_event_chain_open;
    else if (isBroken) status = failed;
    else {
      status = keepsTimes
        ? createEvent(context, kind, events, at)
        : executeEvent(context, kind, events, at, isImportedBatch);
    }
    writeResult(results, i * RESULT_WORDS, times, status);
    if (chainStart !== -1 && status !== CREATED && !isBroken) {
      isBroken = true;
      undo.rollback();
      for (let j = chainStart; j < i; j += 1) {
        results[j * RESULT_WORDS + 2] = failed;
      }
    }
    // Burn the id after the rollback, which must not undo it.
    if (kind === EventKind.transfer && isTransient(status)) context.state.burnId(events, at);
    if (chainStart !== -1 && !isLinked) {
      chainStart = -1;
      isBroken = false;
      undo.close();
    }
  }
  undo.close();
}

function executeEvent(
  context: EventContext,
  kind: EventKind,
  events: Uint32Array,
  at: number,
  isImportedBatch: boolean,
): number {
  const status = statuses[kind];
  const isImported = (flagsOf(events, at) & importedFlags[kind]) !== 0;
  if (isImported !== isImportedBatch) {
    return isImported ? status.imported_event_not_expected : status.imported_event_expected;
  }
  const time = at + WireTransfer.timestamp;
  if (isImported) {
    if (!isTimestamp(events, time)) return status.imported_event_timestamp_out_of_range;
    if (compare64(events, time, context.times, Time.batch) >= 0) {
      return status.imported_event_timestamp_must_not_advance;
    }
  } else if ((events[time]! | events[time + 1]!) !== 0) return status.timestamp_must_be_zero;
  return createEvent(context, kind, events, at);
}

function createEvent(
  context: EventContext,
  kind: EventKind,
  events: Uint32Array,
  at: number,
): number {
  return kind === EventKind.transfer
    ? createTransfer(context, events, at)
    : createAccount(context, events, at);
}

function flagsOf(events: Uint32Array, at: number): number {
  return events[at + WireTransfer.codeFlags]! >>> 16;
}

function writeResult(results: Uint32Array, at: number, times: Uint32Array, status: number): void {
  results[at] = times[Time.result]!;
  results[at + 1] = times[Time.result + 1]!;
  results[at + 2] = status;
  results[at + 3] = 0;
}
