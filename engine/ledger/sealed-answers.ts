/**
 * What an operation has learned about its transfers' ids from the sealed segments of the index. An operation looks for each id
 * several times: once in each run before its pages are there, and once when it is executed. With dozens of segments that are larger than the
 * processor's caches, each of these look-ups waits for memory dozens of times. As long as the same rows are in segments, however they are
 * merged, the answer is the same. Rows that operations before this one add are young: they are looked for each time.
 */
import { WireTransfer } from '../wire/records.ts';

/** The id has not been looked for, or a page was absent. */
export const UNKNOWN = -2;

/** Slots of an event of create_transfers: its own id, and then that of the pending transfer that it resolves. */
const SLOTS_PER_EVENT = 2;

/** Words of an event for each of its slots: a power of two. */
const SLOT_SHIFT = Math.log2(WireTransfer.words / SLOTS_PER_EVENT);

/** Returns the slot of an event's own id. `at` is the event's offset in its operation, in words. */
export const idSlot = (at: number): number => at >>> SLOT_SHIFT;

/** Returns the slot of the id of the pending transfer that an event resolves. */
export const pendingIdSlot = (at: number): number => idSlot(at) + 1;

export class SealedAnswers {
  /** Whether answers are taken: an operation is being prepared. */
  isLearning = false;
  /** Row + 2 of each slot: 0 is UNKNOWN, 1 says that no segment has the id. */
  #rows = new Int32Array(0);
  #body: Uint8Array | undefined;
  #sealedEnd = 0;

  /**
   * Begins a run of the operation that is being prepared, or is executed. The answers of its earlier runs stay, if `sealedEnd`, the rows
   * that are in segments, is the same.
   */
  begin(body: Uint8Array, sealedEnd: number, isPrepared: boolean): void {
    this.isLearning = isPrepared;
    const last = this.#body;
    const isSame =
      sealedEnd === this.#sealedEnd &&
      body.buffer === last?.buffer &&
      body.byteOffset === last.byteOffset &&
      body.length === last.length;
    if (isSame) return;
    this.#sealedEnd = sealedEnd;
    this.#body = isPrepared ? body : undefined;
    const slots = isPrepared ? idSlot(body.length / 4) : 0;
    if (this.#rows.length < slots) this.#rows = new Int32Array(slots);
    else this.#rows.fill(0);
  }

  /** Returns the row that a slot's id has in the segments, -1 if it is in none of them, or UNKNOWN. */
  rowOf(slot: number): number {
    return slot < this.#rows.length ? this.#rows[slot]! - 2 : UNKNOWN;
  }

  /** Takes the answer of a look-up for which no page was absent: a row, or -1. */
  put(slot: number, row: number): void {
    this.#rows[slot] = row + 2;
  }
}
