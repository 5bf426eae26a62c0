/** Heartbeat of a worker process in the store. It tells the API's processes that a worker runs. */
import type { Logger } from 'pino';
import { RepeatingTask } from '../../base/repeating-task.ts';
import type { Store } from '../store/store.ts';
import { beat, endHeartbeat } from '../store/workers.ts';

interface HeartbeatOptions {
  readonly store: Store;
  /** Identity of the process. */
  readonly id: string;
  readonly version: string;
  /** Returns the reason why the process cannot work now; null: it works. */
  readonly problem: () => string | null;
  readonly logger: Logger;
}

const everyMs = 5_000;

export class WorkerHeartbeat {
  readonly #options: HeartbeatOptions;
  readonly #task: RepeatingTask;

  constructor(options: HeartbeatOptions) {
    const { store, id, version, problem, logger } = options;
    this.#options = options;
    this.#task = new RepeatingTask({
      everyMs,
      run: () => beat(store.read, { id, version, problem: problem() }),
      onFailure: (error) => logger.warn({ err: error }, 'the heartbeat was not written'),
    });
  }

  start(): void {
    this.#task.start();
  }

  /** Ends the heartbeat, so that the API's processes need not wait for its silence. */
  async stop(): Promise<void> {
    await this.#task.stop();
    const { store, id, logger } = this.#options;
    try {
      await endHeartbeat(store.read, id);
    } catch (error) {
      logger.warn({ err: error }, 'the end of the heartbeat was not written');
    }
  }
}
