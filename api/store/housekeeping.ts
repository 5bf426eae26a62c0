/** Housekeeping: sweeps what has expired, now and then. Every worker may sweep, since sweeping twice does nothing. */
import type { Logger } from 'pino';
import { sleep, systemTimers } from '../../base/timers.ts';

/** Sweeps by name, which is for the log. Each returns the number of rows that it swept. */
export type Sweeps = Readonly<Record<string, () => Promise<number>>>;

const everyMs = 10 * 60_000;

export class Housekeeping {
  readonly #sweeps: Sweeps;
  readonly #logger: Logger;
  readonly #stopping = new AbortController();
  #run: Promise<void> | undefined;

  constructor(sweeps: Sweeps, logger: Logger) {
    this.#sweeps = sweeps;
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
      for (const [name, sweep] of Object.entries(this.#sweeps)) {
        try {
          const swept = await sweep();
          if (swept > 0) this.#logger.info({ sweep: name, swept }, 'swept');
        } catch (error) {
          this.#logger.warn({ err: error, sweep: name }, 'sweeping failed');
        }
      }
      await sleep(systemTimers, everyMs, signal);
    }
  }
}
