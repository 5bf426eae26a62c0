/** Last sampled use of all databases, held in memory, so that reading a database costs no further query. */
import type { Logger } from 'pino';
import { RepeatingTask } from '../../base/repeating-task.ts';
import { latestReadings, sampleMs, type LatestReadings } from '../store/metric-samples.ts';
import type { Store } from '../store/store.ts';
import { usageOf, type Usage } from './current.ts';

/** Age at which a sample no longer describes the present. */
const staleMs = 90_000;

export class UsageView {
  readonly #task: RepeatingTask;
  readonly #store: Store;
  #usage = new Map<string, Usage>();

  constructor(store: Store, logger: Logger) {
    this.#store = store;
    this.#task = new RepeatingTask({
      everyMs: sampleMs,
      run: () => this.read(),
      onFailure: (error) => logger.warn({ err: error }, 'the use of databases could not be read'),
    });
  }

  start(): void {
    this.#task.start();
  }

  stop(): Promise<void> {
    return this.#task.stop();
  }

  /** Null: nothing is known about the last minute. */
  of(databaseId: string): Usage | null {
    const usage = this.#usage.get(databaseId);
    if (usage === undefined || Date.now() - Date.parse(usage.at) > staleMs) return null;
    return usage;
  }

  /** Reads the newest samples. Rejects if the store does not answer. */
  async read(): Promise<void> {
    const byDatabase = new Map<string, LatestReadings[]>();
    for (const sample of await latestReadings(this.#store.read)) {
      const own = byDatabase.get(sample.databaseId) ?? [];
      own.push(sample);
      byDatabase.set(sample.databaseId, own);
    }
    const usage = new Map<string, Usage>();
    for (const [id, samples] of byDatabase) {
      const one = usageOf(samples);
      if (one !== null) usage.set(id, one);
    }
    this.#usage = usage;
  }
}
