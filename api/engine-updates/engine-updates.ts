/** The worker's part of engine updates: tells what the catalog announces, and applies what it forces. */
import type { Logger } from 'pino';
import { RepeatingTask } from '../../base/repeating-task.ts';
import type { BeginningServices } from '../configuration/start-queued.ts';
import { forcedToLookAt, type ForcedUpdate } from '../store/engine-notices.ts';
import { StoreUnavailable } from '../store/store-errors.ts';
import { storeTime } from '../store/time.ts';
import { announce } from './announce.ts';
import { applyForced } from './apply-forced.ts';

const everyMs = 5_000;
const atOnce = 20;

export class EngineUpdates {
  readonly #services: BeginningServices;
  readonly #logger: Logger;
  readonly #task: RepeatingTask;

  constructor(services: BeginningServices, logger: Logger) {
    this.#services = services;
    this.#logger = logger;
    this.#task = new RepeatingTask({
      everyMs,
      run: (signal) => this.#round(signal),
      onFailure: (error) => {
        if (error instanceof StoreUnavailable) return;
        logger.error({ err: error }, 'engine updates could not be looked at');
      },
    });
  }

  start(): void {
    this.#task.start();
  }

  stop(): Promise<void> {
    return this.#task.stop();
  }

  async #round(signal: AbortSignal): Promise<void> {
    const { store, catalog } = this.#services;
    const spec = catalog()?.spec;
    if (spec === undefined) return;
    const now = await storeTime(store.read);
    await announce(store, spec, now.getTime(), signal);
    for (let last: ForcedUpdate | undefined; ;) {
      const page = await forcedToLookAt(store.read, atOnce, last);
      for (const update of page) {
        if (signal.aborted) return;
        await this.#apply(update);
      }
      if (page.length < atOnce) return;
      last = page.at(-1);
    }
  }

  /** A failure here stops no other update; the next round tries again. */
  async #apply(update: ForcedUpdate): Promise<void> {
    const spec = this.#services.catalog()?.spec;
    if (spec === undefined) return;
    try {
      await applyForced(this.#services, spec, update);
    } catch (error) {
      const { databaseId, version } = update;
      this.#logger.warn(
        { err: error, databaseId, version },
        'a forced version could not be applied yet',
      );
    }
  }
}
