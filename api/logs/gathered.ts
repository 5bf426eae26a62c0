/** Gathers the requests of a moment and does them as one piece of work, one piece after the other. */
import type { Timers } from '../../base/timers.ts';

interface GatheredOptions<Item, Result> {
  readonly gatherMs: number;
  /** Weight of one piece of work, unless a single item has more. */
  readonly weightMax: number;
  readonly weightOf: (item: Item) => number;
  /** Returns the results in the order of the items. */
  readonly run: (items: readonly Item[]) => Promise<readonly Result[]>;
  readonly timers: Timers;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

export class Gathered<Item, Result> {
  readonly #options: GatheredOptions<Item, Result>;
  #waiting: Waiting<Item, Result>[] = [];
  #isDue = false;

  constructor(options: GatheredOptions<Item, Result>) {
    this.#options = options;
  }

  /** Rejects when its piece of work fails; whether it was done is unknown then. */
  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      this.#runSoon();
    });
  }

  #runSoon(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    this.#options.timers.after(this.#options.gatherMs, () => void this.#run());
  }

  async #run(): Promise<void> {
    const taken = this.#take();
    try {
      const results = await this.#options.run(taken.map(({ item }) => item));
      for (const [index, { resolve }] of taken.entries()) resolve(results[index] as Result);
    } catch (error) {
      for (const { reject } of taken) reject(error);
    }
    this.#isDue = false;
    if (this.#waiting.length > 0) this.#runSoon();
  }

  #take(): readonly Waiting<Item, Result>[] {
    const { weightMax, weightOf } = this.#options;
    let weight = 0;
    let count = 0;
    for (const { item } of this.#waiting) {
      weight += weightOf(item);
      if (count > 0 && weight > weightMax) break;
      count += 1;
    }
    const taken = this.#waiting.slice(0, count);
    this.#waiting = this.#waiting.slice(count);
    return taken;
  }
}
