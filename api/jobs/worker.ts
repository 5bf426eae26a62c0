/**
 * The worker: takes jobs that are due, several at a time, each under a lease, and calls their handlers. It may be killed at any
 * moment: another worker takes its jobs once the leases have run out.
 */
import type { Logger } from 'pino';
import { backoffMs } from '../../base/backoff.ts';
import { sleep, systemTimers, type Timers } from '../../base/timers.ts';
import { JobLeaseLost, nextDueInMs, takeJobs, type LeasedJob } from '../store/job-leases.ts';
import { channels, type Listener } from '../store/listener.ts';
import { uuidOf } from '../store/ids.ts';
import type { Store } from '../store/store.ts';
import type { JobHandler, JobHooks } from './handler.ts';
import type { JobType } from '../model/job.ts';
import { JobRun } from './job-run.ts';

export type JobHandlers = Readonly<Record<JobType, JobHandler>>;

export interface WorkerOptions {
  readonly store: Store;
  readonly listener: Listener;
  readonly handlers: JobHandlers;
  /** Identity of the process, shown beside the lease. */
  readonly owner: string;
  readonly logger: Logger;
  readonly hooks: JobHooks;
  /** Maximum of concurrent jobs. */
  readonly concurrency?: number;
  /** Lease of a job: the time for which a dead worker keeps it. */
  readonly leaseMs?: number;
  /** Poll interval without notifications. */
  readonly pollMs?: number;
  readonly timers?: Timers;
}

const trouble = { baseMs: 500, maxMs: 10_000 };
/** Minimum time between polls: a due job that cannot be taken must not cause a busy loop. */
const shortestWaitMs = 50;

export class Worker {
  readonly #options: Required<WorkerOptions>;
  readonly #types: readonly JobType[];
  readonly #runs = new Map<string, { run: JobRun; done: Promise<void> }>();
  readonly #stopping = new AbortController();
  #wake: (() => void) | undefined;
  #woken = false;
  #loop: Promise<void> | undefined;

  constructor(options: WorkerOptions) {
    this.#options = {
      concurrency: 8,
      leaseMs: 30_000,
      pollMs: 5_000,
      timers: systemTimers,
      ...options,
    };
    this.#types = Object.keys(options.handlers) as JobType[];
  }

  start(): void {
    this.#loop ??= this.#work();
  }

  /** Number of jobs that the worker runs. */
  get busy(): number {
    return this.#runs.size;
  }

  /**
   * Takes no more jobs and tells the running ones to end. Jobs that end in time are given back, so that another worker can take
   * them at once. The others are taken when their leases have run out.
   */
  async stop(withinMs: number): Promise<void> {
    this.#stopping.abort();
    this.#wakeUp();
    await this.#loop;
    for (const { run } of this.#runs.values()) run.stop();
    const settled = Promise.all([...this.#runs.values()].map(({ done }) => done));
    const patience = new AbortController();
    await Promise.race([settled, sleep(this.#options.timers, withinMs, patience.signal)]);
    patience.abort();
    for (const { run } of this.#runs.values()) run.forsake();
  }

  async #work(): Promise<void> {
    const { listener, logger, timers } = this.#options;
    const unsubscribe = [
      listener.subscribe(channels.jobDue, () => this.#wakeUp()),
      listener.subscribe(channels.job, (uuid) => this.#jobWritten(uuid)),
    ];
    let failures = 0;
    while (!this.#stopping.signal.aborted) {
      this.#woken = false;
      let waitMs: number;
      try {
        waitMs = await this.#takeSome();
        failures = 0;
      } catch (error) {
        failures += 1;
        waitMs = backoffMs(failures, trouble, Math.random);
        logger.warn({ err: error, failures, retryInMs: waitMs }, 'jobs cannot be taken');
      }
      await this.#rest(waitMs, timers);
    }
    for (const end of unsubscribe) end();
  }

  /** Takes jobs that are due. Returns the time until the next one may be taken. */
  async #takeSome(): Promise<number> {
    const { store, owner, concurrency, leaseMs, pollMs } = this.#options;
    const limit = concurrency - this.#runs.size;
    // The end of a job wakes the loop.
    if (limit === 0) return pollMs;
    const taken = await takeJobs(store.read, { owner, types: this.#types, leaseMs, limit });
    for (const leased of taken) this.#begin(leased);
    if (taken.length === limit) return 0;
    const dueInMs = await nextDueInMs(store.read, this.#types);
    return Math.min(pollMs, Math.max(shortestWaitMs, dueInMs ?? pollMs));
  }

  #begin(leased: LeasedJob): void {
    const { store, logger, leaseMs, timers, hooks, handlers } = this.#options;
    const { id, type, requestId } = leased.job;
    const log = logger.child({ jobId: id, jobType: type, requestId });
    const run = new JobRun({
      leased,
      handler: handlers[type],
      store,
      leaseMs,
      timers,
      hooks,
      logger: log,
    });
    const done = run
      .work()
      .catch((error: unknown) => {
        if (error instanceof JobLeaseLost) log.info('the job is no longer this worker’s');
        // The result was not written: the lease runs out, and the job is taken again.
        else log.warn({ err: error }, 'a job could not be written');
      })
      .finally(() => {
        this.#runs.delete(leased.token);
        this.#wakeUp();
      });
    this.#runs.set(leased.token, { run, done });
  }

  /** Checks a job after a write: it may have been cancelled. */
  #jobWritten(uuid: string | undefined): void {
    for (const { run } of this.#runs.values()) {
      if (uuid === undefined || uuidOf(run.jobId) === uuid) run.look();
    }
  }

  #wakeUp(): void {
    this.#woken = true;
    this.#wake?.();
  }

  /** Waits, at most until something wakes the worker. */
  #rest(ms: number, timers: Timers): Promise<void> {
    if (this.#woken || this.#stopping.signal.aborted || ms <= 0) return Promise.resolve();
    return new Promise((resolve) => {
      const end = () => {
        cancel();
        this.#wake = undefined;
        resolve();
      };
      const cancel = timers.after(ms, end);
      this.#wake = end;
    });
  }
}
