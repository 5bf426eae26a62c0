/**
 * Reads that need more than one step. All of them together get one step each time the event loop comes round, in turn, so
 * that requests, commits and heartbeats wait for one step at most, whatever is asked. A short read is done in its first
 * step, at once. Bounded by the sessions: a read is left as soon as its client has gone on, or has lost its session.
 */

export interface QueuedRead {
  /** Goes on for a bounded while; true when it is done. */
  step(): boolean;
  /** False when nobody waits for it any more. */
  isWanted(): boolean;
  /** Right after the last step. */
  done(): void;
}

export class ReadQueue {
  /** Calls back after other work that is due. */
  readonly #soon: (callback: () => void) => void;
  readonly #reads: QueuedRead[] = [];
  #isScheduled = false;

  constructor(soon: (callback: () => void) => void) {
    this.#soon = soon;
  }

  /** Reads under way. */
  get size(): number {
    return this.#reads.length;
  }

  begin(read: QueuedRead): void {
    if (read.step()) {
      read.done();
      return;
    }
    this.#reads.push(read);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled || this.#reads.length === 0) return;
    this.#isScheduled = true;
    this.#soon(() => {
      this.#isScheduled = false;
      this.#goOn();
      this.#schedule();
    });
  }

  #goOn(): void {
    for (let read = this.#reads.shift(); read !== undefined; read = this.#reads.shift()) {
      if (!read.isWanted()) continue;
      if (read.step()) read.done();
      else this.#reads.push(read);
      return;
    }
  }
}
