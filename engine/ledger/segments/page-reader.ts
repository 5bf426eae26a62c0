/**
 * Decoding of pages (their layout: page-writer.ts). Those of a segment that has left memory are found in the cache or among what was
 * brought for the present computation. One that is absent is noted (cold-rows.ts).
 */
import { assert } from '../../../base/assert.ts';
import type { RowAccess } from '../cold-rows.ts';
import { PAGE_BYTES } from '../page.ts';
import type { ColumnPages, SegmentData } from './columns.ts';
import { pagesPerPiece } from './columns.ts';
import { PAGE_HEAD_BYTES, rowBytesOf } from './page-writer.ts';

/** Most rows that a page can have. */
export const PAGE_ROWS_MAX = 4096;

/** Returned instead of a number of rows if the page is not in memory. */
export const ABSENT_PAGE = -1;
/** Pages in which one hash of an id is looked for. More than two is a coincidence that nobody will see. */
const ID_PAGES_MAX = 32;

/** What the pages of a segment say follows from these. */
export type PagesIn = Pick<SegmentData, 'firstRow' | 'endRow' | 'pageBytes'>;

/** Places of the pages of a column that has left memory. */
export interface VolumePages {
  readonly access: RowAccess;
  /** Table of the checkpoint. */
  readonly table: number;
  /** Number of the column's first page in it. */
  readonly firstPage: number;
}

/** A column of a segment, through which pages are found and decoded. */
export class ColumnReader {
  column: ColumnPages;
  #volume: VolumePages | undefined;
  readonly pages: number;
  readonly #firstRow: number;
  readonly #rowBytes: number;
  readonly #pageBytes: number;
  readonly #perPiece: number;
  /** The page that is being decoded: its piece, the place of the next byte, the end of its content. */
  #bytes: Uint8Array = NOTHING;
  #at = 0;
  #end = 0;

  constructor({ firstRow, endRow, pageBytes }: PagesIn, column: ColumnPages) {
    this.column = column;
    this.pages = column.firstKeys.length;
    this.#firstRow = firstRow;
    this.#rowBytes = rowBytesOf(endRow - firstRow);
    this.#pageBytes = pageBytes;
    this.#perPiece = pagesPerPiece(pageBytes);
  }

