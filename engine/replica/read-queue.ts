/**
 * Queue of reads that need more than one step. In each turn of the event loop only one of them makes a step, in rotation,
 * so that requests, commits and heartbeats wait for at most one step. A short read is done at once, in its first step. The
 * number of sessions bounds the queue: a read is dropped when its client no longer waits or has lost its session.
 */

interface QueuedRead {
  /** Works for a bounded time. Returns true when the read is done. */
  step(): boolean;
  /** Returns false if nobody waits for the read any more. */
  isWanted(): boolean;
  /** Called right after the last step. */
  done(): void;
}

export class ReadQueue {
  /** Schedules a callback after other work that is due. */
  readonly #soon: (callback: () => void) => void;
  readonly #reads: QueuedRead[] = [];
  #isScheduled = false;

  constructor(soon: (callback: () => void) => void) {
    this.#soon = soon;
  }

  /** Number of reads in progress. */
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
