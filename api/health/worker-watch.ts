/**
 * View of the workers from a process of the API, by their heartbeats in the store. It reads them now and then, so that neither a
 * request nor a scrape of the metrics asks the store.
 */
import type { Logger } from 'pino';
import type { MetricRegistry } from '../../base/metrics/metrics.ts';
import { RepeatingTask } from '../../base/repeating-task.ts';
import { systemTimers, type Timers } from '../../base/timers.ts';
import type { WorkerSighting } from '../store/workers.ts';

interface WorkerWatchOptions {
  /** Lists the latest heartbeats, the newest first. */
  readonly list: () => Promise<readonly WorkerSighting[]>;
  readonly logger: Logger;
  readonly timers?: Timers;
}

export interface WorkersState {
  /** UNKNOWN: the store has not been read lately. */
  readonly status: 'RUNNING' | 'STOPPED' | 'UNKNOWN';
  /** Number of workers that live. */
  readonly alive: number;
  /** Time of the newest heartbeat; null: there has never been one, or it is not known. */
  readonly lastSeenAt: Date | null;
  /** Reason why no worker can work, though some live; null: there is none. */
  readonly problem: string | null;
}

const everyMs = 2_000;
/** Maximum age of the heartbeat of a living worker: six heartbeats. */
const silenceMaxMs = 30_000;

interface Seen {
  readonly workers: readonly WorkerSighting[];
  readonly atMs: number;
}

export class WorkerWatch {
  readonly #timers: Timers;
  readonly #task: RepeatingTask;
  #seen: Seen | undefined;

  constructor({ list, logger, timers = systemTimers }: WorkerWatchOptions) {
    this.#timers = timers;
    this.#task = new RepeatingTask({
      everyMs,
      timers,
      run: async () => {
        const workers = await list();
        this.#seen = { workers, atMs: timers.nowMs() };
      },
      onFailure: (error) =>
        logger.warn({ err: error }, 'the heartbeats of the workers cannot be read'),
    });
  }

  start(): void {
    this.#task.start();
  }

  stop(): Promise<void> {
    return this.#task.stop();
  }

  get state(): WorkersState {
    const seen = this.#seen;
    const sinceMs = seen === undefined ? Infinity : this.#timers.nowMs() - seen.atMs;
    if (seen === undefined || sinceMs > silenceMaxMs) {
      return { status: 'UNKNOWN', alive: 0, lastSeenAt: null, problem: null };
    }
    const [newest] = seen.workers;
    // A heartbeat ages until the next look too, but only a look can find that there was no other one.
    const living = seen.workers.filter(({ ageMs, stopped }) => !stopped && ageMs < silenceMaxMs);
    const works = living.some(({ problem }) => problem === null);
    return {
      status: living.length > 0 ? 'RUNNING' : 'STOPPED',
      alive: living.length,
      lastSeenAt: newest?.seenAt ?? null,
      problem: works ? null : (living[0]?.problem ?? null),
    };
  }

  /** Whether the rows of the store follow the cluster: a worker lives and can work. */
  get working(): boolean {
    const { status, problem } = this.state;
    return status === 'RUNNING' && problem === null;
  }

  measure(registry: MetricRegistry, prefix: string): void {
    registry.gauge(
      `${prefix}workers`,
      'Workers that live, by their heartbeats; -1 while the store cannot be read.',
      () => (this.state.status === 'UNKNOWN' ? -1 : this.state.alive),
    );
    registry.gauge(
      `${prefix}worker_working`,
      '1 while some worker lives and can work; -1 while the store cannot be read.',
      () => (this.state.status === 'UNKNOWN' ? -1 : Number(this.working)),
    );
  }
}
