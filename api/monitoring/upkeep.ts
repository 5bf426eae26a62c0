/** Maintains the tables of figures: partitions, roll-ups, and the removal of old rows. */
import type { Logger } from 'pino';
import { RepeatingTask } from '../../base/repeating-task.ts';
import type { OnUnreadable } from '../store/metric-packs.ts';
import { keepPartitions, rollUp } from '../store/metric-rollups.ts';
import type { Store } from '../store/store.ts';
import { storeTime } from '../store/time.ts';

const everyMs = 30_000;

export class MetricUpkeep {
  readonly #task: RepeatingTask;
  readonly #store: Pick<Store, 'read'>;
  readonly #logger: Logger;
  readonly #onUnreadable: OnUnreadable;

  constructor(store: Pick<Store, 'read'>, logger: Logger, onUnreadable: OnUnreadable) {
    this.#store = store;
    this.#logger = logger;
    this.#onUnreadable = onUnreadable;
    this.#task = new RepeatingTask({
      everyMs,
      run: () => this.keep(),
      onFailure: (error) => logger.warn({ err: error }, 'figures were not rolled up'),
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
    const now = await storeTime(read);
    const dropped = await keepPartitions(read, now);
    if (dropped > 0) this.#logger.info({ dropped }, 'days of figures were dropped');
    await rollUp(read, now, this.#onUnreadable);
  }
}
