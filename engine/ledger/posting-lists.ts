/**
 * Lists of rising record indexes ("postings"), many millions of them, most very short. A list is two words kept by its
 * owner, `(count, address)`:
 *
 *   count 0          empty
 *   count 1          address is the posting itself
 *   count 2 … 4096   address of one block of the pool with room for the next power of two; a full block moves to one
 *                    twice its size and its old room is used again by other lists
 *   count > 4096     address is an index of `#large`: blocks of 4,096 postings each
 *
 * So a key that occurs once costs nothing here, and a binary search can find an entry in any list.
 */
import { assert } from '../../base/assert.ts';
import { BlockFills } from './block-fills.ts';
import type { Memory } from './memory.ts';

const BLOCK_MAX = 4096;
const BLOCK_MAX_SHIFT = 12;
const CHUNK_SHIFT = 18;
const CHUNK_WORDS = 1 << CHUNK_SHIFT;
const CHUNK_MASK = CHUNK_WORDS - 1;
/** Number of size classes: blocks of 4, 8, … 4,096 words. */
const CLASSES = 11;
const LARGE_BLOCK_BYTES = 8;
/** Addresses are u32. */
const WORDS_MAX = 2 ** 32;

export class PostingLists {
  readonly #chunks: Uint32Array[] = [];
  readonly #memory: Memory;
  /** Address + 1 of the first free block in each class; a free block's first word holds that of the next one. */
  readonly #free = new Float64Array(CLASSES);
  /** Addresses of the blocks of each long list. */
  readonly #large: number[][] = [];
  readonly #fills = new BlockFills(CLASSES);
  #bump = 0;

  readonly #wordsMax: number;

  /** `wordsMax` must be a multiple of a chunk's words, at most 2^32; tests set a smaller one. */
  constructor(memory: Memory, wordsMax = WORDS_MAX) {
    this.#memory = memory;
    this.#wordsMax = wordsMax;
  }

  append(headers: Uint32Array, at: number, posting: number): void {
    const count = headers[at]!;
    headers[at] = count + 1;
    if (count === 0) headers[at + 1] = posting;
    else if (count === 1) {
      const address = this.#allocate(0);
      this.#write(address, headers[at + 1]!);
      this.#write(address + 1, posting);
      headers[at + 1] = address;
      this.#fills.taken(0, 2);
    } else if (count < BLOCK_MAX) {
      if (count >= 4 && (count & (count - 1)) === 0) this.#move(headers, at, count);
      this.#write(headers[at + 1]! + count, posting);
      const sizeClass = classOf(count + 1);
      this.#fills.written(sizeClass, (4 << sizeClass) - count - 1);
    } else this.#appendLarge(headers, at, count, posting);
  }

  /** Returns a view through which a query reads a list. It is valid until the next append. */
  view(headers: Uint32Array, at: number): PostingView {
    const count = headers[at]!;
    const address = headers[at + 1]!;
    if (count === 0) return EMPTY;
    if (count === 1) return new PostingView(1, [Uint32Array.of(address)], [0]);
    const addresses = count > BLOCK_MAX ? this.#large[address]! : [address];
    return new PostingView(count, this.#chunks, addresses);
  }

  /**
   * Returns whether this many more postings, to whichever lists, can be addressed. If not, their records must not be
   * created.
   */
  fits(postings: number): boolean {
    return (this.#chunks.length + this.#chunksFor(postings)) * CHUNK_WORDS <= this.#wordsMax;
  }

  /** Returns the maximum bytes that appending `postings` may allocate, to whichever lists. */
  growthBytes(postings: number): number {
    // Each posting may begin a block of a long list, and also a new long list.
    return this.#chunksFor(postings) * CHUNK_WORDS * 4 + postings * 2 * LARGE_BLOCK_BYTES;
  }

  /**
   * Returns the maximum number of chunks that appending `postings` may add. At a chunk's end, less than the largest block
   * stays unused. Released blocks are not counted as room.
   */
  #chunksFor(postings: number): number {
    return Math.ceil(this.#fills.wordsMax(postings) / (CHUNK_WORDS - BLOCK_MAX));
  }

  #appendLarge(headers: Uint32Array, at: number, count: number, posting: number): void {
    if (count === BLOCK_MAX) {
      this.#large.push([headers[at + 1]!]);
      this.#memory.allocate(LARGE_BLOCK_BYTES);
      headers[at + 1] = this.#large.length - 1;
    }
    const blocks = this.#large[headers[at + 1]!]!;
    const filled = count & (BLOCK_MAX - 1);
    if (filled === 0) {
      blocks.push(this.#allocate(CLASSES - 1));
      this.#memory.allocate(LARGE_BLOCK_BYTES);
      this.#fills.left(CLASSES - 1);
      this.#fills.taken(CLASSES - 1, BLOCK_MAX - 1);
    } else this.#fills.written(CLASSES - 1, BLOCK_MAX - 1 - filled);
    this.#write(blocks[count >>> BLOCK_MAX_SHIFT]! + filled, posting);
  }

  #write(address: number, posting: number): void {
    this.#chunks[address >>> CHUNK_SHIFT]![address & CHUNK_MASK] = posting;
  }

  #move(headers: Uint32Array, at: number, count: number): void {
    const from = headers[at + 1]!;
    const sizeClass = classOf(count);
    const to = this.#allocate(sizeClass + 1);
    const source = this.#chunks[from >>> CHUNK_SHIFT]!;
    const target = this.#chunks[to >>> CHUNK_SHIFT]!;
    const s = from & CHUNK_MASK;
    const t = to & CHUNK_MASK;
    if (count > 32) target.set(source.subarray(s, s + count), t);
    else for (let i = 0; i < count; i += 1) target[t + i] = source[s + i]!;
    this.#release(from, sizeClass);
    headers[at + 1] = to;
    this.#fills.left(sizeClass);
    this.#fills.taken(sizeClass + 1, count);
  }

