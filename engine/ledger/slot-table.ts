/**
 * A hash index from 32-bit hashes to non-zero int32 values; the caller compares keys. Equal hashes may occur any number of
 * times.
 *
 * Extendible hashing: the hash's top bits choose a segment through a directory, its low bits the first of the segment's slots,
 * then linear probing. A full segment splits in two, so that growing costs 4,096 slots at a time and no batch ever waits for a
 * rehash of the whole. A slot holds the hash beside the value: splitting and probing read no records.
 *
 *   segment: (hash, value) × slots ‖ entries ‖ depth        value 0 = free slot
 *
 * Hashes are the caller's, under a secret key (keyed-hash.ts). If many are equal nevertheless, one segment grows beyond its
 * 4,096 slots and look-ups in it are slow; the directory stays at most 2^DEPTH_MAX long.
 */
import type { Memory } from './memory.ts';

const SLOTS = 4096;
const SEGMENT_WORDS = SLOTS * 2 + 2;
const SEGMENT_BYTES = SEGMENT_WORDS * 4;
const DEPTH_MAX = 16;
/** Average entries of a reserved segment: nine standard deviations below the number at which it splits. */
const ENTRIES_RESERVED = 2600;
const scratch = new Int32Array(SLOTS * 2);

export class SlotTable {
  /** Segments by the hash's top `#depth` bits; a segment of a lesser depth is in several neighbouring places. */
  #directory: Int32Array[];
  #depth = 1;
  #segments = 1;
  #segment: Int32Array;
  touched = 0;
  #hash = 0;
  #position = 0;
  readonly #memory: Memory;

  constructor(memory: Memory) {
    this.#memory = memory;
    memory.allocate(SEGMENT_BYTES);
    this.#segment = new Int32Array(SEGMENT_WORDS);
    this.#directory = [this.#segment, this.#segment];
  }

