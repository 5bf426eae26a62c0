/** Heartbeat of a worker process in the store, by which the API's processes know that one works. */
import type { Logger } from 'pino';
import { sleep, systemTimers, type Timers } from '../../base/timers.ts';
import type { Store } from '../store/store.ts';
import { beat, endHeartbeat } from '../store/workers.ts';

export interface HeartbeatOptions {
  readonly store: Store;
  /** Identity of the process. */
  readonly id: string;
  readonly version: string;
  /** Returns the reason why the process cannot work now; null: it works. */
  readonly problem: () => string | null;
  readonly logger: Logger;
  readonly timers?: Timers;
}

const everyMs = 5_000;

export class WorkerHeartbeat {
  readonly #options: HeartbeatOptions;
  readonly #timers: Timers;
  readonly #stopping = new AbortController();
  #run: Promise<void> | undefined;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
    this.#timers = options.timers ?? systemTimers;
  }

  start(): void {
    this.#run ??= this.#repeat();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#run;
  }

  async #repeat(): Promise<void> {
    const { store, id, version, problem, logger } = this.#options;
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      try {
        await beat(store.read, { id, version, problem: problem() });
      } catch (error) {
        logger.warn({ err: error }, 'the heartbeat was not written');
      }
      await sleep(this.#timers, everyMs, signal);
    }
    try {
      await endHeartbeat(store.read, id);
    } catch (error) {
      logger.warn({ err: error }, 'the end of the heartbeat was not written');
    }
  }
}
