/** Rows of a backup as the sections of a data file: whole pages, and the rows after them. */
import { SectionKind, type SectionHead } from '../ledger/checkpoint.ts';
import { ROWS_OF_PAGES } from '../ledger/checkpoint-tables.ts';
import { PAGE_BYTES, rowsPerPage } from '../ledger/page.ts';
import { packPages } from '../ledger/row-pages.ts';
import { pieceSizes, sectionBytes } from '../log/manifest.ts';
import { joinBytes } from './join-bytes.ts';
import type { StoredTable } from './record.ts';

const PAGES_OF_ROWS = new Map([...ROWS_OF_PAGES].map(([pages, rows]) => [rows, pages]));

/** Returns the heads of the sections that a table's rows become: its whole pages, and the rows after them. */
export function sectionsOf({ table, rowSize, rowCount }: StoredTable): SectionHead[] {
  const pageTable = PAGES_OF_ROWS.get(table);
  const perPage = rowsPerPage(rowSize / 4);
  const pages = pageTable === undefined ? 0 : Math.floor(rowCount / perPage);
  const firstRow = pages * perPage;
  const { append, replace } = SectionKind;
  const sections = [
    { kind: append, table: pageTable ?? table, rowSize: PAGE_BYTES, firstRow: 0, rowCount: pages },
    {
      kind: pageTable === undefined ? append : replace,
      table,
      rowSize,
      firstRow,
      rowCount: rowCount - firstRow,
    },
  ];
  return sections.filter((section) => section.rowCount > 0);
}

/** Turns rows into pages and the rows after them, if the table has pages. */
export function pagesOf(
  chunks: AsyncIterable<Uint8Array>,
  { table, rowSize }: StoredTable,
): AsyncIterable<Uint8Array> {
  const pageTable = PAGES_OF_ROWS.get(table);
  return pageTable === undefined ? chunks : packPages(chunks, { table: pageTable, rowSize });
}

/** Returns the sections with their bytes. They must be read to their ends, one after another. */
export function readSections(
  chunks: AsyncIterable<Uint8Array>,
  rows: StoredTable,
): readonly { readonly head: SectionHead; readonly chunks: AsyncIterable<Uint8Array> }[] {
  const heads = sectionsOf(rows);
  const sizes = heads.map((head) => pieceSizes(sectionBytes(head)));
  const parts = joinBytes(pagesOf(chunks, rows), sizes.flat());
  return heads.map((head, index) => ({ head, chunks: taken(parts, sizes[index]!.length) }));
}

/** Yields the next parts, and leaves the others. */
async function* taken(parts: AsyncIterator<Uint8Array>, count: number): AsyncGenerator<Uint8Array> {
  for (let i = 0; i < count; i += 1) {
    const { done, value } = await parts.next();
    if (done === true) return;
    yield value;
  }
}
