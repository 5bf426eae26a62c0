/**
 * Rows of a fixed number of u32 words in chunks, so that growing never copies and a row's place in memory never changes.
 * A row is reached as `chunkOf(index)[offsetOf(index) + word]`.
 *
 * The oldest chunks of a table with pages may leave memory once their rows are durable in a checkpoint. Their rows are reached
 * in the same way, through the pages that were brought for the computation (cold-rows.ts).
 */
import { assert } from '../../base/assert.ts';
import type { ColdRows } from './cold-rows.ts';
import type { Memory } from './memory.ts';

/** Maximum number of rows in a table: indexes keep row numbers, counted from 1, and their negatives in 32 bits. */
const ROWS_MAX = 2 ** 31 - 1;

interface RowTableOptions {
  readonly wordsPerRow: number;
  /** Rows a chunk holds, as a power of two. */
  readonly rowsShift: number;
  /** The rows that have left memory, if rows of this table may leave. */
  readonly cold?: ColdRows;
  /** Returns the first row that must stay although it is stored; none by default. */
  readonly leaveEnd?: () => number;
}

export class RowTable {
  readonly wordsPerRow: number;
  readonly chunks: Uint32Array[] = [];
  count = 0;
  /** Rows before this one have left memory. */
  coldEnd = 0;
  /** Rows before this one are durable in pages of a checkpoint. */
  stored = 0;
  /** Whether all rows that are in memory must stay there for now. */
  mustStay = false;
  readonly cold: ColdRows | undefined;
  readonly #rowsShift: number;
  readonly #rowsMask: number;
  readonly #memory: Memory;
  readonly #leaveEnd: () => number;

  constructor(memory: Memory, options: RowTableOptions) {
    this.#memory = memory;
    this.wordsPerRow = options.wordsPerRow;
    this.#rowsShift = options.rowsShift;
    this.#rowsMask = (1 << options.rowsShift) - 1;
    this.cold = options.cold;
    this.#leaveEnd = options.leaveEnd ?? (() => Infinity);
  }

  get rowBytes(): number {
    return this.wordsPerRow * 4;
  }

  get rowsPerChunk(): number {
    return this.#rowsMask + 1;
  }

  get chunkBytes(): number {
    return this.rowsPerChunk * this.rowBytes;
  }

  chunkOf(index: number): Uint32Array {
    if (index < this.coldEnd) return this.cold!.chunkOf(index);
    return this.chunks[index >>> this.#rowsShift]!;
  }

  offsetOf(index: number): number {
    if (index < this.coldEnd) return this.cold!.offsetOf(index);
    return (index & this.#rowsMask) * this.wordsPerRow;
  }

  /** Whether the oldest chunk may leave memory. The last row always stays. */
  get mayDrop(): boolean {
    return this.coldEnd + this.rowsPerChunk <= this.#dropEnd;
  }

  /** Bytes of chunks that may leave memory. */
  get droppableBytes(): number {
    const rows = Math.max(0, this.#dropEnd - this.coldEnd);
    return (rows >>> this.#rowsShift) * this.chunkBytes;
  }

  get #dropEnd(): number {
    return Math.min(this.#storedEnd, this.#leaveEnd());
  }

  get #storedEnd(): number {
    return this.mustStay ? 0 : Math.min(this.stored, this.count - 1);
  }

  /** Whether the oldest chunk is stored, so that it may leave memory if it must. */
  get canDrop(): boolean {
    return this.coldEnd + this.rowsPerChunk <= this.#storedEnd;
  }

  /** Drops the oldest chunk from memory, if `mayDrop`, or at least `canDrop`. */
  drop(): void {
    const chunk = this.coldEnd >>> this.#rowsShift;
    const first = this.coldEnd;
    this.cold!.leaves(this.chunks[chunk]!, first, first + this.rowsPerChunk);
    this.chunks[chunk] = GONE;
    this.coldEnd = first + this.rowsPerChunk;
    this.#memory.free(this.chunkBytes);
  }

  /**
   * Begins an empty table with its rows before `end`, the first of a chunk, on the volume only. `times` are the first timestamps of
   * their pages.
   */
  beginCold(end: number, times: Uint32Array): void {
    for (let first = 0; first < end; first += this.rowsPerChunk) this.chunks.push(GONE);
    this.cold!.begin(times, end);
    this.coldEnd = end;
    this.stored = end;
    this.count = end;
  }

  /** Makes room for one more row and returns its index. Its words are undefined (zero in a new chunk). */
  push(): number {
    const index = this.count;
    if (index >>> this.#rowsShift === this.chunks.length) {
      assert(
        index + this.rowsPerChunk <= ROWS_MAX,
        'a table has fewer than 2^31 rows; what comes before creates nothing that does not fit',
      );
      this.chunks.push(new Uint32Array(this.rowsPerChunk * this.wordsPerRow));
      this.#memory.allocate(this.chunkBytes);
    }
    this.count = index + 1;
    return index;
  }

  /** Drops the rows from `count` on. Their chunks stay for later rows. */
  truncate(count: number): void {
    this.count = count;
  }

  /** Returns whether this many more rows can be numbered. */
  fits(rows: number): boolean {
    return this.count + rows + this.rowsPerChunk <= ROWS_MAX;
  }

  /** Returns the bytes that adding `rows` rows would allocate. */
  growthBytes(rows: number): number {
    const room = this.chunks.length * this.rowsPerChunk - this.count;
    return rows <= room ? 0 : Math.ceil((rows - room) / this.rowsPerChunk) * this.chunkBytes;
  }
}

const GONE = new Uint32Array(0);

const ZERO_BYTES = new Uint8Array(1 << 20);

/** Table of one byte per row, in chunks of 1 MiB. */
export class ByteTable {
  readonly #chunks: Uint8Array[] = [];
  readonly #memory: Memory;

  constructor(memory: Memory) {
    this.#memory = memory;
  }

  get(index: number): number {
    return this.#chunks[index >>> 20]![index & 0xfffff]!;
  }

  /** Sets the byte of an existing row, or of the one after the last. */
  set(index: number, value: number): void {
    if (index >>> 20 === this.#chunks.length) {
      this.#chunks.push(new Uint8Array(1 << 20));
      this.#memory.allocate(1 << 20);
    }
    this.#chunks[index >>> 20]![index & 0xfffff] = value;
  }

  /** Makes room for the bytes of the rows before `end`, which are 0. */
  reserve(end: number): void {
    while (this.#chunks.length << 20 < end) {
      this.#chunks.push(new Uint8Array(1 << 20));
      this.#memory.allocate(1 << 20);
    }
  }

  /** Writes the bytes of rows from `first` on, of one chunk. */
  put(first: number, bytes: Uint8Array): void {
    this.#chunks[first >>> 20]!.set(bytes, first & 0xfffff);
  }

  /** Returns whether the bytes of `count` rows from `first` on, of one chunk, are all 0. */
  isZero(first: number, count: number): boolean {
    const at = first & 0xfffff;
    const bytes = this.#chunks[first >>> 20]!.subarray(at, at + count);
    return Buffer.compare(bytes, ZERO_BYTES.subarray(0, count)) === 0;
  }

  /** Copies the bytes of rows from `first` on, of one chunk. */
  copy(first: number, to: Uint8Array): void {
    const at = first & 0xfffff;
    to.set(this.#chunks[first >>> 20]!.subarray(at, at + to.length));
  }

  growthBytes(rowsAfter: number): number {
    return Math.max(0, Math.ceil(rowsAfter / (1 << 20)) - this.#chunks.length) << 20;
  }
}
