/** Approximate bytes of blocks between two sequences, with one figure for every 64 blocks. */
import { BLOCK_SIZE_MAX, TRIM_EVERY_BLOCKS } from './limits.ts';

interface Mile {
  readonly sequence: number;
  /** Bytes of all reported blocks up to and including this one. */
  readonly bytes: number;
}

export class RetainedBytes {
  /** In rising order. Blocks before the first one were never reported. */
  #miles: Mile[];
  #last: Mile;

  /** Starts at `sequence`; the blocks after it are then added in order. */
  constructor(sequence: number) {
    this.#last = { sequence, bytes: 0 };
    this.#miles = [this.#last];
  }

  add(sequence: number, sizeBytes: number): void {
    this.#last = { sequence, bytes: this.#last.bytes + sizeBytes };
    if (sequence % TRIM_EVERY_BLOCKS === 0) this.#miles.push(this.#last);
  }

  /** Forgets the figures below `floor`. */
  dropBelow(floor: number): void {
    const keep = this.#miles.findLastIndex(({ sequence }) => sequence < floor);
    if (keep > 0) this.#miles = this.#miles.slice(keep);
  }

  /**
   * Returns the lowest sequence from which on the blocks have at most `bytes`, rounded up to a multiple of 64, or `floor`
   * if all of them together do. A block of unknown size counts as a full one.
   */
  sequenceWithin(bytes: number, floor: number): number {
    const [first] = this.#miles;
    const known = this.#last.bytes - (first?.bytes ?? 0);
    const unknown = Math.max(0, (first?.sequence ?? 0) + 1 - Math.max(1, floor));
    if (known + unknown * BLOCK_SIZE_MAX <= bytes) return floor;
    const mile = this.#miles.find((each) => this.#last.bytes - each.bytes <= bytes);
    return Math.max(floor, (mile ?? this.#last).sequence + 1);
  }
}
