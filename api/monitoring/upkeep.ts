/** Maintains the tables of figures: partitions, roll-ups, and the removal of old rows. */
import type { Logger } from 'pino';
import { RepeatingTask } from '../../base/repeating-task.ts';
import { keepPartitions, rollUp } from '../store/metric-rollups.ts';
import type { Store } from '../store/store.ts';

const everyMs = 30_000;

export class MetricUpkeep {
  readonly #task: RepeatingTask;

  constructor(store: Store, logger: Logger) {
    this.#task = new RepeatingTask({
      everyMs,
      run: async () => {
        const now = new Date();
        const dropped = await keepPartitions(store.read, now);
        if (dropped > 0) logger.info({ dropped }, 'days of figures were dropped');
        await rollUp(store.read, now);
      },
      onFailure: (error) => logger.warn({ err: error }, 'figures were not rolled up'),
    });
  }

  start(): void {
    this.#task.start();
  }

  stop(): Promise<void> {
    return this.#task.stop();
  }
}
