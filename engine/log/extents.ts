/** Allocator of room in the data file after the log ring: first fit among the unused runs, then at the end. */
import { BLOCK_SIZE, roundUp } from './layout.ts';

export interface Extent {
  readonly offset: number;
  readonly size: number;
}

export class ExtentAllocator {
  /** Free runs, ascending; the last one has no end. */
  readonly #free: { offset: number; end: number }[] = [];

  /** `used` may be in any order; `from` is the first byte that may be allocated. */
  constructor(used: readonly Extent[], from: number) {
    let at = roundUp(from);
    for (const extent of used.toSorted((a, b) => a.offset - b.offset)) {
      if (extent.offset > at) this.#free.push({ offset: at, end: extent.offset });
      at = Math.max(at, roundUp(extent.offset + extent.size));
    }
    this.#free.push({ offset: at, end: Infinity });
  }

  /** Returns the offset that `allocate` would return. */
  find(size: number): number {
    return this.#free[this.#indexOf(lengthOf(size))]!.offset;
  }

  /** Returns the bytes of the largest free run before `end`. */
  largestRun(end: number): number {
    return Math.max(...this.#free.map((run) => Math.max(0, Math.min(run.end, end) - run.offset)));
  }

  /** Allocates `size` bytes, rounded up to whole blocks. Returns their offset. */
  allocate(size: number): number {
    const length = lengthOf(size);
    const index = this.#indexOf(length);
    const run = this.#free[index]!;
    const { offset } = run;
    run.offset += length;
    if (run.offset === run.end) this.#free.splice(index, 1);
    return offset;
  }

  #indexOf(length: number): number {
    return this.#free.findIndex((run) => run.end - run.offset >= length);
  }
}

const lengthOf = (size: number): number => Math.max(BLOCK_SIZE, roundUp(size));
