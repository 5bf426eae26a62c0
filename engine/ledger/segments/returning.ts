/** Pages of one column of a segment that has left memory, on their way back: its neighbours are to be merged with it. */
import type { PageName } from '../page.ts';
import { type ColumnPages, PAGE_BYTES, pagesPerPiece, sharedBytes } from './columns.ts';
import type { Segment } from './segment.ts';

/** Pages that are brought at a time: half a MiB, which lies in one place. */
const PAGES_A_TIME = 128;

export class ReturningColumn {
  readonly segment: Segment;
  readonly #column: number;
  readonly #firstPage: number;
  readonly #pages: number;
  readonly #pieces: Uint8Array[] = [];
  #arrived = 0;

  constructor(segment: Segment, column: number) {
    this.segment = segment;
    this.#column = column;
    const before = segment.columns.slice(0, column);
    this.#firstPage = before.reduce((sum, { pages }) => sum + pages, 0);
    this.#pages = segment.columns[column]!.pages;
  }

  /** The next pages; none if all are here. */
  next(): readonly PageName[] {
    const count = Math.min(PAGES_A_TIME, this.#pages - this.#arrived);
    const table = this.segment.table!;
    const first = this.#firstPage + this.#arrived;
    return Array.from({ length: count }, (_, i) => ({ table, page: first + i }));
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
    return { ...this.segment.columns[this.#column]!.column, pieces: this.#pieces, firstPage: 0 };
  }
}
