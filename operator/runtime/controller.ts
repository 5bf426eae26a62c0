/** Runs a kind's reconcile function for the keys of its queue, and handles its result. */
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { BackoffRange } from '../../base/backoff.ts';
import { startDeadline } from '../../base/deadline.ts';
import { ApiError } from '../../base/kube/kube.ts';
import { LostLeadership } from '../../base/kube/lost-leadership.ts';
import type { OperatorMetrics, ReconcileResult } from './operator-metrics.ts';
import { systemTimers, type Timers } from '../../base/timers.ts';
import { WorkQueue } from '../../base/work-queue.ts';

export interface Key {
  readonly namespace: string | undefined;
  readonly name: string;
}

export interface Outcome {
  /** Time after which the key is visited again, even if nothing changes. */
  readonly requeueAfterMs?: number | undefined;
}

export interface ReconcileContext {
  /** Logger with kind, namespace, name and reconcileId. */
  readonly logger: Logger;
  /** Aborts at the deadline and when the controller stops. It must be passed to everything that waits. */
  readonly signal: AbortSignal;
}

export interface ControllerOptions {
  readonly kind: string;
  readonly reconcile: (key: Key, context: ReconcileContext) => Promise<Outcome>;
  readonly logger: Logger;
  readonly metrics: OperatorMetrics;
  /** Called when a write was refused because the lease is lost. No key is worked on after it. */
  readonly onLostLeadership: () => void;
  /** Keys worked on at once. Default 10. */
  readonly concurrency?: number;
  /** Timeout of one reconcile. Default 60,000. */
  readonly timeoutMs?: number;
  readonly backoff?: BackoffRange;
  readonly timers?: Timers;
  readonly random?: () => number;
}

/** Minimum wait after an answer 409, in which the cache should receive the change. */
const conflictWaitMs = 50;

export class Controller {
  readonly #options: ControllerOptions;
  readonly #timers: Timers;
  readonly #timeoutMs: number;
  readonly #queue: WorkQueue;
  readonly #stopping = new AbortController();
  #lost = false;

  constructor(options: ControllerOptions) {
    const { concurrency, backoff, random } = options;
    this.#options = options;
    this.#timers = options.timers ?? systemTimers;
    this.#timeoutMs = options.timeoutMs ?? 60_000;
    this.#queue = new WorkQueue({
      work: (written, waitedMs) => this.#work(written, waitedMs),
      timers: this.#timers,
      ...(concurrency === undefined ? {} : { concurrency }),
      ...(backoff === undefined ? {} : { backoff }),
      ...(random === undefined ? {} : { random }),
    });
  }

  enqueue(key: Key): void {
    this.#queue.add(writeKey(key));
  }

  enqueueAfter(key: Key, ms: number): void {
    this.#queue.addAfter(writeKey(key), ms);
  }

  /** Copies depth and age of the queue into the metrics; called for each scrape. */
  measure(): void {
    const { kind, metrics } = this.#options;
    metrics.queueDepth.set({ kind }, this.#queue.depth);
    metrics.queueOldest.set({ kind }, this.#queue.oldestAgeMs / 1_000);
  }

  /** Keys whose last run failed, with the number of consecutive failures. */
  failing(): readonly (readonly [Key, number])[] {
    return [...this.#queue.failing].map(([written, times]) => [readKey(written), times] as const);
  }

  /** Returns a problem when a reconcile goes on long after its deadline: it blocks its key and a worker. */
  stuck(): string | undefined {
    const { longestRunMs } = this.#queue;
    if (longestRunMs <= 5 * this.#timeoutMs) return undefined;
    return `a reconcile of ${this.#options.kind} goes on for ${Math.round(longestRunMs / 1_000)} s`;
  }

  /** Waits for runs in flight for half of the time, aborts them, and waits again. Returns false if some never ended. */
  async stop(waitMaxMs: number): Promise<boolean> {
    if (await this.#queue.stop(waitMaxMs / 2)) return true;
    this.#stopping.abort(new Error('the operator stops'));
    return this.#queue.stop(waitMaxMs / 2);
  }

  async #work(written: string, waitedMs: number): Promise<void> {
    if (this.#lost) return;
    const { kind, metrics } = this.#options;
    metrics.queueWaitSeconds.observe({ kind }, waitedMs / 1_000);
    const startedAtMs = this.#timers.nowMs();
    const result = await this.#reconcile(written);
    metrics.reconciles.inc({ kind, result });
    metrics.reconcileSeconds.observe({ kind }, (this.#timers.nowMs() - startedAtMs) / 1_000);
  }

  async #reconcile(written: string): Promise<ReconcileResult> {
    const { kind, logger, reconcile } = this.#options;
    const key = readKey(written);
    const child = logger.child({ kind, ...key, reconcileId: randomUUID() });
    const deadline = startDeadline(this.#timers, this.#timeoutMs, this.#stopping.signal);
    try {
      const { requeueAfterMs } = await reconcile(key, { logger: child, signal: deadline.signal });
      this.#queue.forget(written);
      if (requeueAfterMs === undefined) return 'success';
      this.#queue.addAfter(written, requeueAfterMs);
      return 'requeue';
    } catch (error) {
      return this.#failed(written, error, child);
    } finally {
      deadline.clear();
    }
  }

  #failed(written: string, error: unknown, logger: Logger): ReconcileResult {
    if (error instanceof LostLeadership) {
      this.#lost = true;
      this.#options.onLostLeadership();
      return 'stopped';
    }
    if (this.#stopping.signal.aborted) return 'stopped';
    const { kind, metrics } = this.#options;
    metrics.queueRetries.inc({ kind });
    if (error instanceof ApiError && error.status === 409) {
      // Another writer was first, which is normal: the next run sees its change.
      this.#queue.retry(written, conflictWaitMs);
      logger.debug({ err: error }, 'reconcile met a conflict');
      return 'conflict';
    }
    this.#queue.retry(written, error instanceof ApiError ? error.retryAfterMs : 0);
    logger.error({ err: error, failures: this.#queue.failures(written) }, 'reconcile failed');
    return 'error';
  }
}

/** Queue key of an object. Neither part can contain a slash. */
const writeKey = ({ namespace, name }: Key): string => `${namespace ?? ''}/${name}`;

function readKey(written: string): Key {
  const slash = written.indexOf('/');
  const namespace = written.slice(0, slash);
  return { namespace: namespace === '' ? undefined : namespace, name: written.slice(slash + 1) };
}
