/** What the checks of one event read and write besides the event itself. */
import type { LedgerState } from './ledger-state.ts';
import type { UndoLog } from './undo-log.ts';

/** Offsets of u64 values in `EventContext.times`. */
export const Time = { batch: 0, slot: 2, result: 4, words: 6 } as const;

export interface EventContext {
  readonly state: LedgerState;
  readonly undo: UndoLog;
  /**
   * Time.batch: the timestamp of the batch's last event; Time.slot: this event's; Time.result: what its result will say,
   * set to the slot's beforehand and overwritten by the checks when it differs.
   */
  readonly times: Uint32Array;
}

export function setResultTime(context: EventContext, from: Uint32Array, at: number): void {
  context.times[Time.result] = from[at]!;
  context.times[Time.result + 1] = from[at + 1]!;
}
