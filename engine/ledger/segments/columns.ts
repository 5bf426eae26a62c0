/**
 * Columns of a segment of an index. A segment covers a range of rows and never changes. It has a sorted column of ids and one sorted
 * column for each field by which transfers or accounts are found. Those of accounts have no entries in the first two.
 */

/** Columns of fields: their places in a segment. A key is a value of 32 bits, or the hash of a wider one; 0 has no entry. */
export const Column = {
  /** Row number of the debit account + 1. */
  debitAccount: 0,
  creditAccount: 1,
  ledger: 2,
  code: 3,
  /** Keyed hash, never 0 for a value other than zero. */
  userData128: 4,
  userData64: 5,
  userData32: 6,
} as const;
export type Column = (typeof Column)[keyof typeof Column];
export const COLUMNS = 7;

/** Bytes of a page, the unit in which a column is encoded and read. Tests use smaller ones. */
export const PAGE_BYTES = 4096;
/** Bytes at the end of a page that name and check it. */
export const PAGE_TRAILER_BYTES = 64;

/** Entries of a column in pages, and the directory through which a page is found. */
export interface ColumnPages {
  /** Pages one after another, in pieces that all have the same number of pages except the last. */
  readonly pieces: readonly Uint8Array[];
  /** Number of the column's first page in the pieces. */
  readonly firstPage: number;
  /** Key of each page's first entry: of an id, the upper 32 bits of its hash. */
  readonly firstKeys: Uint32Array;
  /** Row of each page's first entry. */
  readonly firstRows: Uint32Array;
}

/** A segment as bytes, which threads share without copying them. */
export interface SegmentData {
  readonly pageBytes: number;
  /** Rows from `firstRow` (inclusive) to `endRow` (exclusive). */
  readonly firstRow: number;
  readonly endRow: number;
  /** Least and greatest id of the rows: two u128. */
  readonly idRange: Uint32Array;
  readonly ids: ColumnPages;
  /** Filter of the ids (id-filter.ts). */
  readonly filter: Uint32Array;
  /** In the order of `Column`. */
  readonly fields: readonly ColumnPages[];
}

/** Maximum size of a piece, as of the pieces of a checkpoint. */
const PIECE_BYTES_MAX = 4 << 20;

export const pagesPerPiece = (pageBytes: number): number => Math.floor(PIECE_BYTES_MAX / pageBytes);

export const sharedBytes = (bytes: number): Uint8Array =>
  new Uint8Array(new SharedArrayBuffer(bytes));

export const sharedWords = (words: number): Uint32Array =>
  new Uint32Array(new SharedArrayBuffer(words * 4));

/** Returns what stays of a column whose pages leave memory. */
export const withoutPages = ({ firstKeys, firstRows }: ColumnPages): ColumnPages => ({
  pieces: [],
  firstPage: 0,
  firstKeys,
  firstRows,
});

/** Returns the column with the pieces alone that hold its pages: a segment that was loaded has all columns in the same ones. */
export function withOwnPieces(column: ColumnPages, pageBytes: number): ColumnPages {
  const { pieces, firstPage, firstKeys } = column;
  const perPiece = pagesPerPiece(pageBytes);
  const first = Math.floor(firstPage / perPiece);
  const end = Math.ceil((firstPage + firstKeys.length) / perPiece);
  return {
    ...column,
    pieces: pieces.slice(first, end),
    firstPage: firstPage - first * perPiece,
  };
}

/** Bytes of memory that a segment takes. */
export function segmentBytes({ ids, fields, filter }: SegmentData): number {
  let bytes = filter.byteLength;
  const pieces = new Set<Uint8Array>();
  for (const column of [ids, ...fields]) {
    bytes += column.firstKeys.byteLength + column.firstRows.byteLength;
    for (const piece of column.pieces) pieces.add(piece);
  }
  // A segment that was loaded has all columns in the same pieces.
  for (const piece of pieces) bytes += piece.byteLength;
  return bytes;
}
