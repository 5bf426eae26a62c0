/**
 * Queue of reads that need more than one step. In each turn of the event loop only one of them makes a step, in rotation,
 * so that requests, commits and heartbeats wait for at most one step. A short read is done at once, in its first step. The
 * number of sessions bounds the queue: a read is dropped when its client no longer waits or has lost its session.
 *
 * A read that lacks pages leaves the rotation until they are brought. Only a few do so at a time, because each holds the rows
 * that were brought for it. The others wait, and look again for what they lack when one of those is over.
 */
import type { Needs } from '../ledger/cold-rows.ts';
import type { ReadStep } from '../ledger/ledger-read.ts';

interface QueuedRead {
  /** Works for a bounded time. Returns true when the read is done, or the pages that it lacks. */
  step(): ReadStep;
  /** Returns false if nobody waits for the read any more. */
  isWanted(): boolean;
  /** Called right after the last step. */
  done(): void;
  /** Called if its pages could not be brought. It is dropped. */
  failed(error: unknown): void;
}

/** Brings pages. Rejects if one is damaged. */
type Bring = (needs: Needs) => Promise<void>;

interface ReadQueueOptions {
  /** Schedules a callback after other work that is due. */
  readonly soon: (callback: () => void) => void;
  readonly bring: Bring;
}

/** Reads for which pages are being brought, or were: each may hold the rows of a full reply. */
const COLD_READS_MAX = 8;

export class ReadQueue {
  readonly #options: ReadQueueOptions;
  readonly #reads: QueuedRead[] = [];
  /** Reads that lacked pages and are not done. */
  readonly #cold = new Set<QueuedRead>();
  /** Reads that lack pages, and wait until fewer others do. Which pages shows in their next step: by then the index may have others. */
  readonly #waiting: QueuedRead[] = [];
  #isScheduled = false;

  constructor(options: ReadQueueOptions) {
    this.#options = options;
  }

  /** Number of reads in progress. */
  get size(): number {
    return this.#reads.length + this.#cold.size + this.#waiting.length;
  }

  begin(read: QueuedRead): void {
    this.#step(read);
    this.#schedule();
  }

  /** Makes a step, and puts the read where it belongs then. */
  #step(read: QueuedRead): void {
    const step = read.step();
    if (step === true) {
      this.#end(read);
      read.done();
    } else if (step === false) this.#reads.push(read);
    else if (this.#cold.has(read) || this.#cold.size < COLD_READS_MAX) this.#bring(read, step);
    else this.#waiting.push(read);
  }

  #bring(read: QueuedRead, needs: Needs): void {
    this.#cold.add(read);
    this.#options.bring(needs).then(
      () => {
        this.#reads.push(read);
        this.#schedule();
      },
      (error: unknown) => {
        this.#end(read);
        if (read.isWanted()) read.failed(error);
      },
    );
  }

  /** Another read may have this one's place. */
  #end(read: QueuedRead): void {
    if (!this.#cold.delete(read)) return;
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      if (!next.isWanted()) continue;
      this.#cold.add(next);
      this.#reads.push(next);
      this.#schedule();
      return;
    }
  }

  #schedule(): void {
    if (this.#isScheduled || this.#reads.length === 0) return;
    this.#isScheduled = true;
    this.#options.soon(() => {
      this.#isScheduled = false;
      this.#goOn();
      this.#schedule();
    });
  }

  #goOn(): void {
    for (let read = this.#reads.shift(); read !== undefined; read = this.#reads.shift()) {
      if (!read.isWanted()) {
        this.#end(read);
        continue;
      }
      this.#step(read);
      return;
    }
  }
}
