/** Rate limit: `perSecond` requests in the long run, `burst` at once. The caller does the waiting. */
export class TokenBucket {
  readonly #perSecond: number;
  readonly #burst: number;
  /** Available tokens; below zero, the number promised to waiting callers. */
  #tokens: number;
  #refilledAtMs: number;

  constructor(options: { perSecond: number; burst: number; nowMs: number }) {
    this.#perSecond = options.perSecond;
    this.#burst = options.burst;
    this.#tokens = options.burst;
    this.#refilledAtMs = options.nowMs;
  }

  /** Returns the wait in call order. Returns `undefined`, taking nothing, if it would exceed `waitMaxMs`. */
  reserve(nowMs: number, waitMaxMs: number): number | undefined {
    const refill = ((nowMs - this.#refilledAtMs) / 1_000) * this.#perSecond;
    this.#tokens = Math.min(this.#burst, this.#tokens + refill);
    this.#refilledAtMs = nowMs;
    const waitMs = this.#tokens >= 1 ? 0 : ((1 - this.#tokens) / this.#perSecond) * 1_000;
    if (waitMs > waitMaxMs) return undefined;
    this.#tokens -= 1;
    return waitMs;
  }
}
