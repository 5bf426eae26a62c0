/**
 * Walks through sets of records in one direction, and through the intersection of several, without looking at records
 * that are in none. The cost follows the page that is asked for and how the lists interleave, not the table's size; lists
 * that never meet are walked to their ends, so that every walk has a budget and can be left and gone on with.
 */
import type { PostingView } from './posting-lists.ts';

/** No record: the end of a cursor. */
export const END = -1;

export interface Cursor {
  /** Upper bound of the records it can give. */
  readonly count: number;
  /** The nearest record at or after `target` in the cursor's direction, END when none is left. Targets never go back. */
  seek(target: number): number;
}

/** One posting list. */
export class ListCursor implements Cursor {
  readonly count: number;
  readonly #list: PostingView;
  readonly #isReversed: boolean;
  #position: number;

  constructor(list: PostingView, isReversed: boolean) {
    this.#list = list;
    this.count = list.count;
    this.#isReversed = isReversed;
    this.#position = isReversed ? list.count - 1 : 0;
  }

  seek(target: number): number {
    return this.#isReversed ? this.#seekDown(target) : this.#seekUp(target);
  }

  #seekUp(target: number): number {
    const list = this.#list;
    let low = this.#position;
    // Gallop: the next one is mostly near.
    let step = 1;
    let high = low;
    while (high < list.count && list.at(high) < target) {
      low = high + 1;
      high += step;
      step *= 2;
    }
    high = Math.min(high, list.count);
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (list.at(middle) < target) low = middle + 1;
      else high = middle;
    }
    this.#position = low;
    return low < list.count ? list.at(low) : END;
  }

  #seekDown(target: number): number {
    const list = this.#list;
    let high = this.#position;
    let step = 1;
    let low = high;
    while (low >= 0 && list.at(low) > target) {
      high = low - 1;
      low -= step;
      step *= 2;
    }
    low = Math.max(low, -1);
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (list.at(middle) > target) high = middle - 1;
      else low = middle;
    }
    this.#position = low;
    return low >= 0 ? list.at(low) : END;
  }
}

/** The records of either of two cursors. */
export class UnionCursor implements Cursor {
  readonly count: number;
  readonly #first: Cursor;
  readonly #second: Cursor;
  readonly #isReversed: boolean;

  constructor(first: Cursor, second: Cursor, isReversed: boolean) {
    this.count = first.count + second.count;
    this.#first = first;
    this.#second = second;
    this.#isReversed = isReversed;
  }

  seek(target: number): number {
    const a = this.#first.seek(target);
    const b = this.#second.seek(target);
    if (a === END) return b;
    if (b === END) return a;
    return a < b === this.#isReversed ? b : a;
  }
}

export interface Page {
  /** Records from `from` (inclusive) to `end` (exclusive). */
  readonly from: number;
  readonly end: number;
  readonly isReversed: boolean;
  readonly limit: number;
}

/** How much of a page is done. */
export interface Progress {
  /** Every record of the page before this one, in the page's direction, was looked at. */
  next: number;
  /** Records found until now. */
  count: number;
}

/** What a request may still do before others have their turn. */
export interface Budget {
  /** One unit a seek in a list; below zero it is used up. */
  left: number;
}

export const firstOf = ({ isReversed, from, end }: Page): number => (isReversed ? end - 1 : from);

/**
 * Writes the page's records that are in all of the cursors (all records, when there is none) to `hits` from
 * `progress.count` on. True when the page is done; false when the budget was used up before: another call goes on where
 * this one stopped, with new cursors where lists have grown meanwhile.
 */
export function intersect(
  cursors: readonly Cursor[],
  page: Page,
  progress: Progress,
  hits: Uint32Array,
  budget: Budget,
): boolean {
  const sorted = [...cursors].sort((a, b) => a.count - b.count);
  const step = page.isReversed ? -1 : 1;
  let candidate = progress.next;
  while (progress.count < page.limit) {
    // Each cursor in turn goes to the candidate or makes what it has next the candidate, until all agree.
    for (let agreed = 0, i = 0; agreed < sorted.length; i = (i + 1) % sorted.length) {
      if (budget.left < 0) {
        progress.next = candidate;
        return false;
      }
      budget.left -= 1;
      const found = sorted[i]!.seek(candidate);
      if (found === END) return true;
      agreed = found === candidate ? agreed + 1 : 1;
      candidate = found;
    }
    if (candidate < page.from || candidate >= page.end) return true;
    hits[progress.count] = candidate;
    progress.count += 1;
    candidate += step;
    progress.next = candidate;
  }
  return true;
}
