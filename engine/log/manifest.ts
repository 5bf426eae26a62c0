/**
 * The manifest: the sections of a checkpoint in the order in which they must be applied, and the places of their bytes.
 * Layout: FORMAT.md, "Manifest".
 */
import { assert, AssertionError } from '../../base/assert.ts';
import {
  isDerived,
  SectionKind,
  type SectionHead,
  type StoredBytes,
} from '../ledger/checkpoint.ts';
import { CORRUPTION_ADVICE, DataFileError } from './errors.ts';
import { Fields } from './fields.ts';
import { PIECE_SIZE_MAX, roundUp } from './layout.ts';
import { seal, SEAL_SIZE, sealMatches } from './seal.ts';
import { isUnreadable, type ReadableFile } from './storage.ts';
import type { Superblock } from './superblock.ts';

export interface Piece {
  readonly offset: number;
  readonly size: number;
  readonly seal: Uint8Array;
}

export interface StoredSection extends SectionHead {
  readonly pieces: readonly Piece[];
}

const MANIFEST_MAGIC = 0x4e414d4c; // "LMAN"
/** Maximum size of a manifest: two million pieces. It is written and read as one run of bytes in memory. */
export const MANIFEST_SIZE_MAX = 64 << 20;
const U32_MAX = 2 ** 32 - 1;
const HEAD_SIZE = 16;
const SECTION_SIZE = 40;
export const PIECE_RECORD_SIZE = 32;

/** Returns the bytes of a section's rows; each row of an update also has its index. */
export function sectionBytes(head: SectionHead): number {
  return head.rowCount * (head.rowSize + (head.kind === SectionKind.update ? 4 : 0));
}

/** Returns the end of the last piece, in whole blocks. */
export const piecesEnd = (sections: readonly StoredSection[]): number =>
  sections
    .flatMap(({ pieces }) => pieces)
    .reduce((end, { offset, size }) => Math.max(end, offset + roundUp(size)), 0);

export function manifestSize(sections: readonly { readonly pieces: readonly unknown[] }[]): number {
  const pieces = sections.reduce((sum, section) => sum + section.pieces.length, 0);
  return HEAD_SIZE + sections.length * SECTION_SIZE + pieces * PIECE_RECORD_SIZE;
}

export function encodeManifest(sections: readonly StoredSection[]): Uint8Array {
  const size = manifestSize(sections);
  // With this size, the counts of sections and pieces fit a u32.
  assert(size <= MANIFEST_SIZE_MAX, 'a manifest is at most 64 MiB');
  const fields = new Fields(new Uint8Array(size));
  fields.putU32(0, MANIFEST_MAGIC);
  fields.putU32(4, sections.length);
  let at = HEAD_SIZE;
  for (const section of sections) {
    assert(section.table <= U32_MAX && section.rowSize <= U32_MAX, 'a section’s head fits u32');
    const bytes = section.pieces.reduce((sum, piece) => sum + piece.size, 0);
    assert(bytes === sectionBytes(section), 'a section’s pieces hold its rows');
    fields.putU32(at, section.kind);
    fields.putU32(at + 4, section.table);
    fields.putU32(at + 8, section.rowSize);
    fields.putU32(at + 12, section.pieces.length);
    fields.putU64(at + 16, section.firstRow);
    fields.putU64(at + 24, section.rowCount);
    at += SECTION_SIZE;
    for (const piece of section.pieces) {
      assert(piece.size > 0 && piece.size <= PIECE_SIZE_MAX, 'a piece has 1 byte to 4 MiB');
      fields.putU64(at, piece.offset);
      fields.putU32(at + 8, piece.size);
      fields.put(at + 16, piece.seal);
      at += PIECE_RECORD_SIZE;
    }
  }
  return fields.bytes;
}

/**
 * Decodes bytes whose seal was verified. Throws AssertionError or RangeError if they are no manifest nevertheless: the key of
 * the seal is in the file, so other programs can make one.
 */
function decodeManifest(bytes: Uint8Array): StoredSection[] {
  const fields = new Fields(bytes);
  assert(fields.u32(0) === MANIFEST_MAGIC, 'a sealed manifest has its magic');
  const sections: StoredSection[] = [];
  let at = HEAD_SIZE;
  for (let index = fields.u32(4); index > 0; index -= 1) {
    const kind = fields.u32(at);
    assert(kind >= SectionKind.append && kind <= SectionKind.replace, 'a section has a known kind');
    const head: SectionHead = {
      kind: kind as SectionKind,
      table: fields.u32(at + 4),
      rowSize: fields.u32(at + 8),
      firstRow: fields.u64(at + 16),
      rowCount: fields.u64(at + 24),
    };
    assert(isCount(head.firstRow) && isCount(head.rowCount), 'a section counts its rows');
    const pieces: Piece[] = [];
    let pieceCount = fields.u32(at + 12);
    at += SECTION_SIZE;
    for (; pieceCount > 0; pieceCount -= 1) {
      const offset = fields.u64(at);
      assert(isCount(offset), 'a piece has a place');
      pieces.push({
        offset,
        size: fields.u32(at + 8),
        seal: fields.slice(at + 16, SEAL_SIZE),
      });
      at += PIECE_RECORD_SIZE;
    }
    sections.push({ ...head, pieces });
  }
  assert(at === bytes.length, 'a manifest holds nothing after its last section');
  return sections;
}

