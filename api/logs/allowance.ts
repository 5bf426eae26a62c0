/** Limit of a database's kept log bytes: a rate in the long run, and a burst. All its containers share it. */
const perSecond = 32 * 1024;
const burst = 1024 * 1024;
/** Time for which lines are left out after too many: one reported pause, instead of a gap in every second. */
const pauseMs = 5_000;

export const allowanceWords = `${perSecond / 1024} KiB a second`;

export class Allowance {
  #left = burst;
  #filledAtMs: number;
  #pausedUntilMs = -Infinity;

  constructor(nowMs: number) {
    this.#filledAtMs = nowMs;
  }

  /** Takes a line's bytes. Returns false if the line must be left out. */
  take(bytes: number, nowMs: number): boolean {
    if (this.pausing(nowMs)) return false;
    this.#left = Math.min(burst, this.#left + ((nowMs - this.#filledAtMs) / 1_000) * perSecond);
    this.#filledAtMs = nowMs;
    if (bytes > this.#left) {
      this.#pausedUntilMs = nowMs + pauseMs;
      return false;
    }
    this.#left -= bytes;
    return true;
  }

  pausing(nowMs: number): boolean {
    return nowMs < this.#pausedUntilMs;
  }
}
