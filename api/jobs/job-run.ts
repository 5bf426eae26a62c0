/** The run of one job in a worker: from taking it to giving it back, with the heartbeats of its lease. */
import type { Logger } from 'pino';
import { backoffMs } from '../../base/backoff.ts';
import { sleep, type Timers } from '../../base/timers.ts';
import { systemAuthor } from '../model/actor.ts';
import type { Change } from '../store/change.ts';
import {
  endJob,
  JobLeaseLost,
  lockLeased,
  releaseJob,
  renewLease,
  writeProgress,
  type JobEnd,
  type LeasedJob,
} from '../store/job-leases.ts';
import type { Store } from '../store/store.ts';
import type { JobContext, JobHandler, JobHooks, JobOutcome } from './handler.ts';
import type { Job, JobProgress, StepStatus } from '../model/job.ts';
import { advance } from './steps.ts';

interface JobRunOptions {
  readonly leased: LeasedJob;
  readonly handler: JobHandler;
  readonly store: Store;
  readonly leaseMs: number;
  readonly timers: Timers;
  readonly hooks: JobHooks;
  readonly logger: Logger;
}

/** The reason for which a handler must end. */
type Ended = 'deadline' | 'cancel' | 'lost' | 'stop';

/** Time for a handler to end before its job continues without it: longer than any of its requests takes. */
const settleMs = 12_000;
/** Maximum of a Node timer; a longer one fires at once. */
const longestTimerMs = 2 ** 31 - 1;
const troubleBackoff = { baseMs: 1_000, maxMs: 60_000 };

export class JobRun {
  readonly #options: JobRunOptions;
  readonly #abort = new AbortController();
  readonly #over = new AbortController();
  #ended: Ended | undefined;
  #renewedAtMs: number;
  #looking = false;

  constructor(options: JobRunOptions) {
    this.#options = options;
    this.#renewedAtMs = options.timers.nowMs();
  }

  get jobId(): string {
    return this.#options.leased.job.id;
  }

  /** Works on the job until it is ended or given back. Throws `JobLeaseLost`, or the store's errors. */
  async work(): Promise<void> {
    const { timers, leased } = this.#options;
    const { deadlineInMs } = leased;
    const cancelDeadline = timers.after(Math.min(Math.max(0, deadlineInMs), longestTimerMs), () =>
      this.#end('deadline'),
    );
    const heartbeats = this.#keepLease();
    try {
      const outcome = deadlineInMs <= 0 ? undefined : await this.#handle();
      await this.#finish(outcome);
    } finally {
      cancelDeadline();
      this.#over.abort();
      await heartbeats;
    }
  }

  /** Tells the handler to end because the process stops. */
  stop(): void {
    this.#end('stop');
  }

  /** Abandons the job when the process ends: no more heartbeats, no more writes. Its lease runs out. */
  forsake(): void {
    this.#end('lost');
    this.#over.abort();
  }

