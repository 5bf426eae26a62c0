/**
 * Encoding of sorted entries into pages. A page begins with the number of its used bytes (u16); entries follow:
 *
 *   id      varint(key − key before) ‖ lower 16 bits of the hash ‖ row
 *   field   varint((key − key before) · 2 + 1) ‖ row                                       a key with one row
 *           varint((key − key before) · 2) ‖ number of rows (u16) ‖ row ‖ varint(row − row before) …
 *
 * Rows count from the segment's first and take as many bytes as its number of rows needs. The first key of a page is in the
 * directory, so its difference is 0. A list that goes on in the next page begins there again, with its key.
 */
import {
  type ColumnPages,
  PAGE_TRAILER_BYTES,
  pagesPerPiece,
  sharedBytes,
  sharedWords,
} from './columns.ts';

export const PAGE_HEAD_BYTES = 2;
/** Most bytes of an entry: a difference, a count or lower bits, a row. */
const ENTRY_BYTES_MAX = 5 + 2 + 4;
const VARINT_BYTES_MAX = 5;
const NO_KEY = -1;

/** Returns the bytes that a row number takes in a segment of so many rows. */
export function rowBytesOf(rows: number): number {
  if (rows <= 1 << 8) return 1;
  if (rows <= 1 << 16) return 2;
  return rows <= 1 << 24 ? 3 : 4;
}

export interface PagesOf {
  readonly pageBytes: number;
  readonly firstRow: number;
  readonly endRow: number;
}

/** Pages that fill one after another, and their directory. */
class Pages {
  readonly pageBytes: number;
  readonly rowBytes: number;
  readonly firstRow: number;
  readonly #pieceBytes: number;
  readonly #pieces: Uint8Array[] = [];
  readonly #firstKeys: number[] = [];
  readonly #firstRows: number[] = [];
  /** The piece that is being filled, and the place of the next byte in it. */
  bytes: Uint8Array;
  at = 0;
  /** End of the present page's content. */
  limit = 0;
  #start = 0;
  /** Where the next page begins. */
  #next = 0;

  constructor({ pageBytes, firstRow, endRow }: PagesOf) {
    this.pageBytes = pageBytes;
    this.firstRow = firstRow;
    this.rowBytes = rowBytesOf(endRow - firstRow);
    this.#pieceBytes = pagesPerPiece(pageBytes) * pageBytes;
    this.bytes = new Uint8Array(Math.min(this.#pieceBytes, 64 * pageBytes));
  }

  begin(key: number, row: number): void {
    if (this.#next > 0) this.end();
    if (this.#next === this.#pieceBytes) this.#endPiece();
    this.#start = this.#next;
    this.#next += this.pageBytes;
    this.limit = this.#next - PAGE_TRAILER_BYTES;
    if (this.#next > this.bytes.length) {
      const larger = new Uint8Array(Math.min(this.#pieceBytes, this.bytes.length * 4));
      larger.set(this.bytes);
      this.bytes = larger;
    }
    this.at = this.#start + PAGE_HEAD_BYTES;
    this.#firstKeys.push(key);
    this.#firstRows.push(row);
  }

  end(): void {
    const used = this.at - this.#start;
    this.bytes[this.#start] = used;
    this.bytes[this.#start + 1] = used >>> 8;
    this.bytes.fill(0, this.at, this.#next);
  }

  finish(): ColumnPages {
    if (this.#next > 0) {
      this.end();
      this.#endPiece();
    }
    const firstKeys = sharedWords(this.#firstKeys.length);
    firstKeys.set(this.#firstKeys);
    const firstRows = sharedWords(this.#firstRows.length);
    firstRows.set(this.#firstRows);
    return { pieces: this.#pieces, firstPage: 0, firstKeys, firstRows };
  }

  varint(value: number): void {
    const { bytes } = this;
    let rest = value;
    // A difference that is doubled can exceed 32 bits.
    while (rest >= 0x8000_0000) {
      bytes[this.at] = (rest % 0x80) | 0x80;
      this.at += 1;
      rest = Math.floor(rest / 0x80);
    }
    while (rest >= 0x80) {
      bytes[this.at] = rest | 0x80;
      this.at += 1;
      rest >>>= 7;
    }
    bytes[this.at] = rest;
    this.at += 1;
  }

  row(row: number): void {
    const { bytes } = this;
    let rest = row - this.firstRow;
    for (let i = 0; i < this.rowBytes; i += 1) {
      bytes[this.at] = rest;
      this.at += 1;
      rest >>>= 8;
    }
  }

  #endPiece(): void {
    const piece = sharedBytes(this.#next);
    piece.set(this.bytes.subarray(0, this.#next));
    this.#pieces.push(piece);
    this.#next = 0;
  }
}

export class IdWriter {
  readonly #pages: Pages;
  #last = 0;

  constructor(of: PagesOf) {
    this.#pages = new Pages(of);
  }

  /** Adds an id's hash. Entries come in rising order of `key`, `lower` and row. */
  add(key: number, lower: number, row: number): void {
    const pages = this.#pages;
    if (pages.at + ENTRY_BYTES_MAX > pages.limit) {
      pages.begin(key, row);
      this.#last = key;
    }
    pages.varint(key - this.#last);
    this.#last = key;
    const { bytes, at } = pages;
    bytes[at] = lower;
    bytes[at + 1] = lower >>> 8;
    pages.at = at + 2;
    pages.row(row);
  }

  finish(): ColumnPages {
    return this.#pages.finish();
  }
}

export class FieldWriter {
  readonly #pages: Pages;
  /** Key written last in this page. */
  #last = 0;
  /** Key whose list is open. Its first row is not written before it is known whether there is a second. */
  #key = NO_KEY;
  #count = 0;
  #countAt = 0;
  #row = 0;

  constructor(of: PagesOf) {
    this.#pages = new Pages(of);
  }

  /** Adds a row of a key. Keys come in rising order, the rows of a key too. */
  add(key: number, row: number): void {
    if (key === this.#key) {
      this.#addMore(row);
      return;
    }
    this.#endList();
    const pages = this.#pages;
    if (pages.at + ENTRY_BYTES_MAX > pages.limit) {
      pages.begin(key, row);
      this.#last = key;
    }
    this.#key = key;
    this.#row = row;
    this.#count = 1;
  }

  finish(): ColumnPages {
    this.#endList();
    return this.#pages.finish();
  }

  #addMore(row: number): void {
    const pages = this.#pages;
    if (this.#count === 1) {
      pages.varint((this.#key - this.#last) * 2);
      this.#last = this.#key;
      this.#countAt = pages.at;
      pages.at += 2;
      pages.row(this.#row);
    }
    if (pages.at + VARINT_BYTES_MAX > pages.limit) {
      const key = this.#key;
      this.#endCounted();
      pages.begin(key, row);
      this.#last = key;
      this.#row = row;
      this.#count = 1;
      return;
    }
    pages.varint(row - this.#row);
    this.#row = row;
    this.#count += 1;
  }

  #endList(): void {
    if (this.#key === NO_KEY) return;
    if (this.#count > 1) {
      this.#endCounted();
      return;
    }
    this.#pages.varint((this.#key - this.#last) * 2 + 1);
    this.#last = this.#key;
    this.#pages.row(this.#row);
  }

  #endCounted(): void {
    const { bytes } = this.#pages;
    bytes[this.#countAt] = this.#count;
    bytes[this.#countAt + 1] = this.#count >>> 8;
  }
}
