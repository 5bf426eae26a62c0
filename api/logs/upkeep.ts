/** Maintains the table of log lines: partitions, and the bound of each database. */
import type { Logger } from 'pino';
import { RepeatingTask } from '../../base/repeating-task.ts';
import { keepLogDays, trimLogs } from '../store/log-writes.ts';
import type { Store } from '../store/store.ts';
import { storeTime } from '../store/time.ts';

const everyMs = 30_000;

export class LogUpkeep {
  readonly #task: RepeatingTask;
  readonly #store: Pick<Store, 'read'>;
  readonly #logger: Logger;

  constructor(store: Pick<Store, 'read'>, logger: Logger) {
    this.#store = store;
    this.#logger = logger;
    this.#task = new RepeatingTask({
      everyMs,
      run: () => this.keep(),
      onFailure: (error) => logger.warn({ err: error }, 'old log lines were not removed'),
    });
  }

  start(): void {
    this.#task.start();
  }

  stop(): Promise<void> {
    return this.#task.stop();
  }

  /** Goes by the store's clock: a worker whose clock is ahead would drop days that are not over. */
  async keep(): Promise<void> {
    const { read } = this.#store;
    const dropped = await keepLogDays(read, await storeTime(read));
    const removed = await trimLogs(read);
    if (dropped + removed > 0) {
      this.#logger.info({ dropped, removed }, 'old log lines were removed');
    }
  }
}
