/** What is past its time is swept now and then; every process may, since sweeping twice does nothing. */
import type { Logger } from 'pino';
import { sleep, systemTimers } from '../../base/timers.ts';
import { sweepIdempotencyKeys } from './idempotency.ts';
import type { Store } from './store.ts';

const everyMs = 60 * 60 * 1_000;

export class Housekeeping {
  readonly #store: Store;
  readonly #logger: Logger;
  readonly #stopping = new AbortController();
  #run: Promise<void> | undefined;

  constructor(store: Store, logger: Logger) {
    this.#store = store;
    this.#logger = logger;
  }

  start(): void {
    this.#run ??= this.#sweepNowAndThen();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#run;
  }

  async #sweepNowAndThen(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        const idempotencyKeys = await sweepIdempotencyKeys(this.#store.read);
        this.#logger.debug({ idempotencyKeys }, 'swept');
      } catch (error) {
        this.#logger.warn({ err: error }, 'sweeping the store failed');
      }
      await sleep(systemTimers, everyMs, signal);
    }
  }
}
