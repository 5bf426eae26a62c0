/**
 * Merge of sorted runs into one, a slice at a time. A slice takes all entries below a pivot, at most a chunk of them, and
 * sorts them again: for keys without order that is faster than to compare the runs' heads for each entry. Until a merge is
 * over, its entries are in the output and in the rest of its inputs. Entries with equal keys stay in the order of the runs.
 */
import { ENTRIES, newChunk, sortChunk } from './chunk-sort.ts';
import { type ChunkPool, Run } from './run.ts';

/** Runs that are merged into one. */
export const FAN_IN = 8;
/** Maximum number of entries that a slice takes from one run. */
const SHARE = ENTRIES / FAN_IN;
/** More than any key. */
const NO_KEY = 2 ** 31;
const gathered = newChunk();

export class RunMerge {
  /** The oldest run first. */
  readonly inputs: readonly Run[];
  readonly output = new Run();
  readonly #pool: ChunkPool;

  constructor(inputs: readonly Run[], pool: ChunkPool) {
    this.inputs = inputs;
    this.#pool = pool;
  }

  /** Merges at least so many entries, unless fewer are left. Returns true when the merge is over. */
  step(entries: number): boolean {
    const enough = this.output.end + entries;
    while (this.output.end < enough) if (!this.#slice()) return true;
    return this.inputs.every(({ from, end }) => from === end);
  }

  /** Returns false if there is nothing left. */
  #slice(): boolean {
    let head = NO_KEY;
    let pivot = NO_KEY;
    for (const input of this.inputs) {
      if (input.from === input.end) continue;
      head = Math.min(head, input.keyAt(input.from));
      const ahead = input.from + SHARE;
      if (ahead < input.end) pivot = Math.min(pivot, input.keyAt(ahead));
    }
    if (head === NO_KEY) return false;
    if (head === pivot) this.#copyKey(head);
    else this.#sortBelow(pivot, head);
    return true;
  }

  #sortBelow(pivot: number, head: number): void {
    let count = 0;
    let last = head;
    for (const input of this.inputs) {
      const { from } = input;
      const high = Math.min(input.end, from + SHARE);
      const end = pivot === NO_KEY ? high : input.lowerBound(pivot, from, high);
      if (end === from) continue;
      last = Math.max(last, input.keyAt(end - 1));
      input.copyTo(gathered, count, end);
      count += end - from;
      input.consume(end, this.#pool);
    }
    sortChunk(gathered, count, head, last);
    this.output.append(gathered, 0, count, this.#pool);
  }

  /** Moves entries of a key that fills more than a share of a run: at most a chunk of them, those of the oldest run first. */
  #copyKey(key: number): void {
    let left = ENTRIES;
    for (const input of this.inputs) {
      const { from } = input;
      if (left === 0) return;
      if (from === input.end || input.keyAt(from) !== key) continue;
      const end = Math.min(input.endOf(key, from), from + left);
      input.copyTo(gathered, 0, end);
      this.output.append(gathered, 0, end - from, this.#pool);
      left -= end - from;
      input.consume(end, this.#pool);
    }
  }
}