  /** Bytes that the table takes. */
  get bytes(): number {
    let bytes = 0;
    for (const segment of new Set(this.#directory)) bytes += segment.byteLength;
    return bytes;
  }

  /** Removes all entries. The room stays for later ones. */
  clear(): void {
    for (const segment of new Set(this.#directory)) segment.fill(0, 0, segment.length - 1);
  }

  /** Makes an empty table as large as `entries` well-spread hashes need, so that filling it splits nothing. */
  reserve(entries: number): void {
    const depth = Math.ceil(Math.log2(entries / ENTRIES_RESERVED));
    if (depth < 1) return;
    const segments = 1 << Math.min(depth, DEPTH_MAX);
    this.#memory.allocate((segments - this.#segments) * SEGMENT_BYTES);
    this.#segments = segments;
    this.#depth = Math.min(depth, DEPTH_MAX);
    this.#directory = Array.from({ length: segments }, () => {
      const segment = new Int32Array(SEGMENT_WORDS);
      segment[SEGMENT_WORDS - 1] = this.#depth;
      return segment;
    });
  }

  /**
   * Reads the first slot of a hash, so that a later look-up finds it in the processor's cache. Reads of many hashes in a
   * row overlap; single look-ups wait for memory each time.
   */
  touch(hash: number): void {
    const segment = this.#directory[hash >>> (32 - this.#depth)]!;
    // The value is meaningless, but the compiler would leave out a read whose value is not used.
    this.touched ^= segment[((hash << 1) & (segment.length - 3)) + 1]!;
  }

  /** Begins a search for the values of a hash; `next` returns them. */
  seek(hash: number): void {
    const segment = this.#directory[hash >>> (32 - this.#depth)]!;
    this.#segment = segment;
    this.#hash = hash;
    this.#position = (hash << 1) & (segment.length - 3);
  }

  /** Returns the next value with the sought hash, or 0 if there is none. */
  next(): number {
    const segment = this.#segment;
    const mask = segment.length - 3;
    const hash = this.#hash;
    let position = this.#position;
    for (;;) {
      const value = segment[position + 1]!;
      if (value === 0) return 0;
      const found = segment[position] === hash;
      position = (position + 2) & mask;
      if (found) {
        this.#position = position;
        return value;
      }
    }
  }

  /** Replaces the value that `next` returned last. */
  replaceFound(value: number): void {
    const segment = this.#segment;
    segment[((this.#position - 2) & (segment.length - 3)) + 1] = value;
  }

  insert(hash: number, value: number): void {
    let segment = this.#directory[hash >>> (32 - this.#depth)]!;
    // At most three quarters full: beyond that, runs of taken slots get long.
    while (segment[segment.length - 2]! >= ((segment.length - 2) >>> 3) * 3) {
      this.#grow(segment, hash);
      segment = this.#directory[hash >>> (32 - this.#depth)]!;
    }
    place(segment, hash, value);
  }

  /** Removes an existing entry and closes the gap, so that every other entry stays reachable. */
  remove(hash: number, value: number): void {
    const segment = this.#directory[hash >>> (32 - this.#depth)]!;
    const mask = segment.length - 3;
    let hole = (hash << 1) & mask;
    while (segment[hole + 1] !== value) hole = (hole + 2) & mask;
    let position = hole;
    for (;;) {
      position = (position + 2) & mask;
      if (segment[position + 1] === 0) break;
      const home = (segment[position]! << 1) & mask;
      // The entry may move back to the hole unless its home lies between the hole and itself.
      if (((position - home) & mask) >= ((position - hole) & mask)) {
        segment[hole] = segment[position]!;
        segment[hole + 1] = segment[position + 1]!;
        hole = position;
      }
    }
    segment[hole] = 0;
    segment[hole + 1] = 0;
    segment[segment.length - 2]! -= 1;
  }

  /**
   * Returns the maximum bytes that adding `entries` may allocate. All segments fill at about the same time, but not within
   * one batch: an eighth of them is many times the number that any measured batch has split.
   */
  growthBytes(entries: number): number {
    return Math.min(entries, 16 + (this.#segments >>> 3) + (entries >>> 10)) * SEGMENT_BYTES;
  }

  #grow(segment: Int32Array, hash: number): void {
    const depth = segment[segment.length - 1]!;
    if (depth === DEPTH_MAX) this.#enlarge(segment, hash);
    else this.#split(segment, hash, depth);
  }

  #split(segment: Int32Array, hash: number, depth: number): void {
    if (depth === this.#depth) this.#doubleDirectory();
    const upper = new Int32Array(SEGMENT_WORDS);
    this.#memory.allocate(SEGMENT_BYTES);
    this.#segments += 1;
    const places = 1 << (this.#depth - depth);
    const first = (hash >>> (32 - this.#depth)) & ~(places - 1);
    for (let i = first + (places >>> 1); i < first + places; i += 1) this.#directory[i] = upper;
    scratch.set(segment.subarray(0, SLOTS * 2));
    segment.fill(0);
    segment[SEGMENT_WORDS - 1] = depth + 1;
    upper[SEGMENT_WORDS - 1] = depth + 1;
    const bit = 31 - depth;
    for (let i = 0; i < SLOTS * 2; i += 2) {
      if (scratch[i + 1] === 0) continue;
      place(((scratch[i]! >>> bit) & 1) === 0 ? segment : upper, scratch[i]!, scratch[i + 1]!);
    }
  }

  #doubleDirectory(): void {
    this.#directory = this.#directory.flatMap((segment) => [segment, segment]);
    this.#depth += 1;
  }

  #enlarge(segment: Int32Array, hash: number): void {
    const words = (segment.length - 2) * 2 + 2;
    const larger = new Int32Array(words);
    this.#memory.allocate((words - segment.length) * 4);
    larger[words - 1] = DEPTH_MAX;
    for (let i = 0; i < segment.length - 2; i += 2) {
      if (segment[i + 1] !== 0) place(larger, segment[i]!, segment[i + 1]!);
    }
    this.#directory[hash >>> (32 - this.#depth)] = larger;
  }
}

function place(segment: Int32Array, hash: number, value: number): void {
  const mask = segment.length - 3;
  let position = (hash << 1) & mask;
  while (segment[position + 1] !== 0) position = (position + 2) & mask;
  segment[position] = hash;
  segment[position + 1] = value;
  segment[segment.length - 2]! += 1;
}
