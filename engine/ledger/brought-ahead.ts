/**
 * Rows that were brought for the operations that wait: the next one, and some behind it, whose pages are read with its own. Each has its
 * own rows, which stay until it is executed: the cache may have lost their pages by then.
 */
import { Brought } from './cold-rows.ts';

/** More than have pages read at a time (replica/execution-queue.ts). */
const OPERATIONS_MAX = 8;

export class BroughtAhead {
  /** By timestamp, those that were prepared first before the others. */
  readonly #rows = new Map<bigint, Brought>();
  readonly #none = new Brought();

  /** Returns the rows of an operation that is being prepared. */
  prepared(timestamp: bigint): Brought {
    const known = this.#rows.get(timestamp);
    if (known !== undefined) return known;
    const brought = new Brought();
    this.#rows.set(timestamp, brought);
    // One that was prepared may never be executed.
    const [oldest] = this.#rows.keys();
    if (this.#rows.size > OPERATIONS_MAX) this.#rows.delete(oldest!);
    return brought;
  }

  /** Returns the rows of the operation that is executed now. */
  of(timestamp: bigint): Brought {
    return this.#rows.get(timestamp) ?? this.#none;
  }

  /** Drops the rows of this operation and of those before it. */
  executed(timestamp: bigint): void {
    for (const one of this.#rows.keys()) if (one <= timestamp) this.#rows.delete(one);
  }
}
