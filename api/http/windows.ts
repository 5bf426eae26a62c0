/**
 * Counts points of many names, each within a window of time that begins with its first point. It answers at once and sets no
 * timers: several of these counts are made for each request.
 */
import { systemTimers, type Timers } from '../../base/timers.ts';

interface Window {
  points: number;
  readonly endsAtMs: number;
}

export interface Taken {
  /** False: there are more points in the window than allowed. */
  readonly within: boolean;
  readonly remaining: number;
  readonly msLeft: number;
}

export class Windows {
  readonly points: number;
  readonly seconds: number;
  readonly #timers: Pick<Timers, 'nowMs'>;
  readonly #windows = new Map<string, Window>();
  #sweepAtMs = 0;

  /** At most `points` in `seconds`, for each name. */
  constructor(points: number, seconds: number, timers: Pick<Timers, 'nowMs'> = systemTimers) {
    this.points = points;
    this.seconds = seconds;
    this.#timers = timers;
  }

  /** Number of names with a window that was not forgotten yet. */
  get size(): number {
    return this.#windows.size;
  }

  /** Adds points, even those beyond the limit. */
  take(name: string, points = 1): Taken {
    const nowMs = this.#timers.nowMs();
    const known = this.#windows.get(name);
    const window = known !== undefined && known.endsAtMs > nowMs ? known : this.#begin(name, nowMs);
    window.points += points;
    return {
      within: window.points <= this.points,
      remaining: Math.max(0, this.points - window.points),
      msLeft: window.endsAtMs - nowMs,
    };
  }

  /** Time until the name may take more, in milliseconds, if its points are used up. Takes nothing. */
  usedUpMs(name: string): number | undefined {
    const window = this.#windows.get(name);
    if (window === undefined || window.points < this.points) return undefined;
    const leftMs = window.endsAtMs - this.#timers.nowMs();
    return leftMs > 0 ? leftMs : undefined;
  }

  #begin(name: string, nowMs: number): Window {
    if (nowMs >= this.#sweepAtMs) this.#sweep(nowMs);
    const window = { points: 0, endsAtMs: nowMs + 1_000 * this.seconds };
    this.#windows.set(name, window);
    return window;
  }

  /** Forgets windows that are over; once in a window's time, so that it costs little for each point. */
  #sweep(nowMs: number): void {
    for (const [name, { endsAtMs }] of this.#windows)
      if (endsAtMs <= nowMs) this.#windows.delete(name);
    this.#sweepAtMs = nowMs + 1_000 * this.seconds;
  }
}
