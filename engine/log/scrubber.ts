/**
 * Scrubber: reads every piece of the newest checkpoint and verifies its seal, again and again, so that rot is found and mended while
 * other replicas and backups still have what it takes. It spreads a round over most of a week, whatever the file holds.
 */
import type { DataFileError } from './errors.ts';
import { damageOf, readPiece, type Piece, type StoredSection } from './manifest.ts';
import type { ReadableFile } from './storage.ts';

interface ScrubberOptions {
  readonly file: ReadableFile;
  readonly key: Uint8Array;
  /** Returns the sections of the newest durable checkpoint. */
  readonly sections: () => readonly StoredSection[];
  /** Takes a damaged piece. Resolves with true if it was mended; otherwise it is called again, each minute. */
  readonly mend: (piece: Piece, error: DataFileError) => Promise<boolean>;
}

export interface Scrubbing {
  /** Bytes that were read and found whole since the start. */
  readonly verifiedBytes: number;
  /** Whole rounds since the start. */
  readonly rounds: number;
  /** Bytes of damaged pieces that the checkpoint refers to. */
  readonly damagedBytes: number;
  /** Damaged pages that were written again since the start. */
  readonly mendedPages: number;
}

export const NOTHING_VERIFIED = { verifiedBytes: 0, rounds: 0, damagedBytes: 0, mendedPages: 0 };

/** Time of a round. Six days leave one for restarts, after which a round starts again. */
const ROUND_MS = 6 * 24 * 3_600_000;
/** Longest and shortest time between two pieces. */
const PAUSE_MAX_MS = 600_000;
const PAUSE_MIN_MS = 100;
/** Time after which a piece that could not be mended is looked at again. */
const MEND_AGAIN_MS = 60_000;

export class Scrubber {
  readonly #options: ScrubberOptions;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;
  /** Pieces of the present round that were not read yet, the next one last. */
  #left: Piece[] = [];
  #totalBytes = 0;
  #verifiedBytes = 0;
  #rounds = -1;
  /** By damaged piece: when it is looked at again. */
  readonly #damaged = new Map<Piece, number>();
  /** Whether the last step was for a damaged piece: the next one is for the others, so that their round goes on. */
  #wasAgain = false;

  constructor(options: ScrubberOptions) {
    this.#options = options;
  }

  begin(): void {
    this.#pauseBefore(this.#next());
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  /** Takes a piece whose damage was found elsewhere and not mended. */
  found(piece: Piece): void {
    this.#damaged.set(piece, performance.now() + MEND_AGAIN_MS);
  }

  standing(): Omit<Scrubbing, 'mendedPages'> {
    return {
      verifiedBytes: this.#verifiedBytes,
      rounds: Math.max(0, this.#rounds),
      damagedBytes: this.#damaged.size === 0 ? 0 : this.#damagedBytes(),
    };
  }

  #damagedBytes(): number {
    const known = new Set(piecesOf(this.#options.sections()));
    return [...this.#damaged.keys()]
      .filter((piece) => known.has(piece))
      .reduce((sum, { size }) => sum + size, 0);
  }

  /** Verifies the next piece, or a damaged one again. Resolves when it is done. */
  async step(): Promise<void> {
    const again = this.#wasAgain ? undefined : this.#due();
    this.#wasAgain = again !== undefined;
    const piece = again ?? this.#next();
    if (piece === undefined) return;
    if (again === undefined) this.#left.pop();
    // Checkpoints may have dropped it since the round began, and used its place again.
    if (this.#sectionOf(piece) === undefined) {
      this.#damaged.delete(piece);
      return;
    }
    try {
      await readPiece(this.#options.file, this.#options.key, piece);
      this.#verifiedBytes += piece.size;
      this.#damaged.delete(piece);
    } catch (error) {
      const section = this.#sectionOf(piece);
      if (this.#isStopped || section === undefined) return;
      // Its own time comes.
      if (again === undefined && this.#damaged.has(piece)) return;
      this.found(piece);
      const damage = damageOf(section, piece, error);
      // A write that fails ends the process.
      const isMended = await this.#options.mend(piece, damage).catch(() => false);
      if (isMended) this.#damaged.delete(piece);
      else this.found(piece);
    }
  }

  /** Returns a damaged piece whose time has come. */
  #due(): Piece | undefined {
    const now = performance.now();
    for (const [piece, at] of this.#damaged) if (at <= now) return piece;
    return undefined;
  }

  /** Returns the piece to be read next; `undefined` while there is none. */
  #next(): Piece | undefined {
    if (this.#left.length === 0) {
      this.#left = piecesOf(this.#options.sections()).toReversed();
      this.#totalBytes = this.#left.reduce((sum, { size }) => sum + size, 0);
      this.#rounds += 1;
    }
    return this.#left.at(-1);
  }

  /** Returns the section that has the piece in the newest checkpoint. */
  #sectionOf(piece: Piece): StoredSection | undefined {
    return this.#options.sections().find(({ pieces }) => pieces.includes(piece));
  }

  #pauseBefore(piece: Piece | undefined): void {
    if (this.#isStopped) return;
    const share = piece === undefined ? 1 : piece.size / this.#totalBytes;
    const longestMs = this.#damaged.size === 0 ? PAUSE_MAX_MS : MEND_AGAIN_MS;
    const ms = Math.max(PAUSE_MIN_MS, Math.min(longestMs, share * ROUND_MS));
    this.#timer = setTimeout(() => {
      void this.step().then(() => this.#pauseBefore(this.#next()));
    }, ms);
    // It keeps no process alive.
    this.#timer.unref();
  }
}

const piecesOf = (sections: readonly StoredSection[]): Piece[] =>
  sections.flatMap(({ pieces }) => pieces);
