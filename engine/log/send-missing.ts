/**
 * The newest checkpoint for another replica of the cluster that holds a part of its pages of rows already (page-ranges.ts):
 *
 * - a copy of the superblock, one block, and the manifest, as in an exported file;
 * - for each section, in order: of a table of pages, a byte for each step, followed by the step's pages unless they are the same there; of
 *   any other table its pieces.
 *
 * A page carries its name and a checksum, and a piece has its seal in the manifest: so the other one verifies everything.
 */
import { PAGE_BYTES } from '../ledger/page.ts';
import { planCopy } from './export.ts';
import type { StoredCheckpoint } from './load.ts';
import { readPiece, sectionChunks, type StoredSection } from './manifest.ts';
import {
  type HeldRanges,
  isPageTable,
  isWholePageTable,
  type PageRange,
  stepsOf,
} from './page-ranges.ts';
import { seal, sealMatches } from './seal.ts';
import { encodeSuperblock } from './superblock.ts';

/** What a step begins with: the pages are the same at the other replica, or they follow. */
export const StepKind = { same: 1, pages: 2 } as const;

/**
 * Yields the checkpoint without the pages that the other replica holds. That one sees from the head and the manifest whether it can use the rest:
 * rows of format version 1 are in no pages.
 */
export async function* missingBytes(
  checkpoint: StoredCheckpoint,
  held: HeldRanges,
): AsyncGenerator<Uint8Array> {
  const { file, superblock } = checkpoint;
  const copy = planCopy(checkpoint, { logSizeBytes: 0, sameCluster: true });
  yield encodeSuperblock(copy.superblock);
  yield copy.manifest;
  for (const section of copy.sources) {
    if (!isPageTable(section.table)) {
      for (const piece of section.pieces) yield await readPiece(file, superblock.key, piece);
      continue;
    }
    if (!isWholePageTable(section, copy.sources))
      throw new Error(`table ${section.table} of this replica has pages in several sections`);
    const ranges = held.tables.find(({ table }) => table === section.table)?.ranges ?? [];
    yield* missingPages(checkpoint, section, { key: held.key, ranges });
  }
}

async function* missingPages(
  { file, superblock }: StoredCheckpoint,
  section: StoredSection,
  { key, ranges }: { readonly key: Uint8Array; readonly ranges: readonly PageRange[] },
): AsyncGenerator<Uint8Array> {
  const bytes = new BytesInOrder(sectionChunks(file, superblock.key, section));
  for (const { pages, range } of stepsOf(section.rowCount, ranges)) {
    const parts = await bytes.next(pages * PAGE_BYTES);
    const isSame = range?.seal !== undefined && sealMatches(range.seal, seal(key, ...parts));
    yield Uint8Array.of(isSame ? StepKind.same : StepKind.pages);
    if (!isSame) yield* parts;
  }
}

/** Cuts a stream of bytes anew. */
class BytesInOrder {
  readonly #chunks: AsyncIterator<Uint8Array>;
  #rest: Uint8Array = new Uint8Array(0);

  constructor(chunks: AsyncIterable<Uint8Array>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** Resolves with the next `count` bytes, in parts. */
  async next(count: number): Promise<readonly Uint8Array[]> {
    const parts: Uint8Array[] = [];
    for (let lacking = count; lacking > 0;) {
      if (this.#rest.length === 0) {
        const { value, done } = await this.#chunks.next();
        if (done === true) throw new Error('the section has fewer bytes than its rows take');
        this.#rest = value;
      }
      const part = this.#rest.subarray(0, lacking);
      this.#rest = this.#rest.subarray(part.length);
      parts.push(part);
      lacking -= part.length;
    }
    return parts;
  }
}
