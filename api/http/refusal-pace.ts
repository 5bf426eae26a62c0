/**
 * Slows down callers far beyond a rate limit. A refusal costs nearly as much time as a small request, so refusals are answered
 * at most as often as the limit lets requests pass; the others wait, and their connections with them.
 */
import { sleep, systemTimers, type Timers } from '../../base/timers.ts';

/** Refusals a second that are always answered at once, however low the limit is. */
const perSecondMin = 100;
/** Longest wait of a refusal: a caller that may send again after a second is not delayed longer. */
const waitMaxMs = 1_000;
/** Above this number, callers that need not wait are forgotten. */
const knownMax = 1_000;

export class RefusalPace {
  readonly #timers: Timers;
  /** Due time of each caller's next refusal. */
  readonly #dueMs = new Map<string, number>();

  constructor(timers: Timers = systemTimers) {
    this.#timers = timers;
  }

  /** Resolves when the refusal may be answered. `perSecond`: rate of requests that the limit lets pass. */
  async wait(who: string, perSecond: number): Promise<void> {
    const nowMs = this.#timers.nowMs();
    const dueMs = Math.min(Math.max(this.#dueMs.get(who) ?? 0, nowMs), nowMs + waitMaxMs);
    if (this.#dueMs.size >= knownMax) this.#forget(nowMs);
    this.#dueMs.set(who, dueMs + 1_000 / Math.max(perSecond, perSecondMin));
    if (dueMs > nowMs) await sleep(this.#timers, dueMs - nowMs);
  }

  /** Forgets callers whose next refusal is already due. */
  #forget(nowMs: number): void {
    for (const [who, dueMs] of this.#dueMs) if (dueMs <= nowMs) this.#dueMs.delete(who);
  }
}