  #allocate(sizeClass: number): number {
    const free = this.#free[sizeClass]!;
    if (free !== 0) {
      this.#free[sizeClass] = this.#chunks[(free - 1) >>> CHUNK_SHIFT]![(free - 1) & CHUNK_MASK]!;
      return free - 1;
    }
    const words = 4 << sizeClass;
    // The rest of the newest chunk becomes free blocks of the sizes that fit; every offset is a multiple of four.
    while ((this.#bump & CHUNK_MASK) !== 0 && (this.#bump & CHUNK_MASK) + words > CHUNK_WORDS) {
      const left = CHUNK_WORDS - (this.#bump & CHUNK_MASK);
      const leftClass = 29 - Math.clz32(left);
      this.#release(this.#bump, leftClass);
      this.#bump += 4 << leftClass;
    }
    assert(
      this.#bump + words <= this.#wordsMax,
      'posting lists have at most 2^32 words; what comes before creates nothing that does not fit',
    );
    if (this.#bump >>> CHUNK_SHIFT === this.#chunks.length) {
      this.#chunks.push(new Uint32Array(CHUNK_WORDS));
      this.#memory.allocate(CHUNK_WORDS * 4);
    }
    const address = this.#bump;
    this.#bump = address + words;
    return address;
  }

  #release(address: number, sizeClass: number): void {
    this.#write(address, this.#free[sizeClass]!);
    this.#free[sizeClass] = address + 1;
  }
}

const { clz32 } = Math;

/** Returns the class of the block for `count` postings, from 2 to `BLOCK_MAX`. */
const classOf = (count: number): number => (count < 3 ? 0 : 30 - clz32(count - 1));

/** A view of a list as it is now. Its cost does not depend on the list's length. */
export class PostingView {
  readonly count: number;
  readonly #chunks: readonly Uint32Array[];
  /** Addresses of the list's blocks. */
  readonly #addresses: readonly number[];
  /** The block that was read last, its chunk and its start there: the next read is mostly in it. */
  #block = -1;
  #chunk: Uint32Array = NOTHING;
  #start = 0;

  constructor(count: number, chunks: readonly Uint32Array[], addresses: readonly number[]) {
    this.count = count;
    this.#chunks = chunks;
    this.#addresses = addresses;
  }

  at(position: number): number {
    const block = position >>> BLOCK_MAX_SHIFT;
    if (block !== this.#block) {
      const address = this.#addresses[block]!;
      this.#block = block;
      this.#chunk = this.#chunks[address >>> CHUNK_SHIFT]!;
      this.#start = address & CHUNK_MASK;
    }
    return this.#chunk[this.#start + (position & (BLOCK_MAX - 1))]!;
  }
}

const NOTHING = new Uint32Array(0);

export const EMPTY = new PostingView(0, [], []);
