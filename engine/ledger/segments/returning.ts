/** Pages of one column that are on the volume only, on their way back: those of a segment that is merged with its neighbours. */
import type { PageName } from '../page.ts';
import { type ColumnPages, PAGE_BYTES, pagesPerPiece, sharedBytes } from './columns.ts';
import type { Segment } from './segment.ts';

/** Pages that are brought at a time: half a MiB, which lies in one place. */
const PAGES_A_TIME = 128;

export class ReturningColumn {
  readonly table: number;
  readonly #column: ColumnPages;
  readonly #firstPage: number;
  readonly #pages: number;
  readonly #pieces: Uint8Array[] = [];
  /** By page: 1 if it is here. */
  readonly #isHere: Uint8Array;
  /** Pages before it are here. */
  #lacking = 0;

  /** The column's pages follow `firstPage` others in the table. */
  constructor(table: number, firstPage: number, column: ColumnPages) {
    this.table = table;
    this.#firstPage = firstPage;
    this.#column = column;
    this.#pages = column.firstKeys.length;
    this.#isHere = new Uint8Array(this.#pages);
  }

  static of({ table, columns }: Segment, at: number): ReturningColumn {
    const firstPage = columns.slice(0, at).reduce((sum, { pages }) => sum + pages, 0);
    return new ReturningColumn(table!, firstPage, columns[at]!.column);
  }

  /** The next pages; none if all are here. */
  next(): readonly PageName[] {
    const names: PageName[] = [];
    for (let at = this.#lacking; at < this.#pages && names.length < PAGES_A_TIME; at += 1)
      if (this.#isHere[at] === 0) names.push({ table: this.table, page: this.#firstPage + at });
    return names;
  }

  /** Takes pages that `next` named, in any order. A read that fails may bring some of them, and after the next one has begun. */
  put({ page }: PageName, words: Uint32Array): void {
    const at = page - this.#firstPage;
    // It may even be of a column before this one.
    if (this.#isHere[at] !== 0) return;
    const perPiece = pagesPerPiece(PAGE_BYTES);
    const index = Math.floor(at / perPiece);
    while (this.#pieces.length <= index) {
      const pages = Math.min(perPiece, this.#pages - this.#pieces.length * perPiece);
      this.#pieces.push(sharedBytes(pages * PAGE_BYTES));
    }
    const bytes = new Uint8Array(words.buffer, words.byteOffset, PAGE_BYTES);
    this.#pieces[index]!.set(bytes, (at % perPiece) * PAGE_BYTES);
    this.#isHere[at] = 1;
    while (this.#isHere[this.#lacking] === 1) this.#lacking += 1;
  }

  /** The column, once all pages are here. */
  get column(): ColumnPages {
    return { ...this.#column, pieces: this.#pieces, firstPage: 0 };
  }
}
