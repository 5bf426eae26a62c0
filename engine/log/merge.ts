/**
 * Keeps a checkpoint's manifest short without a second copy of anything. Every checkpoint adds sections. Consecutive
 * sections of one table are joined by changing only their heads, so only the number of pieces needs a bound.
 */
import { SectionKind } from '../ledger/checkpoint.ts';
import { pieceSizes, sectionBytes, type Piece, type StoredSection } from './manifest.ts';

/** Number of pieces that a checkpoint may have above twice the number that its bytes need. */
export const PIECES_SPARE = 2000;

/** A merge: neighbouring pieces of one section that become one piece. */
export interface Merge {
  /** Index of the section, and of the first merged piece in it. */
  readonly section: number;
  readonly first: number;
  readonly pieces: readonly Piece[];
  readonly bytes: number;
}

/** Returns the same rows in fewer sections. The order of sections matters only within a table, where it stays the same. */
export function joinSections(sections: readonly StoredSection[]): StoredSection[] {
  const joined: StoredSection[] = [];
  const lastOfTable = new Map<number, number>();
  for (const section of sections) {
    const index = lastOfTable.get(section.table);
    const before = index === undefined ? undefined : joined[index]!;
    if (before && follows(before, section)) {
      const rowCount = before.rowCount + section.rowCount;
      joined[index!] = { ...before, rowCount, pieces: [...before.pieces, ...section.pieces] };
    } else {
      lastOfTable.set(section.table, joined.push(section) - 1);
    }
  }
  return joined;
}

/** Returns whether `after`, the table's next section, simply continues the bytes of `before`. */
function follows(before: StoredSection, after: StoredSection): boolean {
  if (before.rowSize !== after.rowSize) return false;
  if (after.kind === SectionKind.update) return before.kind === SectionKind.update;
  if (after.kind !== SectionKind.append || before.kind === SectionKind.update) return false;
  return after.firstRow === before.firstRow + before.rowCount;
}

/** Returns whether there are so many pieces that some must be merged. */
export function hasManyPieces(sections: readonly StoredSection[]): boolean {
  let pieces = 0;
  let least = 0;
  for (const section of sections) {
    pieces += section.pieces.length;
    least += pieceSizes(sectionBytes(section)).length;
  }
  return pieces > 2 * least + PIECES_SPARE;
}

/**
 * Returns the merge of at most `bytesMax` bytes that joins the most pieces; among equal ones, that which copies the least.
 * Returns `undefined` if no two neighbours fit. A piece in `damaged` stays where it is.
 */
export function chooseMerge(
  sections: readonly StoredSection[],
  bytesMax: number,
  damaged: WeakSet<Piece>,
): Merge | undefined {
  let best: { section: number; first: number; end: number; bytes: number } | undefined;
  for (const [section, { pieces }] of sections.entries()) {
    let first = 0;
    let bytes = 0;
    for (const [index, piece] of pieces.entries()) {
      bytes += piece.size;
      if (damaged.has(piece)) {
        first = index + 1;
        bytes = 0;
      }
      for (; bytes > bytesMax; first += 1) bytes -= pieces[first]!.size;
      const end = index + 1;
      const more = end - first - (best ? best.end - best.first : 1);
      if (more > 0 || (more === 0 && best && bytes < best.bytes)) {
        best = { section, first, end, bytes };
      }
    }
  }
  if (!best) return undefined;
  const { section, first, end, bytes } = best;
  return { section, first, pieces: sections[section]!.pieces.slice(first, end), bytes };
}

/** Returns the sections with `piece` in place of the pieces merged into it. */
export function withMerged(
  sections: readonly StoredSection[],
  { section, first, pieces }: Merge,
  piece: Piece,
): StoredSection[] {
  return sections.map((stored, index) =>
    index === section
      ? { ...stored, pieces: stored.pieces.toSpliced(first, pieces.length, piece) }
      : stored,
  );
}
