/**
 * The stored rows of one table, to be loaded in order: whole pages, then single rows. Data files of format version 1 have only
 * single rows. Nothing is read before it is asked for, and no page whose rows the table has from the beginning.
 */
import type { SectionHead, StoredBytes } from './checkpoint.ts';
import { PAGE_BYTES, rowsPerPage } from './page.ts';
import { addPages, addRows, wordsIn } from './row-pages.ts';
import type { RowTable } from './row-table.ts';

interface Stored {
  readonly head: SectionHead;
  readonly chunks: StoredBytes;
}

type Check = (condition: boolean, message: string) => asserts condition;

export class RowFeed {
  readonly table: RowTable;
  readonly #pageTable: number;
  readonly #check: Check;
  #pageSections: Stored[] = [];
  #rowSections: Stored[] = [];
  #pages = 0;
  #rowsEnd: number | undefined;
  #running: AsyncGenerator<void> | undefined;
  isOver = false;

  constructor(table: RowTable, pageTable: number, check: Check) {
    this.table = table;
    this.#pageTable = pageTable;
    this.#check = check;
  }

  /** Number of rows in pages. */
  get pagedRows(): number {
    return this.#pages * rowsPerPage(this.table.wordsPerRow);
  }

  get pages(): number {
    return this.#pages;
  }

  /** Number of all rows. */
  get rowCount(): number {
    return this.#rowsEnd ?? this.pagedRows;
  }

  /** Drops the single rows that were given before: another section replaces them. */
  replaceRows(): void {
    this.#rowSections = [];
    this.#rowsEnd = undefined;
  }

  takePages(head: SectionHead, chunks: StoredBytes): void {
    const check: Check = this.#check;
    check(head.firstRow === this.#pages, `a section of table ${head.table} is missing`);
    this.#pages += head.rowCount;
    this.#pageSections.push({ head, chunks });
  }

  takeRows(head: SectionHead, chunks: StoredBytes): void {
    const check: Check = this.#check;
    check(
      this.#rowsEnd === undefined || head.firstRow === this.#rowsEnd,
      `a section of table ${head.table} is missing`,
    );
    this.#rowsEnd = head.firstRow + head.rowCount;
    this.#rowSections.push({ head, chunks });
  }

  /** Adds more rows to the table. Returns false if there are none. */
  async more(): Promise<boolean> {
    this.#running ??= this.#run();
    const { done } = await this.#running.next();
    this.isOver = done === true;
    return !this.isOver;
  }

  async *#run(): AsyncGenerator<void> {
    const check: Check = this.#check;
    for (const section of this.#pageSections) yield* this.#runPages(section);
    for (const [index, section] of this.#rowSections.entries()) {
      const follows = index > 0 || section.head.firstRow === this.pagedRows;
      check(follows, `a section of table ${section.head.table} is missing`);
      yield* this.#runRows(section);
    }
  }

  async *#runPages({ head, chunks }: Stored): AsyncGenerator<void> {
    const check: Check = this.#check;
    const end = head.firstRow + head.rowCount;
    const known = Math.floor(this.table.count / rowsPerPage(this.table.wordsPerRow));
    if (known >= end) return;
    const lacking = bytesFrom(chunks, Math.max(0, known - head.firstRow) * PAGE_BYTES);
    let page = head.firstRow + lacking.at / PAGE_BYTES;
    for await (const bytes of lacking.chunks) {
      const count = bytes.length / PAGE_BYTES;
      check(
        Number.isInteger(count) && page + count <= end,
        'a section holds other pages than it says',
      );
      const isWhole = addPages(this.table, bytes, { table: this.#pageTable, page });
      check(
        isWhole,
        `a page of table ${head.table} is damaged, or another one stands in its place`,
      );
      page += count;
      yield;
    }
    check(page === end, 'a section holds fewer pages than it says');
  }

  async *#runRows({ head, chunks }: Stored): AsyncGenerator<void> {
    const check: Check = this.#check;
    const { table } = this;
    const { rowBytes } = table;
    const end = table.count + head.rowCount;
    // Chunks may end inside a row.
    let partial = new Uint8Array(0);
    for await (const chunk of chunks) {
      const bytes = partial.length === 0 ? chunk : Buffer.concat([partial, chunk]);
      const count = Math.floor(bytes.length / rowBytes);
      check(
        table.count + count + (bytes.length % rowBytes === 0 ? 0 : 1) <= end,
        'a section holds more rows than it says',
      );
      addRows(table, wordsIn(bytes.subarray(0, count * rowBytes)), 0, count);
      partial = new Uint8Array(bytes.subarray(count * rowBytes));
      yield;
    }
    check(partial.length === 0 && table.count === end, 'a section holds fewer rows than it says');
  }
}

const bytesFrom = (
  chunks: StoredBytes,
  least: number,
): { readonly at: number; readonly chunks: AsyncIterable<Uint8Array> } =>
  least > 0 && chunks.from !== undefined ? chunks.from(least) : { at: 0, chunks };
