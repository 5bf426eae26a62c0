/** Rows as bytes: the whole pages of a table, the rows after them, and both back into a table. */
import { PAGE_BYTES, PAGE_WORDS, isPage, rowsPerPage, sealPage } from './page.ts';
import type { RowTable } from './row-table.ts';

const CHUNK_BYTES_MAX = 1 << 20;

/** Yields the pages from `from` to `end`, whose rows are in memory. The yielded memory is used again. */
export function* encodePages(
  rows: RowTable,
  table: number,
  from: number,
  end: number,
): Generator<Uint8Array> {
  const pagesMax = CHUNK_BYTES_MAX / PAGE_BYTES;
  const words = new Uint32Array(Math.min(pagesMax, end - from) * PAGE_WORDS);
  for (let first = from; first < end; first += pagesMax) {
    const count = Math.min(pagesMax, end - first);
    for (let i = 0; i < count; i += 1)
      encodePage(rows, { table, page: first + i }, words, i * PAGE_WORDS);
    yield new Uint8Array(words.buffer, 0, count * PAGE_BYTES);
  }
}

/** Returns a page whose rows are all in memory; `undefined` if some are not there. */
export function pageInMemory(
  rows: RowTable,
  name: { readonly table: number; readonly page: number },
): Uint8Array | undefined {
  const perPage = rowsPerPage(rows.wordsPerRow);
  const first = name.page * perPage;
  if (first < rows.coldEnd || first + perPage > rows.count) return undefined;
  const words = new Uint32Array(PAGE_WORDS);
  encodePage(rows, name, words, 0);
  return new Uint8Array(words.buffer);
}

function encodePage(
  rows: RowTable,
  name: { readonly table: number; readonly page: number },
  to: Uint32Array,
  at: number,
): void {
  const { wordsPerRow, rowsPerChunk } = rows;
  const perPage = rowsPerPage(wordsPerRow);
  const first = name.page * perPage;
  let target = at;
  for (let row = first; row < first + perPage;) {
    const count = Math.min(first + perPage - row, rowsPerChunk - (row % rowsPerChunk));
    const from = rows.offsetOf(row);
    const words = count * wordsPerRow;
    to.set(rows.chunkOf(row).subarray(from, from + words), target);
    target += words;
    row += count;
  }
  sealPage(to, at, name, perPage);
}

/** Yields rows that are in memory, without copying them. */
export function* encodeRows(table: RowTable, from: number, end: number): Generator<Uint8Array> {
  const rowsMax = Math.floor(CHUNK_BYTES_MAX / table.rowBytes);
  for (let row = from; row < end;) {
    const inChunk = table.rowsPerChunk - (row % table.rowsPerChunk);
    const count = Math.min(rowsMax, inChunk, end - row);
    const words = table.chunkOf(row);
    const offset = words.byteOffset + table.offsetOf(row) * 4;
    yield new Uint8Array(words.buffer, offset, count * table.rowBytes);
    row += count;
  }
}

/**
 * Adds the rows of whole pages, the first of which is `page`, but for those that the table has already. Returns false if one of them is
 * not the page that it should be.
 */
export function addPages(
  rows: RowTable,
  bytes: Uint8Array,
  { table, page }: { readonly table: number; readonly page: number },
): boolean {
  const words = wordsIn(bytes);
  const { wordsPerRow } = rows;
  const perPage = rowsPerPage(wordsPerRow);
  for (let i = 0; i * PAGE_WORDS < words.length; i += 1) {
    if (!isPage(words, i * PAGE_WORDS, { table, page: page + i })) return false;
    const known = Math.min(perPage, Math.max(0, rows.count - (page + i) * perPage));
    addRows(rows, words, i * PAGE_WORDS + known * wordsPerRow, perPage - known);
  }
  return true;
}

/** Adds `count` rows at `words[from …]`. */
export function addRows(rows: RowTable, words: Uint32Array, from: number, count: number): void {
  const { wordsPerRow, rowsPerChunk } = rows;
  for (let done = 0; done < count;) {
    const row = rows.count;
    const fits = Math.min(count - done, rowsPerChunk - (row % rowsPerChunk));
    for (let i = 0; i < fits; i += 1) rows.push();
    const at = from + done * wordsPerRow;
    rows.chunkOf(row).set(words.subarray(at, at + fits * wordsPerRow), rows.offsetOf(row));
    done += fits;
  }
}

/** Returns bytes as words, copied if they do not begin at a whole word. */
export function wordsIn(bytes: Uint8Array): Uint32Array {
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : new Uint8Array(bytes);
  return new Uint32Array(aligned.buffer, aligned.byteOffset, aligned.length / 4);
}

/** Yields the rows of a table as whole pages, then the rows that fill none. Chunks of `rows` may end anywhere. */
export async function* packPages(
  rows: AsyncIterable<Uint8Array>,
  { table, rowSize }: { readonly table: number; readonly rowSize: number },
): AsyncGenerator<Uint8Array> {
  const perPage = rowsPerPage(rowSize / 4);
  const contentBytes = perPage * rowSize;
  let page = 0;
  let rest = new Uint8Array(0);
  for await (const chunk of rows) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const count = Math.floor(bytes.length / contentBytes);
    const words = new Uint32Array(count * PAGE_WORDS);
    const packed = new Uint8Array(words.buffer);
    for (let i = 0; i < count; i += 1, page += 1) {
      packed.set(bytes.subarray(i * contentBytes, (i + 1) * contentBytes), i * PAGE_BYTES);
      sealPage(words, i * PAGE_WORDS, { table, page }, perPage);
    }
    rest = new Uint8Array(bytes.subarray(count * contentBytes));
    if (count > 0) yield packed;
  }
  if (rest.length > 0) yield rest;
}
