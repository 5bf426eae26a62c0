/** How many requests a second: `perSecond` in the long run, `burst` at once. Waiting is the caller's. */
export class TokenBucket {
  readonly #perSecond: number;
  readonly #burst: number;
  /** Below zero: so many are promised to those who wait. */
  #tokens: number;
  #refilledAtMs: number;

  constructor(options: { perSecond: number; burst: number; nowMs: number }) {
    this.#perSecond = options.perSecond;
    this.#burst = options.burst;
    this.#tokens = options.burst;
    this.#refilledAtMs = options.nowMs;
  }

  /** How long to wait before going on, in the order asked; `undefined`, and nothing taken, when longer than `waitMaxMs`. */
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
