/**
 * How far a merge from the volume to the volume is, so that a later process goes on with it. The pages of its result are in a table. What says
 * where they are follows all of them there, so until it is written, a table of its own has it for the columns whose pages are all durable.
 */
import { type ColumnPages, sharedWords } from './columns.ts';

export interface MergeProgress {
  readonly firstRow: number;
  readonly endRow: number;
  /** Table of the result. */
  readonly table: number;
  /** The first columns, those whose pages are all in the table; without pages in memory. Pages of the next column may follow there. */
  readonly columns: readonly ColumnPages[];
}

/** How merges write pages and the filter that follows them. Raise it if they write other ones: no process may add its own to those of a release that wrote others. */
const VERSION = 1;
const HEAD_WORDS = 5;

export function progressWords({ firstRow, endRow, table, columns }: MergeProgress): Uint32Array {
  const head = [VERSION, table, firstRow, endRow, columns.length];
  const words = new Uint32Array(HEAD_WORDS + columns.length + pagesOf(columns) * 2);
  words.set([...head, ...columns.map(({ firstKeys }) => firstKeys.length)]);
  let to = HEAD_WORDS + columns.length;
  for (const { firstKeys, firstRows } of columns) {
    words.set(firstKeys, to);
    words.set(firstRows, to + firstKeys.length);
    to += firstKeys.length * 2;
  }
  return words;
}

/** Returns what `progressWords` has written; `undefined` if these are other words. */
export function progressOf(words: Uint32Array): MergeProgress | undefined {
  if (words[0] !== VERSION) return undefined;
  const [, table, firstRow, endRow, count] = words as unknown as [
    0,
    number,
    number,
    number,
    number,
  ];
  const pages = words.subarray(HEAD_WORDS, HEAD_WORDS + count);
  let at = HEAD_WORDS + count;
  if (words.length !== at + pages.reduce((sum, one) => sum + one * 2, 0)) return undefined;
  const columns = Array.from(pages, (length): ColumnPages => {
    const [firstKeys, firstRows] = [sharedWords(length), sharedWords(length)];
    firstKeys.set(words.subarray(at, at + length));
    firstRows.set(words.subarray(at + length, at + length * 2));
    at += length * 2;
    return { pieces: [], firstPage: 0, firstKeys, firstRows };
  });
  return { firstRow, endRow, table, columns };
}

export const pagesOf = (columns: readonly ColumnPages[]): number =>
  columns.reduce((sum, { firstKeys }) => sum + firstKeys.length, 0);
