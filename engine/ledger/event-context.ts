/** Context that the checks of one event read and write besides the event itself. */
import type { LedgerState } from './ledger-state.ts';
import type { UndoLog } from './undo-log.ts';

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
}

export function setResultTime(context: EventContext, from: Uint32Array, at: number): void {
  context.times[Time.result] = from[at]!;
  context.times[Time.result + 1] = from[at + 1]!;
}
