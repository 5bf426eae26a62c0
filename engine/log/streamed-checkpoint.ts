/**
 * Verifies an exported file that comes as a stream and is not kept: its head, its manifest, and each piece by its seal. So a replica knows
 * that a whole state comes before it gives up its own for it. No more than a piece is in memory.
 */
import { CORRUPTION_ADVICE, DataFileError } from './errors.ts';
import { LOG_OFFSET } from './layout.ts';
import { type Piece, readManifest, readPiece } from './manifest.ts';
import type { ReadableFile } from './storage.ts';
import { readHead, type Superblock } from './superblock.ts';

export class StreamedCheckpoint {
  /** Bytes that have come and were not verified yet, and the place of the first one. */
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  #at = 0;
  #superblock: Superblock | undefined;
  #pieces: Piece[] | undefined;

  /** Takes the next bytes. Rejects with DataFileError if what they complete is damaged. */
  async take(bytes: Uint8Array): Promise<void> {
    // The sender may use its buffer again.
    this.#held.push(bytes.slice());
    this.#heldBytes += bytes.length;
    while (await this.#step());
  }

  /** Rejects with DataFileError if something is missing. */
  async end(): Promise<void> {
    const superblock = this.#superblock ?? readHead(this.#taken(this.#heldBytes)).superblock;
    const [next] = this.#pieces ?? [superblock.manifest];
    if (next !== undefined) throw notThere(next);
  }

  /** Verifies the next part. Resolves with false if it has not come wholly, or nothing is left. */
  async #step(): Promise<boolean> {
    const superblock = this.#superblock;
    if (superblock === undefined) {
      if (this.#heldBytes < LOG_OFFSET) return false;
      this.#superblock = readHead(this.#taken(LOG_OFFSET)).superblock;
      return true;
    }
    const [next] = this.#pieces ?? [superblock.manifest];
    if (next === undefined || this.#at + this.#heldBytes < next.offset + next.size) return false;
    const file = this.#window(next);
    if (this.#pieces === undefined) {
      const sections = await readManifest(file, superblock);
      const pieces = sections.flatMap((section) => section.pieces);
      this.#pieces = pieces.sort((a, b) => a.offset - b.offset);
    } else {
      await readPiece(file, superblock.key, next);
      this.#pieces.shift();
    }
    return true;
  }

  /** A file of which this part can be read. What stands before it is let go of. */
  #window(next: Pick<Piece, 'offset' | 'size'>): ReadableFile {
    if (next.offset < this.#at) throw notThere(next);
    this.#taken(next.offset - this.#at);
    const part = this.#taken(next.size);
    return {
      read: async (target) => {
        target.set(part);
        return part.length;
      },
    };
  }

  /** Takes the first bytes from those that are held. */
  #taken(count: number): Uint8Array {
    const all = Buffer.concat(this.#held);
    this.#held = [all.subarray(count)];
    this.#heldBytes -= count;
    this.#at += count;
    return all.subarray(0, count);
  }
}

const notThere = ({ offset, size }: Pick<Piece, 'offset' | 'size'>): DataFileError =>
  new DataFileError(
    'checkpoint_corrupt',
    `The sent checkpoint lacks the ${size} bytes from byte ${offset} on. ${CORRUPTION_ADVICE}`,
    { offset },
  );
