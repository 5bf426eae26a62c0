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
  #arrived = 0;

  /** The column's pages follow `firstPage` others in the table. */
  constructor(table: number, firstPage: number, column: ColumnPages) {
    this.table = table;
    this.#firstPage = firstPage;
    this.#column = column;
    this.#pages = column.firstKeys.length;
  }

  static of({ table, columns }: Segment, at: number): ReturningColumn {
    const firstPage = columns.slice(0, at).reduce((sum, { pages }) => sum + pages, 0);
    return new ReturningColumn(table!, firstPage, columns[at]!.column);
  }

  /** The next pages; none if all are here. */
  next(): readonly PageName[] {
    const count = Math.min(PAGES_A_TIME, this.#pages - this.#arrived);
    const first = this.#firstPage + this.#arrived;
    return Array.from({ length: count }, (_, i) => ({ table: this.table, page: first + i }));
  }

  /** Takes pages that `next` named, in any order. */
  put({ page }: PageName, words: Uint32Array): void {
    const perPiece = pagesPerPiece(PAGE_BYTES);
    const at = page - this.#firstPage;
    const index = Math.floor(at / perPiece);
    while (this.#pieces.length <= index) {
      const pages = Math.min(perPiece, this.#pages - this.#pieces.length * perPiece);
      this.#pieces.push(sharedBytes(pages * PAGE_BYTES));
    }
    const bytes = new Uint8Array(words.buffer, words.byteOffset, PAGE_BYTES);
    this.#pieces[index]!.set(bytes, (at % perPiece) * PAGE_BYTES);
    this.#arrived += 1;
  }

  /** The column, once all pages are here. */
  get column(): ColumnPages {
    return { ...this.#column, pieces: this.#pieces, firstPage: 0 };
  }
}