  /** Returns the last page whose first key is below the key; 0 if there is none. A list of the key may begin in it. */
  firstPageOf(key: number): number {
    return Math.max(0, this.#countBelow(key) - 1);
  }

  /** Returns the last page in which the key may be, at least `firstPage`. */
  lastPageOf(key: number, firstPage: number): number {
    // Most keys end where they begin.
    const { firstKeys } = this.column;
    if (firstPage + 1 >= this.pages || firstKeys[firstPage + 1]! > key) return firstPage;
    return Math.max(firstPage, this.#countBelow(key + 1) - 1);
  }

  /** Drops the pages from memory: from now on they are read from the volume. */
  leave(volume: VolumePages): void {
    const { firstKeys, firstRows } = this.column;
    this.column = { pieces: [], firstPage: 0, firstKeys, firstRows };
    this.#volume = volume;
    this.#bytes = NOTHING;
  }

  /** Writes the rows of an id's hash to `rows`. Returns their number, which is at most 1 for almost every id. */
  readIds(key: number, lower: number, rows: Uint32Array): number {
    let count = 0;
    const first = this.firstPageOf(key);
    const last = this.lastPageOf(key, first);
    for (let page = first; page <= last; page += 1) {
      const place = { page, nth: page - first };
      if (this.#volume !== undefined)
        count = this.#askForId(this.#volume, place, key, lower, rows, count);
      else {
        this.#begin(page);
        count = this.#readIdsOf(page, key, lower, rows, count);
      }
    }
    return count;
  }

  /**
   * Writes the rows that a page has of a key to `rows`, which has room for PAGE_ROWS_MAX. Returns their number, or ABSENT_PAGE if the page
   * is noted as absent.
   */
  readList(page: number, key: number, rows: Uint32Array): number {
    if (!this.#begin(page)) {
      this.notePage(page);
      return ABSENT_PAGE;
    }
    let present = this.column.firstKeys[page]!;
    while (this.#at < this.#end) {
      const head = this.#varint();
      const isSingle = head % 2 === 1;
      present += (head - (isSingle ? 1 : 0)) / 2;
      if (present > key) return 0;
      if (present === key) return isSingle ? this.#readSingle(rows, 0) : this.#readCounted(rows, 0);
      if (isSingle) this.#at += this.#rowBytes;
      else this.#skipCounted();
    }
    return 0;
  }

  /** Notes a page of a field as absent, unless it is here. Returns whether it did. */
  notePage(page: number): boolean {
    if (this.#volume === undefined || this.#begin(page)) return false;
    const { access, table, firstPage } = this.#volume;
    const name = { table, page: firstPage + page };
    access.notePage(name, (words, brought) => {
      brought.putPage(name, words);
    });
    return true;
  }

  /** Decodes a page of ids: its hashes to `keys` and `lowers`, its rows to `rows`. Returns their number. */
  readAllIds(page: number, keys: Uint32Array, lowers: Uint32Array, rows: Uint32Array): number {
    this.#begin(page);
    let key = this.column.firstKeys[page]!;
    let count = 0;
    for (; this.#at < this.#end; count += 1) {
      key += this.#varint();
      keys[count] = key;
      lowers[count] = this.#u16();
      this.#at += 2;
      rows[count] = this.#row();
    }
    return count;
  }

  /**
   * Decodes a page of a field: the keys of its lists to `keys`, the end of each list's rows to `ends`, all rows to `rows`.
   * Returns the number of lists.
   */
  readLists(page: number, keys: Uint32Array, ends: Uint32Array, rows: Uint32Array): number {
    this.#begin(page);
    let key = this.column.firstKeys[page]!;
    let lists = 0;
    let count = 0;
    while (this.#at < this.#end) {
      const head = this.#varint();
      const isSingle = head % 2 === 1;
      key += (head - (isSingle ? 1 : 0)) / 2;
      count += isSingle ? this.#readSingle(rows, count) : this.#readCounted(rows, count);
      keys[lists] = key;
      ends[lists] = count;
      lists += 1;
    }
    return lists;
  }

  #readSingle(rows: Uint32Array, to: number): number {
    rows[to] = this.#row();
    return 1;
  }

  #readCounted(rows: Uint32Array, to: number): number {
    const count = this.#u16();
    this.#at += 2;
    let row = this.#row();
    rows[to] = row;
    for (let i = 1; i < count; i += 1) {
      row += this.#varint();
      rows[to + i] = row;
    }
    return count;
  }

  #skipCounted(): void {
    const bytes = this.#bytes;
    let left = this.#u16() - 1;
    let at = this.#at + 2 + this.#rowBytes;
    for (; left > 0; at += 1) if (bytes[at]! < 0x80) left -= 1;
    this.#at = at;
  }

  /** Adds the rows that a page of the volume has of an id's hash: at once if they are known or the page is here. */
  #askForId(
    { access, table, firstPage }: VolumePages,
    { page, nth }: { readonly page: number; readonly nth: number },
    key: number,
    lower: number,
    rows: Uint32Array,
    count: number,
  ): number {
    assert(nth < ID_PAGES_MAX, 'ids whose hashes are equal fill no 32 pages: the key is secret');
    // 53 bits.
    const hash = (nth * 2 ** 32 + key) * 2 ** 16 + lower;
    const known = access.brought.rowsOfId(table, hash);
    if (known !== undefined) {
      const fits = known.slice(0, rows.length - count);
      rows.set(fits, count);
      return count + fits.length;
    }
    if (this.#begin(page)) return this.#readIdsOf(page, key, lower, rows, count);
    access.notePage({ table, page: firstPage + page }, (words, brought) => {
      this.#beginAt(new Uint8Array(words.buffer, words.byteOffset, PAGE_BYTES), 0);
      const end = this.#readIdsOf(page, key, lower, rows, 0);
      brought.putRowsOfId(table, hash, [...rows.subarray(0, end)]);
    });
    return count;
  }

  /** Adds the rows that the page which was begun has of an id's hash. Returns their new number. */
  #readIdsOf(page: number, key: number, lower: number, rows: Uint32Array, count: number): number {
    let present = this.column.firstKeys[page]!;
    let to = count;
    while (this.#at < this.#end) {
      present += this.#varint();
      if (present > key) return to;
      const isSame = present === key && this.#u16() === lower;
      this.#at += 2;
      if (isSame && to < rows.length) {
        rows[to] = this.#row();
        to += 1;
      } else this.#at += this.#rowBytes;
    }
    return to;
  }

  /** Goes to a page's beginning. Returns false if the page is not in memory. */
  #begin(page: number): boolean {
    if (this.#volume !== undefined) return this.#beginOnVolume(this.#volume, page);
    const number = page + this.column.firstPage;
    const piece = this.column.pieces[Math.floor(number / this.#perPiece)]!;
    this.#beginAt(piece, (number % this.#perPiece) * this.#pageBytes);
    return true;
  }

  #beginOnVolume({ access, table, firstPage }: VolumePages, page: number): boolean {
    const name = { table, page: firstPage + page };
    const kept = access.brought.page(name);
    if (kept !== undefined) {
      this.#beginAt(kept, 0);
      return true;
    }
    const at = access.cache.find(table, name.page);
    if (at < 0) return false;
    this.#beginAt(access.cache.bytes, at * 4);
    return true;
  }

  #beginAt(bytes: Uint8Array, start: number): void {
    this.#bytes = bytes;
    this.#at = start + PAGE_HEAD_BYTES;
    this.#end = start + bytes[start]! + bytes[start + 1]! * 0x100;
  }

  #varint(): number {
    const bytes = this.#bytes;
    let byte = bytes[this.#at]!;
    this.#at += 1;
    if (byte < 0x80) return byte;
    let value = byte & 0x7f;
    let unit = 0x80;
    do {
      byte = bytes[this.#at]!;
      this.#at += 1;
      value += (byte & 0x7f) * unit;
      unit *= 0x80;
    } while (byte >= 0x80);
    return value;
  }

  #u16(): number {
    return this.#bytes[this.#at]! + this.#bytes[this.#at + 1]! * 0x100;
  }

  #row(): number {
    const bytes = this.#bytes;
    let row = this.#firstRow;
    let unit = 1;
    for (let i = 0; i < this.#rowBytes; i += 1) {
      row += bytes[this.#at]! * unit;
      this.#at += 1;
      unit *= 0x100;
    }
    return row;
  }

  /** Returns the number of pages whose first key is below `key`. */
  #countBelow(key: number): number {
    const { firstKeys } = this.column;
    let low = 0;
    let high = this.pages;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (firstKeys[middle]! < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

const NOTHING = new Uint8Array(0);
