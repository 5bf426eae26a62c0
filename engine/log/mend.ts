/**
 * Mends pieces of the checkpoint whose pages of rows are damaged. A page has one content for ever, and replicas agree on it: so memory
 * and other replicas have it, too. Pages that they give are written over the damaged ones only if the whole piece then matches the seal
 * that this file has for it: the bytes that are written are those that this replica has written before, or nothing is.
 *
 * The manifest names the piece as before, and nothing else is written. So a crash at any instant leaves pages that are damaged or
 * mended, each by itself.
 */
import { isPage, PAGE_BYTES, PAGE_WORDS, pageNameAt, type PageName } from '../ledger/page.ts';
import { isUnreadable, type ReadableFile, type StorageFile } from './storage.ts';
import type { Piece } from './manifest.ts';
import { seal, sealMatches } from './seal.ts';

/** Somebody who may have pages. */
export interface PageDonor {
  /** Its name for the log. */
  readonly name: string;
  /** Resolves with those of the pages that it has, in any order, in pieces of whole pages. */
  give(pages: readonly PageName[]): Promise<readonly Uint8Array[]>;
}

/** A piece of a table of pages, and the number of its first page. */
export interface PagePiece {
  readonly table: number;
  readonly firstPage: number;
  readonly piece: Piece;
}

export interface Mended {
  /** Pages that were written. None if the piece was whole. */
  readonly pages: number;
  /** Names of those who gave them. */
  readonly from: readonly string[];
}

/** Whole sets of pages that are tried. Donors are asked again and again, and other pages of theirs would come each time. */
const MISFITS_MAX = 6;

interface MendOptions extends PagePiece {
  readonly file: StorageFile;
  readonly key: Uint8Array;
  readonly donors: AsyncIterable<PageDonor>;
}

/**
 * Mends a piece. Resolves with `undefined`, and writes nothing, if nobody has what it takes. Rejects with the system's error if a write
 * fails, which is final as for every write.
 */
export async function mendPiece(options: MendOptions): Promise<Mended | undefined> {
  const { file, key, piece, donors } = options;
  const bytes = await readInPart(file, piece);
  const isWhole = (): boolean => sealMatches(piece.seal, seal(key, bytes));
  if (isWhole()) return { pages: 0, from: [] };
  const lacking = lackingPages(options, bytes);
  let missing = new Set(lacking);
  let from: string[] = [];
  let misfits = 0;
  for await (const donor of donors) {
    const given = await donor
      .give([...missing].map((index) => nameOf(options, index)))
      .catch(noPages);
    const before = missing.size;
    for (const pages of given) takePages(options, pages, { bytes, missing });
    if (missing.size < before) from.push(donor.name);
    if (missing.size > 0) continue;
    if (isWhole()) {
      await writePages(file, piece, bytes, lacking);
      return (await isThere(options)) ? { pages: lacking.length, from } : undefined;
    }
    misfits += 1;
    if (misfits === MISFITS_MAX) return undefined;
    // Each page is whole, but one of them is not what was here: the next donor is asked for all of them.
    missing = new Set(lacking);
    from = [];
  }
  return undefined;
}

/** Reads a piece, with zeros in place of pages that the disk cannot read or does not have. */
async function readInPart(file: ReadableFile, { offset, size }: Piece): Promise<Uint8Array> {
  const bytes = new Uint8Array(size);
  try {
    await file.read(bytes, offset);
    return bytes;
  } catch (error) {
    if (!isUnreadable(error)) throw error;
  }
  for (let at = 0; at < size; at += PAGE_BYTES) {
    const page = bytes.subarray(at, at + PAGE_BYTES);
    await file.read(page, offset + at).catch((error: unknown) => {
      if (!isUnreadable(error)) throw error;
      page.fill(0);
    });
  }
  return bytes;
}

/** Returns the indexes of the piece's damaged pages; of all of them if none is damaged by itself. */
function lackingPages(options: PagePiece, bytes: Uint8Array): readonly number[] {
  const words = new Uint32Array(bytes.buffer);
  const all = Array.from({ length: bytes.length / PAGE_BYTES }, (_, index) => index);
  const damaged = all.filter((index) => !isPage(words, index * PAGE_WORDS, nameOf(options, index)));
  return damaged.length > 0 ? damaged : all;
}

const nameOf = ({ table, firstPage }: PagePiece, index: number): PageName => ({
  table,
  page: firstPage + index,
});

/** Puts those of the pages into the piece's bytes that are whole and missing. */
function takePages(
  { table, firstPage }: PagePiece,
  pages: Uint8Array,
  { bytes, missing }: { readonly bytes: Uint8Array; readonly missing: Set<number> },
): void {
  const words = new Uint32Array(pages.slice().buffer, 0, Math.floor(pages.length / 4));
  for (let at = 0; at + PAGE_WORDS <= words.length; at += PAGE_WORDS) {
    const name = pageNameAt(words, at);
    const index = name.page - firstPage;
    if (name.table !== table || !missing.has(index) || !isPage(words, at, name)) continue;
    bytes.set(pages.subarray(at * 4, at * 4 + PAGE_BYTES), index * PAGE_BYTES);
    missing.delete(index);
  }
}

async function writePages(
  file: StorageFile,
  { offset }: Piece,
  bytes: Uint8Array,
  indexes: readonly number[],
): Promise<void> {
  for (let i = 0; i < indexes.length;) {
    const first = indexes[i]!;
    let end = first;
    for (; i < indexes.length && indexes[i] === end; i += 1) end += 1;
    const from = first * PAGE_BYTES;
    await file.write(bytes.subarray(from, end * PAGE_BYTES), offset + from);
  }
  await file.sync();
}

/** Returns whether the disk gives back what was written. */
async function isThere({ file, key, piece }: MendOptions): Promise<boolean> {
  return sealMatches(piece.seal, seal(key, await readInPart(file, piece)));
}

const noPages = (): readonly Uint8Array[] => [];
