/** Polls for changed jobs, with one query for all waiters of this process: notifications are hints that may be lost. */
import { systemTimers } from '../../base/timers.ts';
import { jobVersions } from '../store/jobs.ts';
import { onNobodysBehalf } from '../store/connection-shares.ts';
import type { Store } from '../store/store.ts';

interface Waiter {
  readonly id: string;
  readonly afterVersion: number;
  readonly wake: () => void;
}

const everyMs = 2_000;
const polls = new WeakMap<Store, JobPoll>();

export class JobPoll {
  readonly #store: Store;
  readonly #waiters = new Set<Waiter>();
  #cancel: (() => void) | undefined;

  private constructor(store: Store) {
    this.#store = store;
  }

  /** Returns the poll of a store. */
  static of(store: Store): JobPoll {
    const poll = polls.get(store) ?? new JobPoll(store);
    polls.set(store, poll);
    return poll;
  }

  /** Calls `wake` when the job of this UUID has a later version or no longer exists. The returned function ends it. */
  watch(waiter: Waiter): () => void {
    this.#waiters.add(waiter);
    this.#schedule();
    return () => {
      this.#waiters.delete(waiter);
      if (this.#waiters.size > 0) return;
      this.#cancel?.();
      this.#cancel = undefined;
    };
  }

  #schedule(): void {
    this.#cancel ??= systemTimers.after(everyMs, () => {
      void this.#look().finally(() => {
        this.#cancel = undefined;
        if (this.#waiters.size > 0) this.#schedule();
      });
    });
  }

  async #look(): Promise<void> {
    const ids = new Set([...this.#waiters].map(({ id }) => id));
    let versions: ReadonlyMap<string, number>;
    try {
      versions = await onNobodysBehalf(() => jobVersions(this.#store.read, [...ids]));
    } catch {
      // Each waiter reads the job itself when its time is over, and meets the failure there.
      return;
    }
    for (const { id, afterVersion, wake } of this.#waiters) {
      if (ids.has(id) && (versions.get(id) ?? Infinity) > afterVersion) wake();
    }
  }
}
