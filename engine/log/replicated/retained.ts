/** How many bytes of blocks there are between two sequences, roughly: one figure for every 64 blocks. */
import { BLOCK_SIZE_MAX, TRIM_EVERY_BLOCKS } from './limits.ts';

interface Mile {
  readonly sequence: number;
  /** Of all blocks told of, up to and with this one. */
  readonly bytes: number;
}

export class RetainedBytes {
  /** Rising. Blocks before the first were never told of. */
  #miles: Mile[];
  #last: Mile;

  /** Blocks behind `sequence` will be told of, in order. */
  constructor(sequence: number) {
    this.#last = { sequence, bytes: 0 };
    this.#miles = [this.#last];
  }

  add(sequence: number, sizeBytes: number): void {
    this.#last = { sequence, bytes: this.#last.bytes + sizeBytes };
    if (sequence % TRIM_EVERY_BLOCKS === 0) this.#miles.push(this.#last);
  }

  /** Forgets what lies below. */
  dropBelow(floor: number): void {
    const keep = this.#miles.findLastIndex(({ sequence }) => sequence < floor);
    if (keep > 0) this.#miles = this.#miles.slice(keep);
  }

  /**
   * The lowest sequence such that the blocks from it on have at most `bytes`, rounded up to a multiple of 64; `floor` when
   * all of them have. A block whose size is not known counts as a full one.
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
