/** Runs a kind's reconcile function for the keys of its queue, and decides what follows from how it ended. */
import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import type { BackoffRange } from './backoff.ts';
import { startDeadline } from './deadline.ts';
import { ApiError } from './kube.ts';
import { LostLeadership } from './lost-leadership.ts';
import type { OperatorMetrics, ReconcileResult } from './operator-metrics.ts';
import { systemTimers, type Timers } from './timers.ts';
import { WorkQueue } from './work-queue.ts';

export interface Key {
  readonly namespace: string | undefined;
  readonly name: string;
}

export interface Outcome {
  /** Visited again after that, even if nothing changes. */
  readonly requeueAfterMs?: number | undefined;
}

export interface ReconcileContext {
  /** Carries kind, namespace, name and reconcileId. */
  readonly logger: Logger;
  /** Aborts at the deadline and when the controller stops: to be handed to whatever waits. */
  readonly signal: AbortSignal;
}

export interface ControllerOptions {
  readonly kind: string;
  readonly reconcile: (key: Key, context: ReconcileContext) => Promise<Outcome>;
  readonly logger: Logger;
  readonly metrics: OperatorMetrics;
  /** A write was refused because the lease is lost. No key is worked on after it. */
  readonly onLostLeadership: () => void;
  /** Default 10. */
  readonly concurrency?: number;
  /** Of one reconcile. Default 60,000. */
  readonly deadlineMs?: number;
  readonly backoff?: BackoffRange;
  readonly timers?: Timers;
  readonly random?: () => number;
}

export interface Controller {
  enqueue(key: Key): void;
  enqueueAfter(key: Key, ms: number): void;
  /** Copies depth and age of the queue into the metrics; for each scrape. */
  measure(): void;
  /** What is wrong when a reconcile goes on long after its deadline: it holds its key, and a worker. */
  stuck(): string | undefined;
  /** Waits for those in flight for half of the time, aborts them, and waits again. False when some never ended. */
  stop(waitMaxMs: number): Promise<boolean>;
}

/** Least wait after an answer 409: the cache should have seen by then what moved. */
const conflictWaitMs = 50;

export function createController(options: ControllerOptions): Controller {
  const { kind, metrics, logger, onLostLeadership } = options;
  const timers = options.timers ?? systemTimers;
  const deadlineMs = options.deadlineMs ?? 60_000;
  const stopping = new AbortController();
  let lost = false;

  const queue = new WorkQueue({
    work: async (written, waitedMs) => {
      if (lost) return;
      metrics.queueWaitSeconds.observe({ kind }, waitedMs / 1_000);
      const startedAtMs = timers.nowMs();
      const result = await runOnce(written);
      metrics.reconciles.increment({ kind, result });
      metrics.reconcileSeconds.observe({ kind }, (timers.nowMs() - startedAtMs) / 1_000);
    },
    timers,
    ...(options.concurrency === undefined ? {} : { concurrency: options.concurrency }),
    ...(options.backoff === undefined ? {} : { backoff: options.backoff }),
    ...(options.random === undefined ? {} : { random: options.random }),
  });

  const runOnce = async (written: string): Promise<ReconcileResult> => {
    const key = readKey(written);
    const child = logger.child({ kind, ...key, reconcileId: randomUUID() });
    const deadline = startDeadline(timers, deadlineMs, stopping.signal);
    try {
      const { requeueAfterMs } = await options.reconcile(key, {
        logger: child,
        signal: deadline.signal,
      });
      queue.forget(written);
      if (requeueAfterMs === undefined) return 'success';
      queue.addAfter(written, requeueAfterMs);
      return 'requeue';
    } catch (error) {
      return failed(written, error, child);
    } finally {
      deadline.clear();
    }
  };

  const failed = (written: string, error: unknown, child: Logger): ReconcileResult => {
    if (error instanceof LostLeadership) {
      lost = true;
      onLostLeadership();
      return 'stopped';
    }
    if (stopping.signal.aborted) return 'stopped';
    if (error instanceof ApiError && error.status === 409) {
      // Someone else wrote first, which is how it should be told: the next run sees it.
      queue.retry(written, conflictWaitMs);
      child.debug({ err: error }, 'reconcile met a conflict');
      return 'conflict';
    }
    metrics.queueRetries.increment({ kind });
    queue.retry(written, error instanceof ApiError ? error.retryAfterMs : 0);
    child.error({ err: error, failures: queue.failures(written) }, 'reconcile failed');
    return 'error';
  };

  return {
    enqueue: (key) => queue.add(writeKey(key)),
    enqueueAfter: (key, ms) => queue.addAfter(writeKey(key), ms),
    measure: () => {
      metrics.queueDepth.set({ kind }, queue.depth);
      metrics.queueOldest.set({ kind }, queue.oldestAgeMs / 1_000);
    },
    stuck: () =>
      queue.longestRunMs > 5 * deadlineMs
        ? `a reconcile of ${kind} goes on for ${Math.round(queue.longestRunMs / 1_000)} s`
        : undefined,
    stop: async (waitMaxMs) => {
      if (await queue.stop(waitMaxMs / 2)) return true;
      stopping.abort(new Error('the operator stops'));
      return queue.stop(waitMaxMs / 2);
    },
  };
}

/** Neither part can hold a slash. */
const writeKey = ({ namespace, name }: Key): string => `${namespace ?? ''}/${name}`;

function readKey(written: string): Key {
  const slash = written.indexOf('/');
  const namespace = written.slice(0, slash);
  return { namespace: namespace === '' ? undefined : namespace, name: written.slice(slash + 1) };
}
