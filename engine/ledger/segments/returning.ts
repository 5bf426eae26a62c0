/** Pages of a segment that has left memory, on their way back: its neighbours are to be merged with it. */
import type { PageName } from '../page.ts';
import { PAGE_BYTES, pagesPerPiece, sharedBytes } from './columns.ts';
import type { Segment } from './segment.ts';

/** Pages that are brought at a time: half a MiB, which lies in one place. */
const PAGES_A_TIME = 128;

export class ReturningPages {
  readonly segment: Segment;
  readonly #pages: number;
  readonly #pieces: Uint8Array[] = [];
  #arrived = 0;

  constructor(segment: Segment) {
    this.segment = segment;
    this.#pages = segment.pagesAway;
  }

  /** The next pages; none if all are here. */
  next(): readonly PageName[] {
    const count = Math.min(PAGES_A_TIME, this.#pages - this.#arrived);
    const table = this.segment.table!;
    return Array.from({ length: count }, (_, i) => ({ table, page: this.#arrived + i }));
  }

  /** Takes pages that `next` named, in any order. */
  put({ page }: PageName, words: Uint32Array): void {
    const perPiece = pagesPerPiece(PAGE_BYTES);
    const index = Math.floor(page / perPiece);
    while (this.#pieces.length <= index) {
      const pages = Math.min(perPiece, this.#pages - this.#pieces.length * perPiece);
      this.#pieces.push(sharedBytes(pages * PAGE_BYTES));
    }
    const bytes = new Uint8Array(words.buffer, words.byteOffset, PAGE_BYTES);
    this.#pieces[index]!.set(bytes, (page % perPiece) * PAGE_BYTES);
    this.#arrived += 1;
  }

  /** Gives the segment its pages. */
  finish(): void {
    this.segment.comeBack(this.#pieces);
  }
}
