/**
 * Cursor over the rows of a field's key, through the parts of an index in the order of time: its segments, then its young chunks. A
 * part is looked at when the walk reaches it, so that a query for the newest rows asks the newest parts only.
 */
import { ABSENT, absentAt, type Budget, type Cursor, END } from '../cursor.ts';
import { ABSENT_PAGE, type ColumnReader, PAGE_ROWS_MAX } from './page-reader.ts';
import type { Segment } from './segment.ts';
import type { YoungChunk } from './young-rows.ts';

/** Units of a budget (a seek in a list): to decode a page, to search a sorted chunk. */
const PAGE_COST = 64;
const SEARCH_COST = 4;
/** Rows that are sorted, or scanned, for a unit. */
const SORTED_PER_UNIT = 4;
const SCANNED_PER_UNIT = 64;

/** Young rows in one chunk. */
export interface ChunkPart {
  readonly firstRow: number;
  readonly endRow: number;
  readonly chunk: YoungChunk;
  readonly isFull: boolean;
}

export type Part = Segment | ChunkPart;

interface FieldCursorOptions {
  /** The oldest first. */
  readonly parts: readonly Part[];
  readonly column: number;
  readonly key: number;
  readonly isReversed: boolean;
  /** Returns whether the row has the value; absent if the key is the value. */
  readonly matches: ((row: number) => boolean) | undefined;
  /** Pays for pages and sorting. */
  readonly budget: Budget;
}

export class FieldCursor implements Cursor {
  readonly count: number;
  readonly #options: FieldCursorOptions;
  readonly #step: number;
  #index: number;
  #list: RowList | undefined;
  /** Buffer for the rows of one page. */
  #rows: Uint32Array | undefined;
  /** Lowest possible place of the first row that is unknown because its page is absent. */
  #unknown: number | undefined;

  constructor(options: FieldCursorOptions) {
    const { parts, isReversed } = options;
    this.#options = options;
    this.#step = isReversed ? -1 : 1;
    this.#index = isReversed ? parts.length - 1 : 0;
    this.count = countMax(options);
  }

  seek(target: number): number {
    const { parts, isReversed, matches } = this.#options;
    if (this.#unknown !== undefined) return absentAt(this.#further(target, this.#unknown));
    let sought = target;
    for (;;) {
      const part = parts[this.#index];
      if (part === undefined) return END;
      const isBehind = isReversed ? part.firstRow > sought : part.endRow <= sought;
      if (!isBehind) {
        this.#list ??= this.#open(part);
        const row = isReversed ? this.#list.seekDown(sought) : this.#list.seekUp(sought);
        if (row === ABSENT) {
          this.#askAhead(this.#list);
          // The parts before this one have no record.
          this.#unknown = this.#further(sought, isReversed ? part.endRow - 1 : part.firstRow);
          return absentAt(this.#unknown);
        }
        if (row !== END) {
          if (matches === undefined || matches(row)) return row;
          sought = row + this.#step;
          continue;
        }
      }
      this.#list = undefined;
      this.#index += this.#step;
    }
  }

  /** Returns the row that the walk reaches later. */
  #further(a: number, b: number): number {
    return this.#options.isReversed ? Math.min(a, b) : Math.max(a, b);
  }

  /** Notes pages that the walk may need next as absent: the rest of the list, then its beginning in the next segments. */
  #askAhead(list: RowList): void {
    const { parts, column, key, isReversed, budget } = this.#options;
    let left = budget.ahead ?? 0;
    if (list instanceof PagedList) left -= list.askAhead(left);
    for (let index = this.#index + this.#step; left > 0; index += this.#step) {
      const part = parts[index];
      if (part === undefined || 'chunk' in part || !part.isCold) return;
      const next = new PagedList(part.fields[column]!, NO_ROWS, { key, isReversed, budget });
      left -= next.askAhead(left);
    }
  }

  #open(part: Part): RowList {
    const { column, key, isReversed, budget } = this.#options;
    if ('chunk' in part) return openChunk(part, column, key, isReversed, budget);
    this.#rows ??= new Uint32Array(PAGE_ROWS_MAX);
    return new PagedList(part.fields[column]!, this.#rows, { key, isReversed, budget });
  }
}

const NO_ROWS = new Uint32Array(0);

/** Returns an upper bound of the rows with the key: an estimate by pages, without decoding any. */
function countMax({ parts, column, key }: FieldCursorOptions): number {
  let count = 0;
  for (const part of parts) {
    const rows = part.endRow - part.firstRow;
    if ('chunk' in part) count += rows;
    else {
      const reader = part.fields[column]!;
      const first = reader.firstPageOf(key);
      const pages = reader.lastPageOf(key, first) - first + 1;
      count += Math.min(rows, pages * PAGE_ROWS_MAX);
    }
  }
  return count;
}

/** Rows of a key in one part. Targets do not go back. Nothing more is asked after it has returned ABSENT. */
interface RowList {
  seekUp(target: number): number;
  seekDown(target: number): number;
}

const NOTHING: RowList = { seekUp: () => END, seekDown: () => END };

class PagedList implements RowList {
  readonly #reader: ColumnReader;
  readonly #key: number;
  readonly #budget: Budget;
  readonly #firstPage: number;
  readonly #lastPage: number;
  readonly #rows: Uint32Array;
  readonly #list: ArrayList;
  readonly #step: number;
  #page: number;

