/** Records attempts of all endpoints of this process together: results gather during a write. */
import type { Logger } from 'pino';
import { backoffMs } from '../../base/backoff.ts';
import { sleep, systemTimers } from '../../base/timers.ts';
import type { Store } from '../store/store.ts';
import { recordAttempts, type AttemptResult } from '../store/webhook-work.ts';

interface Waiting {
  readonly result: AttemptResult;
  readonly done: (recorded: boolean) => void;
}

/** Maximum number of results in one write: at most 1 MiB, by the bounds of an excerpt and of headers. */
const writtenMax = 128;
const tries = 5;
const trouble = { baseMs: 100, maxMs: 2_000 };

export class AttemptRecorder {
  readonly #store: Store;
  readonly #logger: Logger;
  #waiting: Waiting[] = [];
  #writing = false;

  constructor(store: Store, logger: Logger) {
    this.#store = store;
    this.#logger = logger;
  }

  /** Resolves to false if the result could not be recorded: the delivery will be made again. */
  record(result: AttemptResult): Promise<boolean> {
    return new Promise((done) => {
      this.#waiting.push({ result, done });
      if (!this.#writing) void this.#writeAll();
    });
  }

  async #writeAll(): Promise<void> {
    this.#writing = true;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, writtenMax);
      this.#waiting = this.#waiting.slice(writtenMax);
      const recorded = await this.#write(batch.map(({ result }) => result));
      for (const { done } of batch) done(recorded);
    }
    this.#writing = false;
  }

  async #write(results: readonly AttemptResult[]): Promise<boolean> {
    for (let failures = 1; ; failures += 1) {
      try {
        await recordAttempts(this.#store.read, results);
        return true;
      } catch (error) {
        this.#logger.warn({ err: error, failures }, 'attempts of webhooks could not be recorded');
        if (failures === tries) return false;
        await sleep(systemTimers, backoffMs(failures, trouble, Math.random));
      }
    }
  }
}
