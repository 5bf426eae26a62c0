/** Maintains the table of log lines: partitions, and the bound of each database. */
import type { Logger } from 'pino';
import { RepeatingTask } from '../../base/repeating-task.ts';
import { keepLogDays, trimLogs } from '../store/log-writes.ts';
import type { Store } from '../store/store.ts';

const everyMs = 30_000;

export class LogUpkeep {
  readonly #task: RepeatingTask;

  constructor(store: Pick<Store, 'read'>, logger: Logger) {
    this.#task = new RepeatingTask({
      everyMs,
      run: async () => {
        const dropped = await keepLogDays(store.read, new Date());
        const removed = await trimLogs(store.read);
        if (dropped + removed > 0) logger.info({ dropped, removed }, 'old log lines were removed');
      },
      onFailure: (error) => logger.warn({ err: error }, 'old log lines were not removed'),
    });
  }

  start(): void {
    this.#task.start();
  }

  stop(): Promise<void> {
    return this.#task.stop();
  }
}
