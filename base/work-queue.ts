/**
 * A queue of keys. One worker at a time works on a key; a key that is added meanwhile runs once more afterwards, however
 * often it was added. Memory is bounded by the number of keys.
 *
 * Work reads the newest state and returns when it wants to run next; so a run cancels the earlier plans for its key, and of
 * several plans the soonest counts.
 */
import { assert } from './assert.ts';
import { backoffMs, type BackoffRange } from './backoff.ts';
import { systemTimers, type Timers } from './timers.ts';

interface WorkQueueOptions {
  /** Must not reject: an exception is a bug. `waitedMs` is the time since the key was due. */
  readonly work: (key: string, waitedMs: number) => Promise<void>;
  /** Maximum number of keys in work at once. Default 10. */
  readonly concurrency?: number;
  /** Delay before a retry. Default 5 ms to 60 s. */
  readonly backoff?: BackoffRange;
  readonly timers?: Timers;
  readonly random?: () => number;
}

export class WorkQueue {
  readonly #work: (key: string, waitedMs: number) => Promise<void>;
  readonly #concurrency: number;
  readonly #backoff: BackoffRange;
  readonly #timers: Timers;
  readonly #random: () => number;
  /** Due keys, in the order in which they became due, with that time. */
  readonly #due = new Map<string, number>();
  readonly #inFlight = new Map<
    string,
    { readonly startedAtMs: number; readonly end: Promise<void> }
  >();
  /** Keys in flight that were added again, with the time of that. */
  readonly #again = new Map<string, number>();
  readonly #planned = new Map<string, { readonly atMs: number; readonly cancel: () => void }>();
  readonly #failures = new Map<string, number>();
  #retries = 0;
  #stopped = false;

  constructor(options: WorkQueueOptions) {
    this.#work = options.work;
    this.#concurrency = options.concurrency ?? 10;
    this.#backoff = options.backoff ?? { baseMs: 5, maxMs: 60_000 };
    this.#timers = options.timers ?? systemTimers;
    this.#random = options.random ?? Math.random;
    assert(this.#concurrency >= 1, 'a queue needs a worker');
  }

  /** Makes the key due now. */
  add(key: string): void {
    if (this.#stopped) return;
    const nowMs = this.#timers.nowMs();
    const waiting = this.#inFlight.has(key) ? this.#again : this.#due;
    if (!waiting.has(key)) waiting.set(key, nowMs);
    this.#dispatch();
  }

  /** Makes the key due in `ms`, unless it is planned for sooner. */
  addAfter(key: string, ms: number): void {
    if (this.#stopped) return;
    const atMs = this.#timers.nowMs() + Math.max(0, ms);
    const planned = this.#planned.get(key);
    if (planned !== undefined && planned.atMs <= atMs) return;
    planned?.cancel();
    const cancel = this.#timers.after(Math.max(0, ms), () => {
      this.#planned.delete(key);
      this.add(key);
    });
    this.#planned.set(key, { atMs, cancel });
  }

  /** Makes the key due after a wait that doubles with each failure since the last `forget`, and is at least `leastMs`. */
  retry(key: string, leastMs = 0): void {
    if (this.#stopped) return;
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    this.#retries += 1;
    this.addAfter(key, Math.max(leastMs, backoffMs(failures, this.#backoff, this.#random)));
  }

  /** Resets the number of the key's failures. */
  forget(key: string): void {
    this.#failures.delete(key);
  }

  /** Number of the key's failures since the last `forget`. */
  failures(key: string): number {
    return this.#failures.get(key) ?? 0;
  }

  /** Keys that have failed since their last `forget`, with the number of failures. */
  get failing(): ReadonlyMap<string, number> {
    return this.#failures;
  }

  /** Number of due keys that wait for a worker. */
  get depth(): number {
    return this.#due.size + this.#again.size;
  }

  get inFlight(): number {
    return this.#inFlight.size;
  }

  get retries(): number {
    return this.#retries;
  }

  /** Time in ms for which the longest waiting key has been due. */
  get oldestAgeMs(): number {
    const [first] = this.#due.values();
    const oldest = Math.min(first ?? Infinity, ...this.#again.values());
    return oldest === Infinity ? 0 : this.#timers.nowMs() - oldest;
  }

  /** Time in ms for which the longest run has been going on. */
  get longestRunMs(): number {
    let oldest = Infinity;
    for (const { startedAtMs } of this.#inFlight.values()) oldest = Math.min(oldest, startedAtMs);
    return oldest === Infinity ? 0 : this.#timers.nowMs() - oldest;
  }

  /** Starts nothing more, and waits for work in flight. Returns false if some still runs after `waitMaxMs`. */
  async stop(waitMaxMs: number): Promise<boolean> {
    this.#stopped = true;
    this.#due.clear();
    this.#again.clear();
    for (const { cancel } of this.#planned.values()) cancel();
    this.#planned.clear();
    if (this.#inFlight.size === 0) return true;
    const ended = Promise.all([...this.#inFlight.values()].map(({ end }) => end)).then(() => true);
    let cancel = () => {};
    const late = new Promise<false>((resolve) => {
      cancel = this.#timers.after(waitMaxMs, () => resolve(false));
    });
    const inTime = await Promise.race([ended, late]);
    cancel();
    return inTime;
  }

  #dispatch(): void {
    for (const [key, dueAtMs] of this.#due) {
      if (this.#inFlight.size >= this.#concurrency) return;
      this.#due.delete(key);
      this.#planned.get(key)?.cancel();
      this.#planned.delete(key);
      const startedAtMs = this.#timers.nowMs();
      // Begins in a microtask, so that the work never runs within the call that added the key.
      const end = Promise.resolve()
        .then(() => this.#work(key, startedAtMs - dueAtMs))
        .finally(() => this.#finished(key));
      this.#inFlight.set(key, { startedAtMs, end });
    }
  }

  #finished(key: string): void {
    this.#inFlight.delete(key);
    const askedAtMs = this.#again.get(key);
    this.#again.delete(key);
    if (askedAtMs !== undefined && !this.#stopped) this.#due.set(key, askedAtMs);
    this.#dispatch();
  }
}
