/**
 * Access to rows that are not in memory. Code in this folder never waits: it runs on the rows in memory; absent rows are noted
 * and read as zeros. The caller of the computation then checks `needs`. If it is not empty, the result is void: the caller reads the
 * pages, and the same computation runs again. So one run finds as many missing pages as possible.
 *
 * A page that was brought may have left the cache before the next run. Hence the rows that were asked for are copied out as
 * their pages arrive, and stay for the computation's time (`Brought`): each run needs less than the one before. A page of which half is
 * asked for is copied as a whole, which takes less time than its rows one by one.
 */
import { PAGE_WORDS, rowsPerPage, type PageName } from './page.ts';
import { pageKey, type PageCache } from './page-cache.ts';
import type { RowTable } from './row-table.ts';
import { compare64, readBigint64 } from './words.ts';

/** Pages that a computation lacks. */
export interface Needs {
  readonly pages: readonly PageName[];
  /** Takes one of the pages, verified. Returns false for a page of accounts that is not what it should be: only the ledger knows. */
  readonly arrived: (page: PageName, words: Uint32Array) => boolean;
}

/** Pages of lists that are kept for a computation: more than its cursors stand at and read ahead at a time (field-cursor.ts). */
const KEPT_PAGES_MAX = 128;

/** Rows that were brought for one computation, and what it asked of the index's pages. */
export class Brought {
  words = new Uint32Array(0);
  #used = 0;
  readonly #offsets = new Map<number, number>();
  readonly #wholes = new Map<number, Uint32Array>();
  /** By table of a segment and hash of an id: the rows that a page has of it. */
  readonly #ids = new Map<number, Map<number, readonly number[]>>();
  /** The newest ones, the oldest first. */
  readonly #pages = new Map<number, Uint8Array>();
  /** By moment in a page: its first row that is not before it, or the row after the page. */
  readonly #firstRows = new Map<bigint, number>();

  find(key: number): number | undefined {
    return this.#offsets.get(key);
  }

