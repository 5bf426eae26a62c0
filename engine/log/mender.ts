/**
 * Mender of a data file: decides how a damaged piece of the newest checkpoint is mended. Pieces are mended side by side, so a piece that
 * no replica has delays no other one. Few callers need pieces: reads that lack pages, the next operations, the scrubber.
 *
 * - Pages of rows come from memory or from another replica (mend.ts).
 * - Other tables that are not derived are in memory, unless accounts have left it: the next checkpoint writes the table again, in another
 *   place, and drops the piece.
 * - The next start makes derived tables again.
 */
import { isDerived } from '../ledger/checkpoint.ts';
import { PAGE_BYTES } from '../ledger/page.ts';
import type { Extent } from './extents.ts';
import type { Piece, StoredSection } from './manifest.ts';
import { mendPiece, type Mended, type PageDonor, type PagePiece } from './mend.ts';
import type { StorageFile } from './storage.ts';

/** Help of a replica for its data file. */
export interface Menders {
  /** Yields sources of pages repeatedly, until there is no point in going on. */
  readonly donors: () => AsyncIterable<PageDonor>;
  /** Begins a checkpoint soon, which writes the table again. Until one has, nothing of the table leaves memory. */
  readonly checkpoint: (table: number) => void;
}

interface MenderOptions extends Menders {
  readonly file: StorageFile;
  readonly key: Uint8Array;
  /** The newest durable checkpoint. */
  readonly sections: () => readonly StoredSection[];
  /** Keeps the room of a piece from being used again, until the returned function is called. */
  readonly pin: (extents: readonly Extent[]) => () => void;
  /** Lets the next checkpoint write the whole table again. Absent while the checkpoint is loaded. */
  readonly rewrite: (table: number) => boolean;
  readonly onMended: (mended: Mended & PagePiece) => void;
}

/** Shortest time between two checkpoints for one piece: each read that needs it asks, and the scrubber does once a minute. */
const REWRITE_AGAIN_MS = 30_000;

export class Mender {
  readonly #options: MenderOptions;
  /** When a checkpoint last began for a piece. */
  readonly #rewrites = new WeakMap<Piece, number>();
  readonly #running = new Map<Piece, Promise<boolean>>();
  /** Pages that were mended since the start. */
  mendedPages = 0;

  constructor(options: MenderOptions) {
    this.#options = options;
  }

  /** Whether a piece is being mended now. */
  get isMending(): boolean {
    return this.#running.size > 0;
  }

  /**
   * Mends a piece. Resolves with true if what it holds can be read now, at its place or at another one. Rejects if a write fails.
   */
  mend(piece: Piece): Promise<boolean> {
    const running = this.#running.get(piece);
    if (running !== undefined) return running;
    const mended = this.#mend(piece).finally(() => this.#running.delete(piece));
    this.#running.set(piece, mended);
    return mended;
  }

  async #mend(piece: Piece): Promise<boolean> {
    const { file, key, sections, pin, rewrite, donors, checkpoint, onMended } = this.#options;
    const section = sections().find(({ pieces }) => pieces.includes(piece));
    // A checkpoint has dropped the piece: its content is in another place now.
    if (section === undefined) return true;
    if (isDerived(section.table)) return false;
    if (section.rowSize !== PAGE_BYTES) {
      const now = performance.now();
      const isSoon = now < (this.#rewrites.get(piece) ?? -Infinity) + REWRITE_AGAIN_MS;
      if (isSoon || !rewrite(section.table)) return false;
      this.#rewrites.set(piece, now);
      checkpoint(section.table);
      return false;
    }
    const unpin = pin([piece]);
    try {
      const place = { table: section.table, firstPage: firstPageOf(section, piece), piece };
      const mended = await mendPiece({ ...place, file, key, donors: donors() });
      if (mended === undefined) return false;
      this.mendedPages += mended.pages;
      if (mended.pages > 0) onMended({ ...mended, ...place });
      return true;
    } finally {
      unpin();
    }
  }
}

function firstPageOf({ firstRow, pieces }: StoredSection, piece: Piece): number {
  const before = pieces.slice(0, pieces.indexOf(piece));
  return before.reduce((page, { size }) => page + size / PAGE_BYTES, firstRow);
}
