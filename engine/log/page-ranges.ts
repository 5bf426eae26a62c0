/**
 * Ranges of the pages of rows that a replica's file holds. A replica that fetches another one's state names them, so that it is sent the other
 * pages only (send-missing.ts, take-missing.ts). A page has one content for ever in one history; that two files have the same history
 * is proved by that content alone: each range has a seal under a key that is made for one fetch.
 */
import { SectionKind } from '../ledger/checkpoint.ts';
import { PageTableId } from '../ledger/layout.ts';
import { PAGE_BYTES } from '../ledger/page.ts';
import { DataFileError } from './errors.ts';
import type { StoredCheckpoint } from './load.ts';
import { type Piece, readPiece, type StoredSection } from './manifest.ts';
import { seal } from './seal.ts';
import { isUnreadable } from './storage.ts';

/** Neighbouring pages. The seal is absent if some of them are damaged, so that they are sent. */
export interface PageRange {
  readonly pages: number;
  readonly seal?: Uint8Array;
}

/** Ranges of a table of pages, one after another from its first page on. */
export interface TableRanges<Range extends PageRange = PageRange> {
  readonly table: number;
  readonly ranges: readonly Range[];
}

/** What a replica holds, as others are told. */
export interface HeldRanges {
  /** Key of the ranges' seals. */
  readonly key: Uint8Array;
  readonly tables: readonly TableRanges[];
}

/** A range of this replica's file, with the pieces that hold it. */
export interface OwnRange extends PageRange {
  readonly pieces: readonly Piece[];
}

export interface OwnRanges extends HeldRanges {
  readonly tables: readonly TableRanges<OwnRange>[];
}

/** Maximum number of pages in a range: 16 MiB, which are in memory when they are compared. */
export const RANGE_PAGES_MAX = 4096;
/** Maximum number of ranges: at least 180 GiB of pages. Pages after them are sent. */
export const RANGES_MAX = 24_000;

const pageTables: ReadonlySet<number> = new Set(Object.values(PageTableId));

export const isPageTable = (table: number): boolean => pageTables.has(table);

/** Reads all pages of rows of a checkpoint, and verifies them. A damaged piece is a range without a seal. */
export async function readRanges(
  { file, superblock, sections }: StoredCheckpoint,
  key: Uint8Array,
  pagesMax = RANGE_PAGES_MAX,
): Promise<OwnRanges> {
  let room = RANGES_MAX;
  const tables: TableRanges<OwnRange>[] = [];
  for (const section of sections) {
    if (!isWholePageTable(section, sections)) continue;
    const ranges: OwnRange[] = [];
    for (const pieces of neighbours(section.pieces, pagesMax)) {
      const read = pieces.map((piece) => readIfWhole(file, superblock.key, piece));
      const bytes = await Promise.all(read);
      ranges.push(...rangesIn(pieces, bytes, key));
    }
    tables.push({ table: section.table, ranges: ranges.slice(0, room) });
    room = Math.max(0, room - ranges.length);
  }
  return { key, tables };
}

/** Returns whether a section has all pages of a table, as the only one. */
export function isWholePageTable(
  section: StoredSection,
  sections: readonly StoredSection[],
): boolean {
  const { table, kind, rowSize, firstRow } = section;
  if (!isPageTable(table) || kind !== SectionKind.append) return false;
  if (rowSize !== PAGE_BYTES || firstRow !== 0) return false;
  return sections.every((other) => other === section || other.table !== table);
}

/** Puts pieces together as long as they have no more than that many pages. */
function neighbours(pieces: readonly Piece[], pagesMax: number): readonly (readonly Piece[])[] {
  const groups: Piece[][] = [];
  let bytes = Infinity;
  for (const piece of pieces) {
    bytes += piece.size;
    if (bytes > pagesMax * PAGE_BYTES) {
      groups.push([]);
      bytes = piece.size;
    }
    groups.at(-1)?.push(piece);
  }
  return groups;
}

/** Returns the ranges that these pieces are: one if all are whole, otherwise each damaged one is its own. */
function rangesIn(
  pieces: readonly Piece[],
  bytes: readonly (Uint8Array | undefined)[],
  key: Uint8Array,
): readonly OwnRange[] {
  const ranges: OwnRange[] = [];
  for (let at = 0; at < pieces.length;) {
    let end = at;
    while (end < pieces.length && bytes[end] !== undefined) end += 1;
    const whole = bytes.slice(at, end).filter((one) => one !== undefined);
    if (end > at) ranges.push({ ...rangeOf(pieces.slice(at, end)), seal: seal(key, ...whole) });
    else ranges.push(rangeOf(pieces.slice(at, (end += 1))));
    at = end;
  }
  return ranges;
}

function rangeOf(pieces: readonly Piece[]): OwnRange {
  const bytes = pieces.reduce((sum, { size }) => sum + size, 0);
  return { pages: bytes / PAGE_BYTES, pieces };
}

const readIfWhole = (
  file: StoredCheckpoint['file'],
  key: Uint8Array,
  piece: Piece,
): Promise<Uint8Array | undefined> =>
  readPiece(file, key, piece).catch((error: unknown) => {
    if (error instanceof DataFileError || isUnreadable(error)) return undefined;
    throw error;
  });

/** Pages that are sent together, or found to be the same. */
export interface PageStep<Range extends PageRange = PageRange> {
  readonly firstPage: number;
  readonly pages: number;
  /** The range that has just these pages; absent if they must be sent. */
  readonly range?: Range;
}

/** Returns the steps in which `pages` pages of a table go from one replica to another one that holds these ranges. */
export function* stepsOf<Range extends PageRange>(
  pages: number,
  ranges: readonly Range[],
): Generator<PageStep<Range>> {
  let firstPage = 0;
  for (const range of ranges) {
    if (firstPage >= pages) return;
    const count = Math.min(range.pages, pages - firstPage);
    const isComparable = range.seal !== undefined && count === range.pages;
    yield { firstPage, pages: count, ...(isComparable ? { range } : {}) };
    firstPage += count;
  }
  for (; firstPage < pages; firstPage += RANGE_PAGES_MAX)
    yield { firstPage, pages: Math.min(RANGE_PAGES_MAX, pages - firstPage) };
}
