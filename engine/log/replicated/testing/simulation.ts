/** Time and randomness of a simulation: the seed alone decides what happens and when. */
import type { Timers } from '../../../../base/timers.ts';

interface Planned {
  readonly atMs: number;
  /** Order among events at the same time: first planned, first run. */
  readonly order: number;
  callback: (() => void) | undefined;
}

/** Maximum number of events per turn of the real event loop; more would starve the test runner. */
const EVENTS_A_TURN = 5000;

export class Simulation {
  #nowMs = 0;
  #planned = 0;
  #events = 0;
  readonly #heap: Planned[] = [];
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  /** Returns a random number in [0, 1) (mulberry32). */
  readonly random = (): number => {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };

  chance(probability: number): boolean {
    return this.random() < probability;
  }

  between(least: number, most: number): number {
    return least + this.random() * (most - least);
  }

  /** Returns a random whole number below `count`. */
  below(count: number): number {
    return Math.floor(this.random() * count);
  }

  /** Plans `callback` after `ms`. The returned function cancels it. */
  after(ms: number, callback: () => void): () => void {
    const planned: Planned = { atMs: this.#nowMs + ms, order: (this.#planned += 1), callback };
    this.#push(planned);
    return () => {
      planned.callback = undefined;
    };
  }

  readonly timers: Timers = {
    nowMs: () => this.#nowMs,
    wallMs: () => this.#nowMs,
    after: (ms, callback) => this.after(ms, callback),
  };

  /** Lets `ms` of simulated time pass. Between two events, everything that waits for no timer runs. */
  async run(ms: number): Promise<void> {
    const untilMs = this.#nowMs + ms;
    await settled();
    for (;;) {
      const [next] = this.#heap;
      if (next === undefined || next.atMs > untilMs) break;
      this.#pop();
      if (next.callback === undefined) continue;
      this.#nowMs = next.atMs;
      next.callback();
      this.#events += 1;
      await (this.#events % EVENTS_A_TURN === 0 ? turn() : settled());
    }
    this.#nowMs = untilMs;
  }

  #push(planned: Planned): void {
    const heap = this.#heap;
    let at = heap.push(planned) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (!earlier(planned, heap[above]!)) break;
      heap[at] = heap[above]!;
      at = above;
    }
    heap[at] = planned;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop()!;
    if (heap.length === 0) return;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below >= heap.length) break;
      if (below + 1 < heap.length && earlier(heap[below + 1]!, heap[below]!)) below += 1;
      if (!earlier(heap[below]!, last)) break;
      heap[at] = heap[below]!;
      at = below;
    }
    heap[at] = last;
  }
}

const earlier = (one: Planned, other: Planned): boolean =>
  one.atMs < other.atMs || (one.atMs === other.atMs && one.order < other.order);

/** Resolves at the next tick, when no promise is left that could continue. */
const settled = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve));
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
