/** Housekeeping: regularly deletes what has expired. Every worker may sweep, since sweeping twice does nothing. */
import type { Logger } from 'pino';
import { sleep, systemTimers } from '../../base/timers.ts';

/** Sweeps by name, which is for the log. Each does a bounded piece of work and returns the number of deleted rows. */
type Sweeps = Readonly<Record<string, () => Promise<number>>>;

const everyMs = 10 * 60_000;
/** Maximum number of pieces of one sweep in a round. The rest waits for the next round. */
const piecesMax = 100;

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
        await this.#sweep(name, sweep);
      }
      await sleep(systemTimers, everyMs, signal);
    }
  }

  /** Repeats a sweep until it finds nothing more, the round's share is done, or the process stops. */
  async #sweep(name: string, sweep: () => Promise<number>): Promise<void> {
    let swept = 0;
    try {
      for (let pieces = 0; pieces < piecesMax && !this.#stopping.signal.aborted; pieces += 1) {
        const more = await sweep();
        swept += more;
        if (more === 0) break;
      }
    } catch (error) {
      this.#logger.warn({ err: error, sweep: name }, 'sweeping failed');
    }
    if (swept > 0) this.#logger.info({ sweep: name, swept }, 'swept');
  }
}
