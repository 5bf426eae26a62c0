/**
 * Cursors over sets of records in one direction, and over the intersection of several sets, without reading records that
 * are in none. The cost depends on the requested page and on how the lists interleave, not on the table's size. Lists that
 * never meet are walked to their ends, so every walk has a budget and can be interrupted and resumed.
 */
/** Value of a cursor at its end, instead of a record. */
export const END = -1;
/**
 * Greatest value of a cursor that lacks a page of the volume, which is noted (cold-rows.ts). Such a value says how far the cursor got.
 * It lacks the page at all later targets, too.
 */
export const ABSENT = -2;

/** Value of a cursor that lacks a page, and has no record before this one. */
export const absentAt = (record: number): number => ABSENT - record;

export interface Cursor {
  /** Upper bound of the number of records. */
  readonly count: number;
  /**
   * Returns the nearest record at or after `target` in the cursor's direction, END if none is left, or `absentAt` some record. Targets
   * must not go back.
   */
  seek(target: number): number;
}

/** Cursor over the union of two cursors. */
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
    const [atA, atB] = [reachedBy(a), reachedBy(b)];
    // A record is the nearest if the other cursor has none before it, whatever page that one lacks.
    if (atA === atB) return Math.max(a, b);
    return atA < atB === this.#isReversed ? b : a;
  }
}

/** Returns the record before which a cursor has none, of a value that is not END. */
const reachedBy = (found: number): number => (found <= ABSENT ? ABSENT - found : found);

export interface Page {
  /** Records from `from` (inclusive) to `end` (exclusive). */
  readonly from: number;
  readonly end: number;
  readonly isReversed: boolean;
  readonly limit: number;
}

/** Progress within a page. */
export interface Progress {
  /** Next record to look at, in the page's direction; all before it are done. */
  next: number;
  /** Number of records found until now. */
  count: number;
  /** Number of them that have the filter's values for certain. */
  proven: number;
}

/** Work that a request may still do before others have their turn. */
export interface Budget {
  /** Remaining units: one for each seek, more for a page that is decoded. Below zero the budget is used up. */
  left: number;
  /** Pages that each cursor which lacks one asks for besides, because the walk may come to them next; none by default. */
  readonly ahead?: number;
}

export const firstOf = ({ isReversed, from, end }: Page): number => (isReversed ? end - 1 : from);

/**
 * Writes the page's records that are in all of the cursors (all records if there is no cursor) to `hits` from
 * `progress.count` on. Returns true when the page is done, false when the budget is used up. Another call then continues
 * where this one stopped, with new cursors if lists have grown meanwhile. However small the budget is, a call moves on: each cursor
 * seeks at least once. It also returns false if a cursor lacks a page: what was found before that counts.
 */
export function intersect(
  cursors: readonly Cursor[],
  page: Page,
  progress: Progress,
  hits: Uint32Array,
  budget: Budget,
): boolean {
  if (cursors.length === 1) return walk(cursors[0]!, page, progress, hits, budget);
  const sorted = [...cursors].sort((a, b) => a.count - b.count);
  const step = page.isReversed ? -1 : 1;
  let candidate = progress.next;
  let owed = sorted.length;
  while (progress.count < page.limit) {
    // Each cursor in turn seeks the candidate or makes its next record the candidate, until all agree.
    for (let agreed = 0, i = 0; agreed < sorted.length; i = (i + 1) % sorted.length) {
      owed -= 1;
      if (budget.left < 0 && owed < 0) {
        progress.next = candidate;
        return false;
      }
      budget.left -= 1;
      const found = sorted[i]!.seek(candidate);
      if (found === END) return true;
      if (found <= ABSENT) {
        let next = reachedBy(found);
        // The pages that the others lack are read together with it. The next call begins at the furthest cursor, so it needs no earlier page again.
        for (const other of sorted) {
          const reached = other === sorted[i] ? END : other.seek(candidate);
          if (reached === END) continue;
          next = page.isReversed
            ? Math.min(next, reachedBy(reached))
            : Math.max(next, reachedBy(reached));
        }
        progress.next = next;
        return false;
      }
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

/** The same as `intersect` of one cursor. */
function walk(
  cursor: Cursor,
  { from, end, isReversed, limit }: Page,
  progress: Progress,
  hits: Uint32Array,
  budget: Budget,
): boolean {
  const step = isReversed ? -1 : 1;
  let target = progress.next;
  let { count } = progress;
  let isDone = true;
  for (let isFirst = true; count < limit; isFirst = false) {
    if (budget.left < 0 && !isFirst) {
      isDone = false;
      break;
    }
    budget.left -= 1;
    const found = cursor.seek(target);
    if (found === END) break;
    if (found <= ABSENT) {
      target = reachedBy(found);
      isDone = false;
      break;
    }
    target = found;
    if (found < from || found >= end) break;
    hits[count] = found;
    count += 1;
    target += step;
  }
  progress.count = count;
  progress.next = target;
  return isDone;
}
