/**
 * Many ids that are looked for in the filters of many segments. Filters of dozens of segments are larger than the processor's caches, so each
 * look waits for memory. Here the ids are sorted by their blocks: neighbours are in one page of memory, the reads of many overlap, and
 * what depends on an id alone is computed once. Most ids lack the first bit already, but nobody can guess which: it is looked at without a
 * branch, and only the ids that have it are looked at further.
 */
import { blockAt, blocksPerKey, firstBits, hasAll, hasFirst, lastBits } from './id-filter.ts';

/** Ids whose blocks are read in a row before they are looked at: those fit into the processor's first cache. */
const GROUP = 256;
/** More than there are ids. */
const NUMBERS = 1 << 16;

export class IdScreen {
  /** By number of an id: 1 if a filter may have it. */
  readonly found: Uint8Array;
  /** The key of each id, and its number. */
  readonly #order: Float64Array;
  readonly #lowers: Uint16Array;
  /** As the type in which a block's place is computed. */
  readonly #keys: Float64Array;
  readonly #numbers: Uint32Array;
  readonly #bits: Uint32Array;
  readonly #blocks = new Int32Array(GROUP);
  /** Ids of a group whose first bit is set. */
  readonly #left = new Int32Array(GROUP);
  count = 0;
  touched = 0;

  /** For ids with numbers below `idsMax`. */
  constructor(idsMax: number) {
    this.found = new Uint8Array(idsMax);
    this.#order = new Float64Array(idsMax);
    this.#lowers = new Uint16Array(idsMax);
    this.#keys = new Float64Array(idsMax);
    this.#numbers = new Uint32Array(idsMax);
    this.#bits = new Uint32Array(idsMax * 2);
  }

  clear(): void {
    this.found.fill(0);
    this.count = 0;
  }

  /** Adds an id: the number that it has here, and both parts of its hash. */
  add(number: number, key: number, lower: number): void {
    this.#order[this.count] = key * NUMBERS + number;
    this.#lowers[number] = lower;
    this.count += 1;
  }

  /** Looks for the ids in filters. */
  look(filters: readonly Uint32Array[]): void {
    this.#sort();
    for (const filter of filters)
      for (let first = 0; first < this.count; first += GROUP)
        this.#lookFor(filter, first, Math.min(first + GROUP, this.count));
  }

  #sort(): void {
    const order = this.#order.subarray(0, this.count).sort();
    for (let i = 0; i < order.length; i += 1) {
      const key = Math.floor(order[i]! / NUMBERS);
      const number = order[i]! - key * NUMBERS;
      const lower = this.#lowers[number]!;
      this.#keys[i] = key;
      this.#numbers[i] = number;
      this.#bits[i * 2] = firstBits(key, lower);
      this.#bits[i * 2 + 1] = lastBits(key, lower);
    }
  }

  #lookFor(filter: Uint32Array, first: number, end: number): void {
    const blocks = this.#blocks;
    const keys = this.#keys;
    const bits = this.#bits;
    const left = this.#left;
    const perKey = blocksPerKey(filter);
    let touched = 0;
    for (let i = first; i < end; i += 1) {
      const block = blockAt(keys[i]!, perKey);
      blocks[i - first] = block;
      touched ^= filter[block]!;
    }
    this.touched ^= touched;
    let count = 0;
    for (let i = first; i < end; i += 1) {
      left[count] = i;
      count += hasFirst(filter, blocks[i - first]!, bits[i * 2]!);
    }
    for (let k = 0; k < count; k += 1) {
      const i = left[k]!;
      if (hasAll(filter, blocks[i - first]!, bits[i * 2]!, bits[i * 2 + 1]!))
        this.found[this.#numbers[i]!] = 1;
    }
  }
}