  /** Checks after a write to the job whether it is still ours and wanted. The next heartbeat reports failures. */
  look(): void {
    if (this.#looking) return;
    this.#looking = true;
    this.#renew()
      .catch(() => {})
      .finally(() => {
        this.#looking = false;
      });
  }

  #end(why: Ended): void {
    // The first reason counts, except that a lost lease overrides it: after that, nothing may be written.
    if (this.#ended === undefined || why === 'lost') this.#ended = why;
    this.#abort.abort(new Error(`the job's work is to end: ${why}`));
  }

  /** Returns the handler's outcome or the error that it threw; `undefined` if it was told to end and has not. */
  async #handle(): Promise<JobOutcome | Error | undefined> {
    const { leased, handler, timers } = this.#options;
    const canceling = leased.job.status === 'CANCELING';
    if (canceling && handler.cancel === undefined) return { kind: 'canceled' };
    const context = this.#context();
    const said = (
      canceling ? handler.cancel?.(context) : handler.run(context)
    ) as Promise<JobOutcome>;
    const answer = said.catch((error: unknown) =>
      error instanceof Error
        ? error
        : new Error('a handler threw a value that is no error', { cause: error }),
    );
    const toldToEnd = new Promise<undefined>((resolve) => {
      const { signal } = this.#abort;
      const grace = () =>
        void sleep(timers, settleMs, this.#over.signal).then(() => resolve(undefined));
      if (signal.aborted) grace();
      else signal.addEventListener('abort', grace);
    });
    return Promise.race([answer, toldToEnd]);
  }

  #context(): JobContext {
    const { leased, store, logger } = this.#options;
    const write = async <T>(work: (change: Change, job: Job) => Promise<T>): Promise<T> => {
      if (this.#ended === 'lost') throw new JobLeaseLost(`${leased.job.id} is another's`);
      return store.change(systemAuthor('worker', leased.job.requestId), async (change) =>
        work(change, await lockLeased(change, leased)),
      );
    };
    const step = async (name: string, status: StepStatus, shown?: Partial<JobProgress>) => {
      await write(async (change, job) => {
        const next = advance(job, name, status, new Date().toISOString(), shown);
        await writeProgress(change, job, next);
      });
      logger.info({ step: name, stepStatus: status }, 'step');
    };
    return { job: leased.job, signal: this.#abort.signal, write, step };
  }

  async #finish(outcome: JobOutcome | Error | undefined): Promise<void> {
    const { leased, handler } = this.#options;
    if (this.#ended === 'lost') throw new JobLeaseLost(`${leased.job.id} is another's`);
    const said = outcome instanceof Error ? undefined : outcome;
    // Success counts, even if the handler was told to end meanwhile.
    if (said?.kind === 'succeeded') {
      return this.#endAs({ status: 'SUCCEEDED', error: null, retryable: false });
    }
    if (said?.kind === 'canceled' && leased.job.status === 'CANCELING') {
      const retryable = handler.cancel !== undefined && (said.retryable ?? true);
      return this.#endAs({ status: 'CANCELED', error: null, retryable });
    }
    if (this.#ended === 'deadline' || leased.deadlineInMs <= 0) {
      return this.#endAs({ status: 'FAILED', error: this.#deadlineError(), retryable: true });
    }
    if (said?.kind === 'failed') {
      return this.#endAs({ status: 'FAILED', error: said.error, retryable: said.retryable });
    }
    return this.#giveBack(outcome);
  }

  #deadlineError() {
    const running = this.#options.leased.job.steps.find(({ status }) => status === 'RUNNING');
    const at = running === undefined ? '' : ` It was at ${running.name}.`;
    return {
      code: 'job_deadline_exceeded',
      message: `The job did not end before its deadline.${at} Retry the job.`,
    };
  }

  async #giveBack(outcome: JobOutcome | Error | undefined): Promise<void> {
    const { leased, store, hooks, logger } = this.#options;
    const { job } = leased;
    if (outcome instanceof Error && this.#ended === undefined) {
      const failures = job.failures + 1;
      const afterMs = Math.round(backoffMs(failures, troubleBackoff, Math.random));
      logger.warn(
        { err: outcome, failures, retryInMs: afterMs },
        'an attempt of a job failed; trying again',
      );
      hooks.troubled(job.type);
      await releaseJob(store.read, leased, {
        afterMs,
        failures,
        waiting: job.status === 'WAITING',
      });
      return;
    }
    const again = !(outcome instanceof Error) && outcome?.kind === 'again' ? outcome : undefined;
    await releaseJob(store.read, leased, {
      // A job that was told to end continues at once: to be cancelled, or in another worker.
      afterMs: this.#ended === undefined ? (again?.afterMs ?? 0) : 0,
      failures: job.failures,
      waiting: again?.waiting ?? false,
    });
  }

  async #endAs(end: JobEnd): Promise<void> {
    const { leased, store, handler, hooks, logger } = this.#options;
    const author = systemAuthor('worker', leased.job.requestId);
    const ended = await store.change(author, async (change) => {
      const job = await endJob(change, await lockLeased(change, leased), end);
      await handler.ended?.(change, job);
      return job;
    });
    hooks.ended(ended.type, end.status);
    logger.info({ status: end.status, code: end.error?.code }, 'the job ended');
  }

  async #keepLease(): Promise<void> {
    const { timers, leaseMs, logger } = this.#options;
    const { signal } = this.#over;
    let waitMs = leaseMs / 3;
    while (!signal.aborted) {
      await sleep(timers, waitMs, signal);
      if (signal.aborted) return;
      try {
        await this.#renew();
        waitMs = leaseMs / 3;
      } catch (error) {
        logger.warn({ err: error }, 'a job’s lease could not be renewed');
        waitMs = Math.min(1_000, leaseMs / 10);
        // By the server's clock the lease may run out at any moment; stop before another worker takes the job.
        if (timers.nowMs() - this.#renewedAtMs > 0.8 * leaseMs) this.#end('lost');
      }
    }
  }

  async #renew(): Promise<void> {
    const { store, leased, leaseMs, timers } = this.#options;
    const asked = timers.nowMs();
    const status = await renewLease(store.read, leased, leaseMs);
    // After the job's end its token is gone, so the lease is not lost.
    if (this.#over.signal.aborted) return;
    if (status === 'lost') this.#end('lost');
    else this.#renewedAtMs = asked;
    if (status === 'CANCELING' && leased.job.status !== 'CANCELING') this.#end('cancel');
  }
}