  constructor(
    reader: ColumnReader,
    rows: Uint32Array,
    { key, isReversed, budget }: Pick<FieldCursorOptions, 'key' | 'isReversed' | 'budget'>,
  ) {
    this.#reader = reader;
    this.#rows = rows;
    this.#key = key;
    this.#budget = budget;
    this.#firstPage = reader.pages === 0 ? 0 : reader.firstPageOf(key);
    this.#lastPage = reader.pages === 0 ? -1 : reader.lastPageOf(key, this.#firstPage);
    this.#step = isReversed ? -1 : 1;
    this.#page = isReversed ? this.#lastPage + 1 : this.#firstPage - 1;
    this.#list = new ArrayList(rows);
  }

  seekUp(target: number): number {
    for (;;) {
      if (this.#page >= this.#firstPage) {
        const row = this.#list.seekUp(target);
        if (row !== END) return row;
      }
      const next = this.#pageBefore(target, this.#page + 1, this.#lastPage);
      if (next > this.#lastPage) return END;
      if (!this.#read(next)) return ABSENT;
      this.#list.toFirst();
    }
  }

  seekDown(target: number): number {
    for (;;) {
      if (this.#page <= this.#lastPage) {
        const row = this.#list.seekDown(target);
        if (row !== END) return row;
      }
      if (this.#page <= this.#firstPage) return END;
      if (!this.#read(this.#pageBefore(target, this.#firstPage, this.#page - 1))) return ABSENT;
      this.#list.toLast();
    }
  }

  /**
   * Returns the last page from `low` to `high` whose first row is not above the target, or `low`. The pages after the key's first
   * begin with one of its rows.
   */
  #pageBefore(target: number, low: number, high: number): number {
    const { firstRows } = this.#reader.column;
    let first = low;
    let last = high;
    while (first < last) {
      const middle = (first + last + 1) >>> 1;
      if (firstRows[middle]! > target) last = middle - 1;
      else first = middle;
    }
    return first;
  }

  /** Asks for up to so many pages after the present one, unless they are here. Returns how many it asked for. */
  askAhead(pages: number): number {
    let asked = 0;
    for (let page = this.#page + this.#step; asked < pages; page += this.#step) {
      if (page < this.#firstPage || page > this.#lastPage) break;
      if (this.#reader.notePage(page)) asked += 1;
    }
    return asked;
  }

  /** Returns false if the page is absent. */
  #read(page: number): boolean {
    this.#page = page;
    const count = this.#reader.readList(page, this.#key, this.#rows);
    this.#budget.left -= PAGE_COST;
    if (count === ABSENT_PAGE) return false;
    this.#list.end = count;
    return true;
  }
}

/** Rows in rising order, in an array. */
class ArrayList implements RowList {
  readonly #rows: Uint32Array | Uint16Array;
  readonly #first: number;
  readonly #from: number;
  #position: number;
  end: number;

  /** The rows are `first + rows[i]` for `i` between `from` and `end`. */
  constructor(rows: Uint32Array | Uint16Array, first = 0, from = 0, end = 0) {
    this.#rows = rows;
    this.#first = first;
    this.#from = from;
    this.#position = from;
    this.end = end;
  }

  toFirst(): void {
    this.#position = this.#from;
  }

  toLast(): void {
    this.#position = this.end - 1;
  }

  seekUp(target: number): number {
    const rows = this.#rows;
    const { end } = this;
    const sought = target - this.#first;
    let low = this.#position;
    // Gallop, because the next row is mostly near.
    let step = 1;
    let high = low;
    while (high < end && rows[high]! < sought) {
      low = high + 1;
      high += step;
      step *= 2;
    }
    high = Math.min(high, end);
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (rows[middle]! < sought) low = middle + 1;
      else high = middle;
    }
    this.#position = low;
    return low < end ? this.#first + rows[low]! : END;
  }

  seekDown(target: number): number {
    const rows = this.#rows;
    const before = this.#from - 1;
    const sought = target - this.#first;
    let high = this.#position;
    let step = 1;
    let low = high;
    while (low > before && rows[low]! > sought) {
      high = low - 1;
      low -= step;
      step *= 2;
    }
    low = Math.max(low, before);
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (rows[middle]! > sought) high = middle - 1;
      else low = middle;
    }
    this.#position = low;
    return low > before ? this.#first + rows[low]! : END;
  }
}

function openChunk(
  { chunk, firstRow, endRow, isFull }: ChunkPart,
  column: number,
  key: number,
  isReversed: boolean,
  budget: Budget,
): RowList {
  const rows = endRow - firstRow;
  const list = isFull
    ? sortedRows(chunk, { rows, firstRow, column, key, budget })
    : scannedRows(chunk, { rows, firstRow, column, key, budget });
  if (isReversed) list?.toLast();
  return list ?? NOTHING;
}

interface InChunk {
  readonly rows: number;
  readonly firstRow: number;
  readonly column: number;
  readonly key: number;
  readonly budget: Budget;
}

function sortedRows(
  chunk: YoungChunk,
  { rows, firstRow, column, key, budget }: InChunk,
): ArrayList | undefined {
  budget.left -= chunk.isSorted(column) ? SEARCH_COST : rows / SORTED_PER_UNIT;
  const order = chunk.orderOf(column);
  const keys = chunk.fields[column]!;
  const from = countBelow(order, keys, key, 0, rows);
  if (from === rows || keys[order[from]!] !== key) return undefined;
  return new ArrayList(order, firstRow, from, countBelow(order, keys, key + 1, from, rows));
}

function scannedRows(
  chunk: YoungChunk,
  { rows, firstRow, column, key, budget }: InChunk,
): ArrayList | undefined {
  budget.left -= SEARCH_COST + rows / SCANNED_PER_UNIT;
  const keys = chunk.fields[column]!;
  let count = 0;
  for (let i = 0; i < rows; i += 1) if (keys[i] === key) count += 1;
  if (count === 0) return undefined;
  const found = new Uint16Array(count);
  for (let i = 0, to = 0; to < count; i += 1) {
    if (keys[i] !== key) continue;
    found[to] = i;
    to += 1;
  }
  return new ArrayList(found, firstRow, 0, count);
}

/** Returns the first place in the order, from `low` to `high`, whose key is not below the key. */
function countBelow(
  order: Uint16Array,
  keys: Uint32Array,
  key: number,
  low: number,
  high: number,
): number {
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (keys[order[middle]!]! < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
