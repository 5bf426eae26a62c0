/** Decoding of pages (their layout: page-writer.ts). */
import type { ColumnPages, SegmentData } from './columns.ts';
import { pagesPerPiece } from './columns.ts';
import { PAGE_HEAD_BYTES, rowBytesOf } from './page-writer.ts';

/** Most rows that a page can have. */
export const PAGE_ROWS_MAX = 4096;

/** A column of a segment, through which pages are found and decoded. */
export class ColumnReader {
  readonly column: ColumnPages;
  readonly pages: number;
  readonly #firstRow: number;
  readonly #rowBytes: number;
  readonly #pageBytes: number;
  readonly #perPiece: number;
  /** The page that is being decoded: its piece, the place of the next byte, the end of its content. */
  #bytes: Uint8Array = NOTHING;
  #at = 0;
  #end = 0;

  constructor({ firstRow, endRow, pageBytes }: SegmentData, column: ColumnPages) {
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

  /** Writes the rows of an id's hash to `rows`. Returns their number, which is at most 1 for almost every id. */
  readIds(key: number, lower: number, rows: Uint32Array): number {
    let count = 0;
    const first = this.firstPageOf(key);
    const last = this.lastPageOf(key, first);
    for (let page = first; page <= last; page += 1) {
      let present = this.#begin(page);
      while (this.#at < this.#end) {
        present += this.#varint();
        if (present > key) return count;
        const isSame = present === key && this.#u16() === lower;
        this.#at += 2;
        if (isSame && count < rows.length) {
          rows[count] = this.#row();
          count += 1;
        } else this.#at += this.#rowBytes;
      }
    }
    return count;
  }

  /** Writes the rows that a page has of a key to `rows`, which has room for PAGE_ROWS_MAX. Returns their number. */
  readList(page: number, key: number, rows: Uint32Array): number {
    let present = this.#begin(page);
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

  /** Decodes a page of ids: its hashes to `keys` and `lowers`, its rows to `rows`. Returns their number. */
  readAllIds(page: number, keys: Uint32Array, lowers: Uint32Array, rows: Uint32Array): number {
    let key = this.#begin(page);
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
    let key = this.#begin(page);
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

  /** Goes to a page's beginning. Returns its first key. */
  #begin(page: number): number {
    const number = page + this.column.firstPage;
    const start = (number % this.#perPiece) * this.#pageBytes;
    this.#bytes = this.column.pieces[Math.floor(number / this.#perPiece)]!;
    this.#at = start + PAGE_HEAD_BYTES;
    this.#end = start + this.#bytes[start]! + this.#bytes[start + 1]! * 0x100;
    return this.column.firstKeys[page]!;
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
