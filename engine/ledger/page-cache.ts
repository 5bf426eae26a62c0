/**
 * A cache of pages, of bounded size. A page that was used since the hand of the clock last passed it stays for another round.
 * Results do not depend on its content: a missing page is read, and the computation runs again.
 */
import type { Memory } from './memory.ts';
import { PAGE_BYTES, PAGE_WORDS, type PageName } from './page.ts';

/** Tables whose pages may be in a cache have numbers below this one: those of rows, and of the first million segments of the index. */
export const TABLES = 2 ** 20;

export const pageKey = ({ table, page }: PageName): number => page * TABLES + table;

export class PageCache {
  /** The pages' words, one slot after another. */
  readonly words: Uint32Array;
  /** The same as bytes. */
  readonly bytes: Uint8Array;
  hits = 0;
  /** Bytes of the slots that have had a page. */
  heldBytes = 0;
  readonly #memory: Memory;
  readonly #slots = new Map<number, number>();
  readonly #keys: Float64Array;
  readonly #used: Uint8Array;
  #hand = 0;

  constructor(memory: Memory, bytes: number) {
    const slots = Math.max(1, Math.floor(bytes / PAGE_BYTES));
    this.#memory = memory;
    // The system gives memory to a slot when its page is written.
    this.words = new Uint32Array(slots * PAGE_WORDS);
    this.bytes = new Uint8Array(this.words.buffer);
    this.#keys = new Float64Array(slots).fill(-1);
    this.#used = new Uint8Array(slots);
  }

  /** Returns the offset of the page's first word, or -1 if it is not here. */
  find(table: number, page: number): number {
    const slot = this.#slots.get(page * TABLES + table);
    if (slot === undefined) return -1;
    this.#used[slot] = 1;
    this.hits += 1;
    return slot * PAGE_WORDS;
  }

  /** Takes a verified page. Others may leave. */
  put(name: PageName, words: Uint32Array): void {
    const key = pageKey(name);
    if (this.#slots.has(key)) return;
    const slot = this.#freeSlot();
    const old = this.#keys[slot]!;
    if (old === -1) {
      this.#memory.allocate(PAGE_BYTES);
      this.heldBytes += PAGE_BYTES;
    } else this.#slots.delete(old);
    this.#keys[slot] = key;
    this.#slots.set(key, slot);
    this.words.set(words, slot * PAGE_WORDS);
  }

  #freeSlot(): number {
    for (;;) {
      const slot = this.#hand;
      this.#hand = slot + 1 === this.#keys.length ? 0 : slot + 1;
      if (this.#used[slot] === 0) return slot;
      this.#used[slot] = 0;
    }
  }
}
