/**
 * Pages: rows that have left memory, cut into blocks of the volume. A page never changes; its number in its table names it for
 * ever, wherever it lies. It carries that name and a checksum, so that each page that is read is verified by itself.
 *
 *   content 4,032 bytes ‖ table u32 ‖ page u64 ‖ rows u32 ‖ zeros ‖ checksum of all before it, 16 bytes
 */
import { StateHash } from './state-hash.ts';

export const PAGE_BYTES = 4096;
export const PAGE_WORDS = PAGE_BYTES / 4;
const CONTENT_WORDS = 1008;
const CHECKSUM = PAGE_WORDS - 4;
const Trailer = { table: CONTENT_WORDS, page: CONTENT_WORDS + 1, rows: CONTENT_WORDS + 3 } as const;

/** Name of a page: the number of its table in checkpoints, and its own in that table. */
export interface PageName {
  readonly table: number;
  readonly page: number;
}

/** Returns the number of rows in a page. */
export const rowsPerPage = (wordsPerRow: number): number => Math.floor(CONTENT_WORDS / wordsPerRow);

const hash = new StateHash();

/** Writes the trailer of the page at `words[at …]`, whose content is there. */
export function sealPage(words: Uint32Array, at: number, name: PageName, rows: number): void {
  words.fill(0, at + CONTENT_WORDS, at + PAGE_WORDS);
  words[at + Trailer.table] = name.table;
  words[at + Trailer.page] = name.page;
  words[at + Trailer.page + 1] = Math.floor(name.page / 2 ** 32);
  words[at + Trailer.rows] = rows;
  words.set(checksum(words, at), at + CHECKSUM);
}

/** Returns the name that the page at `words[at …]` says it has. */
export const pageNameAt = (words: Uint32Array, at: number): PageName => ({
  table: words[at + Trailer.table]!,
  page: words[at + Trailer.page]! + words[at + Trailer.page + 1]! * 2 ** 32,
});

/** Returns whether `words[at …]` are the page of this name, undamaged. */
export function isPage(words: Uint32Array, at: number, name: PageName): boolean {
  if (
    words[at + Trailer.table] !== name.table ||
    words[at + Trailer.page] !== name.page >>> 0 ||
    words[at + Trailer.page + 1] !== Math.floor(name.page / 2 ** 32)
  )
    return false;
  const lanes = checksum(words, at);
  for (let i = 0; i < 4; i += 1) if (words[at + CHECKSUM + i] !== lanes[i]) return false;
  return true;
}

/** The state hash's function: a changed word always changes it. */
function checksum(words: Uint32Array, at: number): Uint32Array {
  hash.lanes.fill(0);
  hash.absorb(words, at, at + CHECKSUM);
  hash.mix();
  return hash.lanes;
}