  put(key: number, from: Uint32Array, at: number, count: number): void {
    if (this.#offsets.has(key)) return;
    if (this.#used + count > this.words.length) {
      const larger = new Uint32Array(Math.max(1024, this.words.length * 2));
      larger.set(this.words);
      this.words = larger;
    }
    for (let i = 0; i < count; i += 1) this.words[this.#used + i] = from[at + i]!;
    this.#offsets.set(key, this.#used);
    this.#used += count;
  }

  /** Returns a page of rows that is there as a whole. */
  pageOfRows(name: PageName): Uint32Array | undefined {
    return this.#wholes.get(pageKey(name));
  }

  putPageOfRows(name: PageName, words: Uint32Array): void {
    this.#wholes.set(pageKey(name), words.slice());
  }

  rowsOfId(table: number, hash: number): readonly number[] | undefined {
    return this.#ids.get(table)?.get(hash);
  }

  putRowsOfId(table: number, hash: number, rows: readonly number[]): void {
    const ids = this.#ids.get(table);
    if (ids === undefined) this.#ids.set(table, new Map([[hash, rows]]));
    else ids.set(hash, rows);
  }

  firstRow(moment: bigint): number | undefined {
    return this.#firstRows.get(moment);
  }

  putFirstRow(moment: bigint, row: number): void {
    this.#firstRows.set(moment, row);
  }

  page(name: PageName): Uint8Array | undefined {
    return this.#pages.get(pageKey(name));
  }

  putPage(name: PageName, words: Uint32Array): void {
    const key = pageKey(name);
    this.#pages.delete(key);
    this.#pages.set(key, new Uint8Array(words.slice().buffer));
    if (this.#pages.size <= KEPT_PAGES_MAX) return;
    const [oldest] = this.#pages.keys();
    this.#pages.delete(oldest!);
  }
}

/** Takes what a computation needs of a page when it arrives. */
type Take = (words: Uint32Array, brought: Brought) => void;

/** How rows lie in the pages of a table. */
interface PagesOfRows {
  readonly wordsPerRow: number;
  readonly perPage: number;
  /** Verifies a page that carries no checksum of its own. */
  isWhole?(page: number, words: Uint32Array): boolean;
}

interface AbsentPage {
  readonly name: PageName;
  /** Rows that are copied out of the page, if it is one of rows. */
  readonly rows: number[];
  readonly layout: PagesOfRows | undefined;
  readonly takes: Take[];
}

/** The pages that the present computation has and lacks, in all tables of rows and segments of the index. */
export class RowAccess {
  readonly cache: PageCache;
  /** Changes whenever a row may be found elsewhere than before. */
  epoch = 0;
  /** Pages that were brought since the start. */
  pagesRead = 0;
  /** Times that something absent was looked for. */
  notes = 0;
  #brought = new Brought();
  #absent = new Map<number, AbsentPage>();

  constructor(cache: PageCache) {
    this.cache = cache;
  }

  get brought(): Brought {
    return this.#brought;
  }

  get isComplete(): boolean {
    return this.#absent.size === 0;
  }

  /** Begins a run of the computation that `brought` belongs to. */
  begin(brought: Brought): void {
    this.#brought = brought;
    this.epoch += 1;
    if (this.#absent.size > 0) this.#absent = new Map();
  }

  note(name: PageName, layout: PagesOfRows, row: number): void {
    const key = pageKey(name);
    const page = this.#absent.get(key);
    this.notes += 1;
    if (page === undefined) this.#absent.set(key, { name, layout, rows: [row], takes: [] });
    else page.rows.push(row);
  }

  /** Notes a page as absent: of the index, or of rows that lie as `layout` says. */
  notePage(name: PageName, take: Take, layout?: PagesOfRows): void {
    const key = pageKey(name);
    const page = this.#absent.get(key);
    this.notes += 1;
    if (page === undefined) this.#absent.set(key, { name, layout, rows: [], takes: [take] });
    else page.takes.push(take);
  }

  /** Ends a run. Returns the pages that it lacked, or `undefined` if it was complete. */
  needs(): Needs | undefined {
    if (this.isComplete) return undefined;
    const absent = this.#absent;
    const brought = this.#brought;
    this.#absent = new Map();
    return {
      pages: [...absent.values()].map(({ name }) => name),
      arrived: (name, words) => {
        const page = absent.get(pageKey(name));
        if (page?.layout?.isWhole?.(name.page, words) === false) return false;
        this.epoch += 1;
        this.pagesRead += 1;
        this.cache.put(name, words);
        if (page === undefined) return true;
        copyRows(page, words, brought);
        for (const take of page.takes) take(words, brought);
        return true;
      },
    };
  }
}

function copyRows({ name, layout, rows }: AbsentPage, words: Uint32Array, to: Brought): void {
  if (layout === undefined) return;
  const { wordsPerRow, perPage } = layout;
  if (rows.length * 2 >= perPage) to.putPageOfRows(name, words);
  else
    for (const row of rows)
      to.put(rowKey(name.table, row), words, (row % perPage) * wordsPerRow, wordsPerRow);
}

/** Numbers of page tables with rows are below 64. */
const rowKey = (table: number, row: number): number => row * 64 + table;

export interface ColdRowsOptions {
  /** Number of the table of pages. */
  readonly table: number;
  readonly wordsPerRow: number;
  /** Rows of a page, by default as many as fit beside a trailer. */
  readonly perPage?: number;
  /** Offset of the rows' timestamp in words, if they have one. */
  readonly timestamp: number | undefined;
}

/** The rows of one table that are not in memory: those before its `coldEnd`. */
export class ColdRows {
  readonly perPage: number;
  readonly wordsPerRow: number;
  readonly #options: ColdRowsOptions;
  readonly #access: RowAccess;
  /** The first timestamp of each page, two words each. */
  #times = new Uint32Array(2048);
  #pages = 0;
  #row = -1;
  /** The page of the last row, if it was there as a whole, and where. */
  #page = -1;
  #pageOffset = 0;
  #epoch = -1;
  #words: Uint32Array = ZEROS;
  #offset = 0;

  constructor(access: RowAccess, options: ColdRowsOptions) {
    this.#access = access;
    this.#options = options;
    this.wordsPerRow = options.wordsPerRow;
    this.perPage = options.perPage ?? rowsPerPage(options.wordsPerRow);
  }

  chunkOf(row: number): Uint32Array {
    this.#locate(row);
    return this.#words;
  }

  offsetOf(row: number): number {
    this.#locate(row);
    return this.#offset;
  }

  /** Notes the first timestamps of pages whose first rows are in `words`, which holds the rows from `first` to `end`. */
  leaves(words: Uint32Array, first: number, end: number): void {
    const { timestamp, wordsPerRow } = this.#options;
    if (timestamp === undefined) return;
    for (; this.#pages * this.perPage < end; this.#pages += 1) {
      if ((this.#pages + 1) * 2 > this.#times.length) {
        const larger = new Uint32Array(Math.max(2048, this.#times.length * 2));
        larger.set(this.#times);
        this.#times = larger;
      }
      const at = (this.#pages * this.perPage - first) * wordsPerRow + timestamp;
      this.#times[this.#pages * 2] = words[at]!;
      this.#times[this.#pages * 2 + 1] = words[at + 1]!;
    }
  }

  /** Takes the first timestamps of the pages before `end`, whose rows were never in memory. */
  begin(times: Uint32Array, end: number): void {
    if (this.#options.timestamp === undefined) return;
    this.#pages = Math.ceil(end / this.perPage);
    this.#times = times.slice(0, this.#pages * 2);
  }

  /** Copies the first timestamps of `count` pages of the table from page `first` on, whose rows need not be in memory. */
  copyTimes(table: RowTable, first: number, count: number, to: Uint32Array, at: number): void {
    const known = Math.min(count, Math.max(0, this.#pages - first));
    to.set(this.#times.subarray(first * 2, (first + known) * 2), at);
    for (let i = known; i < count; i += 1) {
      const row = (first + i) * this.perPage;
      const offset = table.offsetOf(row) + (this.#options.timestamp ?? 0);
      to.set(table.chunkOf(row).subarray(offset, offset + 2), at + i * 2);
    }
  }

  /** Returns the first row whose timestamp is not below the given one, or `end`, the first row in memory. */
  firstNotBefore(end: number, timestamp: Uint32Array, at: number): number {
    let low = 0;
    let high = this.#pages;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compare64(this.#times, middle * 2, timestamp, at) < 0) low = middle + 1;
      else high = middle;
    }
    const isFirst = low < this.#pages && compare64(this.#times, low * 2, timestamp, at) === 0;
    // The page before it begins earlier, and may end later.
    const row = low === 0 || isFirst ? low * this.perPage : this.#firstIn(low - 1, timestamp, at);
    return Math.min(end, row);
  }

  /** Returns whether a row has this timestamp. The page of a page's first row is not read for that. */
  isAt(row: number, timestamp: Uint32Array, at: number): boolean {
    const page = row / this.perPage;
    if (Number.isInteger(page)) return compare64(this.#times, page * 2, timestamp, at) === 0;
    const offset = this.offsetOf(row) + (this.#options.timestamp ?? 0);
    return compare64(this.chunkOf(row), offset, timestamp, at) === 0;
  }

  /**
   * Returns the first row of a page whose timestamp is not below the given one, or the row after the page. A page that is absent is
   * searched when it comes, because the cache may have lost it by the next run. By then rows may have left memory, and the moment
   * may be in a later page.
   */
  #firstIn(page: number, timestamp: Uint32Array, at: number): number {
    const { table } = this.#options;
    const access = this.#access;
    const moment = (readBigint64(timestamp, at) << 64n) | BigInt(pageKey({ table, page }));
    const known = access.brought.firstRow(moment);
    if (known !== undefined) return known;
    const from = access.cache.find(table, page);
    if (from >= 0) return this.#search(page, access.cache.words, from, { timestamp, at });
    const sought = { timestamp: timestamp.slice(at, at + 2), at: 0 };
    const take: Take = (words, brought) => {
      const row = this.#search(page, words, 0, sought);
      brought.putFirstRow(moment, row);
      const offset = (row - page * this.perPage) * this.wordsPerRow;
      if (row < (page + 1) * this.perPage)
        brought.put(rowKey(table, row), words, offset, this.wordsPerRow);
    };
    access.notePage({ table, page }, take, this);
    return page * this.perPage;
  }

  /** Does that in the page's words at `words[from …]`. */
  #search(
    page: number,
    words: Uint32Array,
    from: number,
    { timestamp, at }: { readonly timestamp: Uint32Array; readonly at: number },
  ): number {
    const first = from + (this.#options.timestamp ?? 0);
    let row = 0;
    while (
      row < this.perPage &&
      compare64(words, first + row * this.wordsPerRow, timestamp, at) < 0
    )
      row += 1;
    return page * this.perPage + row;
  }

  #locate(row: number): void {
    const { table, wordsPerRow } = this.#options;
    const access = this.#access;
    if (row === this.#row && access.epoch === this.#epoch) {
      if (this.#words === ZEROS) access.notes += 1;
      return;
    }
    const page = Math.floor(row / this.perPage);
    const inPage = (row - page * this.perPage) * wordsPerRow;
    this.#row = row;
    if (page === this.#page && access.epoch === this.#epoch) {
      this.#offset = this.#pageOffset + inPage;
      return;
    }
    this.#epoch = access.epoch;
    this.#page = -1;
    const { brought, cache } = access;
    const found = brought.find(rowKey(table, row));
    if (found !== undefined) {
      this.#words = brought.words;
      this.#offset = found;
      return;
    }
    const whole = brought.pageOfRows({ table, page });
    const at = whole === undefined ? cache.find(table, page) : 0;
    if (at >= 0) {
      this.#words = whole ?? cache.words;
      this.#page = page;
      this.#pageOffset = at;
      this.#offset = at + inPage;
      return;
    }
    access.note({ table, page }, this, row);
    this.#words = ZEROS;
    this.#offset = 0;
  }
}

const ZEROS = new Uint32Array(PAGE_WORDS);
