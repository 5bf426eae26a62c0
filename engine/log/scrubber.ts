/**
 * Scrubber: reads every piece of the newest checkpoint and verifies its seal, again and again, so that rot is found while
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
  /** Called once for each damaged piece. */
  readonly onDamage: (error: DataFileError) => void;
}

export interface Scrubbing {
  /** Bytes that were read and found whole since the start. */
  readonly verifiedBytes: number;
  /** Whole rounds since the start. */
  readonly rounds: number;
  /** Bytes of damaged pieces that the checkpoint refers to. */
  readonly damagedBytes: number;
}

/** Time of a round. Six days leave one for restarts, after which a round begins anew. */
const ROUND_MS = 6 * 24 * 3_600_000;
/** Longest and shortest time between two pieces. */
const PAUSE_MAX_MS = 600_000;
const PAUSE_MIN_MS = 100;

export class Scrubber {
  readonly #options: ScrubberOptions;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;
  /** Pieces of the present round that were not read yet, the next one last. */
  #left: Piece[] = [];
  #totalBytes = 0;
  #verifiedBytes = 0;
  #rounds = -1;
  #damaged = new Map<Piece, DataFileError>();

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

  standing(): Scrubbing {
    const known = new Set(piecesOf(this.#options.sections()));
    const damagedBytes = [...this.#damaged.keys()]
      .filter((piece) => known.has(piece))
      .reduce((sum, { size }) => sum + size, 0);
    return {
      verifiedBytes: this.#verifiedBytes,
      rounds: Math.max(0, this.#rounds),
      damagedBytes,
    };
  }

  /** Verifies the next piece. Resolves when it is done. */
  async step(): Promise<void> {
    const piece = this.#next();
    if (piece === undefined) return;
    this.#left.pop();
    // Checkpoints may have dropped it since the round began, and used its place again.
    if (this.#sectionOf(piece) === undefined) return;
    try {
      await readPiece(this.#options.file, this.#options.key, piece);
      this.#verifiedBytes += piece.size;
      this.#damaged.delete(piece);
    } catch (error) {
      const section = this.#sectionOf(piece);
      if (this.#isStopped || section === undefined) return;
      const damage = damageOf(section, piece, error);
      if (!this.#damaged.has(piece)) this.#options.onDamage(damage);
      this.#damaged.set(piece, damage);
    }
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
    const ms = Math.max(PAUSE_MIN_MS, Math.min(PAUSE_MAX_MS, share * ROUND_MS));
    this.#timer = setTimeout(() => {
      void this.step().then(() => this.#pauseBefore(this.#next()));
    }, ms);
    // It keeps no process alive.
    this.#timer.unref();
  }
}

const piecesOf = (sections: readonly StoredSection[]): Piece[] =>
  sections.flatMap(({ pieces }) => pieces);
