import type { Timers } from '../../../base/timers.ts';

/** Time that passes only when told to. Between two timers all promises that can settle do. */
export class VirtualTimers implements Timers {
  #nowMs = 0;
  #made = 0;
  readonly #pending = new Map<number, { readonly atMs: number; readonly callback: () => void }>();

  nowMs(): number {
    return this.#nowMs;
  }

  wallMs(): number {
    return Date.UTC(2026, 0, 1) + this.#nowMs;
  }

  after(ms: number, callback: () => void): () => void {
    const id = (this.#made += 1);
    this.#pending.set(id, { atMs: this.#nowMs + ms, callback });
    return () => this.#pending.delete(id);
  }

  /** Timers that have neither fired nor been cancelled. */
  get pending(): number {
    return this.#pending.size;
  }

  async advance(ms: number): Promise<void> {
    const untilMs = this.#nowMs + ms;
    await settle();
    for (;;) {
      const due = [...this.#pending].filter(([, timer]) => timer.atMs <= untilMs);
      const [next] = due.sort(([a, one], [b, other]) => one.atMs - other.atMs || a - b);
      if (next === undefined) break;
      this.#pending.delete(next[0]);
      this.#nowMs = Math.max(this.#nowMs, next[1].atMs);
      next[1].callback();
      await settle();
    }
    this.#nowMs = untilMs;
  }

  /** The clock moves on while nothing gets to run: a process that was frozen. */
  freeze(ms: number): void {
    this.#nowMs += ms;
  }
}

/** Lets everything run that waits for no timer. */
export const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
