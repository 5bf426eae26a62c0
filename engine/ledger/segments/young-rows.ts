/**
 * Index entries of rows that are in no segment yet: for each row, the hash of its id and the keys of its fields, as columns. They
 * are appended without any order. A column of a chunk is sorted when a query first asks for it, so that writes pay nothing for
 * queries that do not come.
 */
import type { Memory } from '../memory.ts';
import { COLUMNS, sharedWords } from './columns.ts';

/** Rows of a chunk. Tests use fewer. At most 2^16, because the sorted order is kept in 16 bits. */
export const CHUNK_ROWS = 1 << 14;
/** Bytes that a row takes: the hash of its id, its keys, and its place in the order of each column. */
export const YOUNG_ROW_BYTES = 4 + 2 + COLUMNS * (4 + 2);

/** The part of a chunk that a thread needs which seals it. */
export interface ChunkColumns {
  readonly idKeys: Uint32Array;
  readonly idLowers: Uint16Array;
  readonly fields: readonly Uint32Array[];
}

export class YoungChunk implements ChunkColumns {
  readonly idKeys: Uint32Array;
  readonly idLowers: Uint16Array;
  readonly fields: readonly Uint32Array[];
  readonly #rows: number;
  readonly #orders: readonly Uint16Array[];
  /** Number of rows when a column was sorted. */
  readonly #sorted = new Uint32Array(COLUMNS);

  constructor(rows: number) {
    this.#rows = rows;
    this.idKeys = sharedWords(rows);
    this.idLowers = new Uint16Array(new SharedArrayBuffer(rows * 2));
    this.fields = Array.from({ length: COLUMNS }, () => sharedWords(rows));
    this.#orders = Array.from({ length: COLUMNS }, () => new Uint16Array(rows));
  }

  /** Makes the chunk ready for other rows. */
  clear(): void {
    this.#sorted.fill(0);
  }

  isSorted(column: number): boolean {
    return this.#sorted[column] === this.#rows;
  }

  /** Returns the offsets of a full chunk's rows in the order of their keys in a column; equal keys in the order of rows. */
  orderOf(column: number): Uint16Array {
    const order = this.#orders[column]!;
    if (!this.isSorted(column)) {
      sortOrder(order, this.fields[column]!, this.#rows);
      this.#sorted[column] = this.#rows;
    }
    return order;
  }
}

/** Chunks that are used again, so that writing does not touch fresh memory. */
export class ChunkPool {
  readonly #memory: Memory;
  readonly #rows: number;
  readonly #free: YoungChunk[] = [];

  constructor(memory: Memory, rows: number) {
    this.#memory = memory;
    this.#rows = rows;
  }

  get free(): number {
    return this.#free.length;
  }

  get chunkBytes(): number {
    return this.#rows * YOUNG_ROW_BYTES;
  }

  take(): YoungChunk {
    const free = this.#free.pop();
    if (free !== undefined) {
      free.clear();
      return free;
    }
    this.#memory.allocate(this.chunkBytes);
    return new YoungChunk(this.#rows);
  }

  give(chunks: readonly YoungChunk[]): void {
    this.#free.push(...chunks);
  }
}

const DIGIT_BITS = 11;
const MASK = (1 << DIGIT_BITS) - 1;
const starts = new Uint32Array(1 << DIGIT_BITS);
let scratch = new Uint16Array(0);

function sortOrder(order: Uint16Array, keys: Uint32Array, count: number): void {
  if (scratch.length < count) scratch = new Uint16Array(count);
  for (let i = 0; i < count; i += 1) order[i] = i;
  let from = order;
  let to: Uint16Array = scratch;
  for (let shift = 0; shift < 32; shift += DIGIT_BITS) {
    if (!scatter(from, to, keys, count, shift)) continue;
    [from, to] = [to, from];
  }
  if (from !== order) order.set(from.subarray(0, count));
}

/** Returns false if all keys have the same digit. */
function scatter(
  from: Uint16Array,
  to: Uint16Array,
  keys: Uint32Array,
  count: number,
  shift: number,
): boolean {
  starts.fill(0);
  for (let i = 0; i < count; i += 1) starts[(keys[i]! >>> shift) & MASK]! += 1;
  if (starts[(keys[0]! >>> shift) & MASK] === count) return false;
  let start = 0;
  for (let digit = 0; digit <= MASK; digit += 1) {
    const size = starts[digit]!;
    starts[digit] = start;
    start += size;
  }
  for (let i = 0; i < count; i += 1) {
    const row = from[i]!;
    const digit = (keys[row]! >>> shift) & MASK;
    const at = starts[digit]!;
    starts[digit] = at + 1;
    to[at] = row;
  }
  return true;
}
