/** Context that the checks of one event read and write besides the event itself. */
import type { LedgerState } from './ledger-state.ts';
import type { UndoLog } from './undo-log.ts';
import { WireTransfer } from '../wire/records.ts';
import { idSlot } from './sealed-answers.ts';

/** Offsets of u64 values in `EventContext.times`. */
export const Time = { batch: 0, slot: 2, result: 4, words: 6 } as const;

export interface EventContext {
  readonly state: LedgerState;
  readonly undo: UndoLog;
  /**
   * Time.batch: timestamp of the batch's last event. Time.slot: this event's timestamp. Time.result: timestamp in the
   * event's result; it starts as the slot's, and the checks overwrite it if it differs.
   */
  readonly times: Uint32Array;
  /** Hashes of each transfer's ids in the batch: IdHash.words an event. */
  readonly hashes: Int32Array;
  /** Offset of the present event's hashes. */
  hashesAt: number;
}

/** Offsets of hashes in an event's part of `EventContext.hashes`. */
export const IdHash = {
  transfer: 0,
  /** 16 more bits of the transfer's hash. */
  transferLower: 1,
  debitAccount: 2,
  creditAccount: 3,
  words: 4,
} as const;

/**
 * Hashes the ids of `count` transfers, and loads the slots of the indexes and the accounts' rows into the processor's cache: reads
 * in a row overlap, while each look-up on its own waits for memory.
 */
export function prepareTransfers(
  { state, hashes }: EventContext,
  events: Uint32Array,
  at: number,
  count: number,
): void {
  for (let i = 0; i < count; i += 1) {
    const event = at + i * WireTransfer.words;
    const to = i * IdHash.words;
    hashes[to] = state.hashOf(events, event);
    hashes[to + IdHash.transferLower] = state.hashLower;
    hashes[to + IdHash.debitAccount] = state.hashOf(events, event + WireTransfer.debitAccountId);
    hashes[to + IdHash.creditAccount] = state.hashOf(events, event + WireTransfer.creditAccountId);
  }
  for (let i = 0; i < count; i += 1) {
    const hash = i * IdHash.words;
    const event = at + i * WireTransfer.words;
    state.touchTransferId(events, event, hashes[hash]!, idSlot(event));
    state.touchAccount(hashes[hash + IdHash.debitAccount]!);
    state.touchAccount(hashes[hash + IdHash.creditAccount]!);
  }
}

export function setResultTime(context: EventContext, from: Uint32Array, at: number): void {
  context.times[Time.result] = from[at]!;
  context.times[Time.result + 1] = from[at + 1]!;
}
