/**
 * Takes the state that another replica sends without the pages that are here (send-missing.ts): every part is verified as it comes, and written
 * beside the checkpoint of this file, whose pages of rows stay where they are. What comes of it is a checkpoint of this file.
 */
import { SectionKind } from '../ledger/checkpoint.ts';
import { isPage, PAGE_BYTES, PAGE_WORDS } from '../ledger/page.ts';
import { DataFileError } from './errors.ts';
import { BLOCK_SIZE, FORMAT_VERSION, PIECE_SIZE_MAX } from './layout.ts';
import type { CheckpointPosition } from './log.ts';
import {
  MANIFEST_SIZE_MAX,
  type Piece,
  readManifest,
  sectionBytes,
  type StoredSection,
} from './manifest.ts';
import {
  isPageTable,
  isWholePageTable,
  type OwnRange,
  type OwnRanges,
  stepsOf,
} from './page-ranges.ts';
import { seal, sealMatches } from './seal.ts';
import { StepKind } from './send-missing.ts';
import { readHead, type Superblock } from './superblock.ts';

/** The first format version whose rows are in pages. */
const PAGED_FORMAT_VERSION = 2;

/** Writes a piece beside the checkpoint. */
export type WritePiece = (bytes: Uint8Array) => Promise<Piece>;

export interface TakenState {
  readonly position: CheckpointPosition;
  readonly sections: readonly StoredSection[];
  /** Bytes of pages that stay where they are. */
  readonly keptBytes: number;
  /** Bytes of pages that are whole here, and others there. */
  readonly differingBytes: number;
}

interface TakeOptions {
  /** Head of this file. */
  readonly own: Superblock;
  readonly ranges: OwnRanges;
  readonly write: WritePiece;
}

/** Takes what comes, in parts of any size. Rejects with DataFileError if it is not what a replica of this cluster sends. */
export class MissingParts {
  readonly #steps: AsyncGenerator<number, TakenState, Uint8Array>;
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  /** Bytes that the next step needs; `undefined` before the first one, and when there is none. */
  #needed: number | undefined;
  #taken: TakenState | undefined;

  constructor(options: TakeOptions) {
    this.#steps = take(options);
  }

  async take(bytes: Uint8Array): Promise<void> {
    if (this.#taken !== undefined) throw unfit('more follows its end');
    // The sender may use its buffer again.
    this.#held.push(bytes.slice());
    this.#heldBytes += bytes.length;
    if (this.#needed === undefined) await this.#next(new Uint8Array(0));
    while (this.#needed !== undefined && this.#heldBytes >= this.#needed)
      await this.#next(this.#cut(this.#needed));
    if (this.#taken !== undefined && this.#heldBytes > 0) throw unfit('more follows its end');
  }

  end(): TakenState {
    if (this.#taken === undefined) throw unfit('its end is missing');
    return this.#taken;
  }

  async #next(bytes: Uint8Array): Promise<void> {
    const { value, done } = await this.#steps.next(bytes);
    this.#needed = done === true ? undefined : value;
    if (done === true) this.#taken = value;
  }

  /** Takes the first bytes from those that are held. They have memory of their own, which begins at a word. */
  #cut(count: number): Uint8Array {
    const all = this.#held.length === 1 ? this.#held[0]! : Buffer.concat(this.#held);
    this.#held = count < all.length ? [all.subarray(count)] : [];
    this.#heldBytes -= count;
    return new Uint8Array(all.subarray(0, count));
  }
}

async function* take({
  own,
  ranges,
  write,
}: TakeOptions): AsyncGenerator<number, TakenState, Uint8Array> {
  const { superblock } = readHead(yield BLOCK_SIZE);
  checkHead(superblock, own);
  const manifest = yield superblock.manifest.size;
  const sent = await readManifest(readable(manifest), superblock);
  for (const section of sent) checkSection(section, sent);
  const sections: StoredSection[] = [];
  let [keptBytes, differingBytes] = [0, 0];
  for (const section of sent) {
    const pieces: Piece[] = [];
    if (!isPageTable(section.table)) {
      for (const piece of section.pieces) {
        const bytes = yield piece.size;
        if (!sealMatches(piece.seal, seal(superblock.key, bytes)))
          throw unfit(`a piece of table ${section.table} is damaged`);
        pieces.push(await write(bytes));
      }
      sections.push({ ...section, pieces });
      continue;
    }
    const held = ranges.tables.find(({ table }) => table === section.table)?.ranges ?? [];
    for (const { firstPage, pages, range } of stepsOf(section.rowCount, held)) {
      if (yield* isSame(range)) {
        pieces.push(...range!.pieces);
        keptBytes += pages * PAGE_BYTES;
        continue;
      }
      if (range !== undefined) differingBytes += pages * PAGE_BYTES;
      for (let at = 0; at < pages; at += PIECE_SIZE_MAX / PAGE_BYTES) {
        const count = Math.min(pages - at, PIECE_SIZE_MAX / PAGE_BYTES);
        const bytes = yield count * PAGE_BYTES;
        checkPages(bytes, section.table, firstPage + at);
        pieces.push(await write(bytes));
      }
    }
    sections.push({ ...section, pieces });
  }
  return { position: superblock.position, sections, keptBytes, differingBytes };
}

async function* isSame(range: OwnRange | undefined): AsyncGenerator<number, boolean, Uint8Array> {
  const [kind] = yield 1;
  if (kind === StepKind.pages) return false;
  if (kind !== StepKind.same || range === undefined)
    throw unfit('pages that were not named here are said to be the same');
  return true;
}

/** Checks that it is a state of this cluster and incarnation, and no older one than this file's. */
function checkHead(sent: Superblock, own: Superblock): void {
  const { formatVersion = FORMAT_VERSION, position, identity, manifest } = sent;
  if (formatVersion < PAGED_FORMAT_VERSION) throw unfit('its rows are in no pages');
  if (identity.clusterId !== own.identity.clusterId) throw unfit('it is of another cluster');
  const incarnation = own.position.place?.incarnation ?? position.place?.incarnation;
  if (position.place !== undefined && position.place.incarnation !== incarnation)
    throw unfit('it is of another incarnation');
  if (position.op < own.position.op) throw unfit('it is older than the state here');
  if (manifest.size > MANIFEST_SIZE_MAX) throw unfit('its list of sections is too long');
}

function checkSection(section: StoredSection, sections: readonly StoredSection[]): void {
  const { table, kind, pieces } = section;
  if (isPageTable(table)) {
    if (!isWholePageTable(section, sections)) throw unfit(`pages of table ${table} do not fit`);
    return;
  }
  const bytes = pieces.reduce((sum, { size }) => sum + size, 0);
  const areCut = pieces.every(({ size }) => size > 0 && size <= PIECE_SIZE_MAX);
  const isKnown = Object.values(SectionKind).includes(kind);
  if (!isKnown || !areCut || bytes !== sectionBytes(section))
    throw unfit(`table ${table} has other bytes than its rows take`);
}

function checkPages(bytes: Uint8Array, table: number, firstPage: number): void {
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  for (let at = 0; at < words.length; at += PAGE_WORDS) {
    const page = firstPage + at / PAGE_WORDS;
    if (!isPage(words, at, { table, page }))
      throw unfit(`page ${page} of table ${table} is damaged`);
  }
}

const readable = (bytes: Uint8Array) => ({
  read: async (target: Uint8Array): Promise<number> => {
    target.set(bytes);
    return bytes.length;
  },
});

const unfit = (why: string): DataFileError =>
  new DataFileError(
    'checkpoint_corrupt',
    `The state that another replica sends does not fit: ${why}.`,
  );
