/**
 * Looks where a database is while calls to it have no connection. With another shape it has other addresses, and a caller who
 * waits for an answer sends nothing that would tell them.
 */
import { sleep, type Timers } from '../../base/timers.ts';
import type { Target } from './connection.ts';

/** Time between two looks. */
const lookMs = 500;

interface Asked {
  /** Where it was when that was last told. */
  readonly target: Target;
  /** Calls have no answer yet. */
  readonly busy: boolean;
  /** Calls have no answer yet, and no connection on which it could come. */
  readonly cutOff: boolean;
  readonly follow: (target: Target, anyway?: boolean) => void;
}

export class Whereabouts {
  readonly #asked: Asked;
  readonly #timers: Timers;
  readonly #ended = new AbortController();
  #watching = false;

  constructor(asked: Asked, timers: Timers) {
    this.#asked = asked;
    this.#timers = timers;
  }

  /** Watches until all calls have been answered. */
  watch(): void {
    if (!this.#watching) void this.#watch();
  }

  end(): void {
    this.#ended.abort();
  }

  async #watch(): Promise<void> {
    const { signal } = this.#ended;
    this.#watching = true;
    while (this.#asked.busy && !signal.aborted) {
      await sleep(this.#timers, lookMs, signal);
      if (this.#asked.cutOff && !signal.aborted) await this.#look(signal);
    }
    this.#watching = false;
  }

  async #look(signal: AbortSignal): Promise<void> {
    const { target } = this.#asked;
    let found: Target | undefined;
    try {
      found = await target.again?.();
    } catch {
      // The store is away: a later look may find it, and each call has its deadline.
      return;
    }
    // What was read later and is older is a row that went back, with a PostgreSQL that was restored: its versions begin before.
    const isLast = this.#asked.target === target;
    if (found !== undefined && !signal.aborted) this.#asked.follow(found, isLast);
  }
}