const isCount = (value: number): boolean => Number.isSafeInteger(value);

export async function readManifest(
  file: ReadableFile,
  superblock: Superblock,
): Promise<readonly StoredSection[]> {
  const { offset, size, seal: expected } = superblock.manifest;
  if (size === 0) return [];
  if (size > MANIFEST_SIZE_MAX || !isCount(offset)) throw manifestDamaged(offset);
  const bytes = new Uint8Array(size);
  const length = await file.read(bytes, offset);
  if (length !== size || !sealMatches(expected, seal(superblock.key, bytes))) {
    throw manifestDamaged(offset);
  }
  try {
    return decodeManifest(bytes);
  } catch (error) {
    if (!(error instanceof AssertionError || error instanceof RangeError)) throw error;
    throw manifestDamaged(offset, error);
  }
}

const manifestDamaged = (offset: number, cause?: unknown): DataFileError =>
  new DataFileError(
    'checkpoint_corrupt',
    `The list of the checkpoint's sections at byte ${offset} is damaged. ${CORRUPTION_ADVICE}`,
    { offset, cause },
  );

/** Reads and verifies one piece. */
export async function readPiece(
  file: ReadableFile,
  key: Uint8Array,
  piece: Piece,
): Promise<Uint8Array> {
  const bytes = new Uint8Array(piece.size);
  const length = await file.read(bytes, piece.offset);
  if (length !== piece.size || !sealMatches(piece.seal, seal(key, bytes))) {
    throw new DataFileError(
      'checkpoint_corrupt',
      `The checkpoint is damaged in the ${piece.size} bytes from byte ${piece.offset} on. ${CORRUPTION_ADVICE}`,
      { offset: piece.offset },
    );
  }
  return bytes;
}

/** Returns the error for a piece of the section that could not be read. A derived table can be made again from the rows. */
export function damageOf({ table }: StoredSection, piece: Piece, error: unknown): DataFileError {
  const { offset, size } = piece;
  if (isDerived(table))
    return new DataFileError(
      'index_damaged',
      `The stored index or a start point is damaged in the ${size} bytes from byte ${offset} on. No record is lost: a start of the replica makes them from the records, at the latest the one after it has met the damage.`,
      { offset, cause: error },
    );
  if (error instanceof DataFileError) return error;
  return new DataFileError(
    'checkpoint_corrupt',
    `The disk cannot read the ${size} bytes of the checkpoint from byte ${offset} on. ${CORRUPTION_ADVICE}`,
    { offset, cause: error },
  );
}

/** Mends a damaged piece. Resolves with true if it can be read then. */
type Mend = (piece: Piece, error: DataFileError) => Promise<boolean>;

/** Returns a section's bytes, piece by piece. Each is verified when it is read, and a damaged one mended if it can be. */
export function sectionChunks(
  file: ReadableFile,
  key: Uint8Array,
  section: StoredSection,
  mend?: Mend,
): StoredBytes {
  const { pieces } = section;
  return {
    [Symbol.asyncIterator]: () => pieceBytes(file, key, section, mend),
    from: (least) => {
      let at = 0;
      let first = 0;
      while (first < pieces.length && at + pieces[first]!.size <= least) {
        at += pieces[first]!.size;
        first += 1;
      }
      const rest = { ...section, pieces: pieces.slice(first) };
      return { at, chunks: pieceBytes(file, key, rest, mend) };
    },
  };
}

/** Yields the bytes of a section's pieces. It reads the next one while the caller uses the last one. */
async function* pieceBytes(
  file: ReadableFile,
  key: Uint8Array,
  section: StoredSection,
  mend: Mend = async () => false,
): AsyncGenerator<Uint8Array> {
  const { pieces } = section;
  let next: Promise<Uint8Array> | undefined;
  const read = (piece: Piece): Promise<Uint8Array> =>
    readPiece(file, key, piece).catch(async (error: unknown) => {
      if (!(error instanceof DataFileError || isUnreadable(error))) throw error;
      const damage = damageOf(section, piece, error);
      if (await mend(piece, damage)) return readPiece(file, key, piece);
      throw error instanceof DataFileError ? damage : error;
    });
  for (let index = 0; index < pieces.length; index += 1) {
    const bytes = await (next ?? read(pieces[index]!));
    const following = pieces[index + 1];
    next = following && read(following);
    // A reader that stops early must not leave a rejection that nobody handles.
    next?.catch(() => undefined);
    yield bytes;
  }
}

/** Returns the sizes of the pieces into which `bytes` are cut. */
export function pieceSizes(bytes: number): number[] {
  const sizes: number[] = [];
  for (let rest = bytes; rest > 0; rest -= PIECE_SIZE_MAX) {
    sizes.push(Math.min(rest, PIECE_SIZE_MAX));
  }
  return sizes;
}
