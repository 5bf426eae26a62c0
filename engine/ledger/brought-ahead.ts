/**
 * What operations that wait have of their own: the next one, and some behind it, whose pages are read with its own. Each has the rows that
 * were brought for it, which stay until it is executed: the cache may have lost their pages by then. And each has what it has learned of its
 * ids, so that its next run, after others were prepared, does not look for them again.
 */
import { Brought } from './cold-rows.ts';
import { SealedAnswers } from './sealed-answers.ts';

/** More than have pages read at a time (replica/execution-queue.ts). */
const OPERATIONS_MAX = 8;

class Own {
  readonly rows = new Brought();
  readonly answers = new SealedAnswers();
}

export class BroughtAhead {
  /** By timestamp, those that were prepared first before the others. */
  readonly #own = new Map<bigint, Own>();
  readonly #none = new Own();

  /** Returns what an operation that is being prepared has. */
  prepared(timestamp: bigint): Own {
    const known = this.#own.get(timestamp);
    if (known !== undefined) return known;
    const own = new Own();
    this.#own.set(timestamp, own);
    // One that was prepared may never be executed.
    const [oldest] = this.#own.keys();
    if (this.#own.size > OPERATIONS_MAX) this.#own.delete(oldest!);
    return own;
  }

  /** Returns what the operation that is executed now has. */
  of(timestamp: bigint): Own {
    return this.#own.get(timestamp) ?? this.#none;
  }

  /** Drops what this operation has, and those before it. */
  executed(timestamp: bigint): void {
    for (const one of this.#own.keys()) if (one <= timestamp) this.#own.delete(one);
  }
}
