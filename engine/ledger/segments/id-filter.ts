/**
 * Filter of ids: answers whether an id may be among those of a segment. 24 bits an id, in blocks of 64 bytes (one line of the
 * processor's cache), eight bits of one block for an id. About one absent id of ten thousand passes: it costs the read of a page.
 *
 * The block comes from the upper 32 bits of the id's keyed hash, the bits from all 48, so that a merge makes the filter from the
 * hashes that the segments keep. The filter's own length says how many blocks there are: older releases made filters of 16 bits an id.
 */
import { imul } from '../words.ts';
import { sharedWords } from './columns.ts';

const BLOCK_WORDS = 16;
const IDS_PER_BLOCK = 21;
const BASE = 0x1_0000_0000;

export const newFilter = (ids: number): Uint32Array => sharedWords(filterWords(ids));

/** Returns the words of a filter of so many ids. */
export const filterWords = (ids: number): number => Math.ceil(ids / IDS_PER_BLOCK) * BLOCK_WORDS;

export function addToFilter(filter: Uint32Array, key: number, lower: number): void {
  const block = blockOf(filter, key);
  let bits = mix(key, lower, 0x9e3779b1);
  for (let i = 0; i < 8; i += 1) {
    if (i === 4) bits = mix(key, lower, 0x85ebca77);
    // One bit in each pair of words.
    filter[block + i * 2 + ((bits >>> 5) & 1)]! |= 1 << (bits & 31);
    bits >>>= 6;
  }
}

export function mayContain(filter: Uint32Array, key: number, lower: number): boolean {
  return hasAll(filter, blockOf(filter, key), firstBits(key, lower), lastBits(key, lower));
}

/** Bits of an id's hash that say which four bits of the first half of its block are set. */
export const firstBits = (key: number, lower: number): number => mix(key, lower, 0x9e3779b1);

/** The same for the second half. */
export const lastBits = (key: number, lower: number): number => mix(key, lower, 0x85ebca77);

/** Returns whether all bits of an id are set. */
export const hasAll = (filter: Uint32Array, block: number, first: number, last: number): boolean =>
  hasBits(filter, block, first) && hasBits(filter, block + 8, last);

/** Returns whether four bits are set, one in each of four pairs of words. */
function hasBits(filter: Uint32Array, at: number, bits: number): boolean {
  return (
    (filter[at + ((bits >>> 5) & 1)]! & (1 << (bits & 31))) !== 0 &&
    (filter[at + 2 + ((bits >>> 11) & 1)]! & (1 << ((bits >>> 6) & 31))) !== 0 &&
    (filter[at + 4 + ((bits >>> 17) & 1)]! & (1 << ((bits >>> 12) & 31))) !== 0 &&
    (filter[at + 6 + ((bits >>> 23) & 1)]! & (1 << ((bits >>> 18) & 31))) !== 0
  );
}

/**
 * Reads a word of an id's block, so that `mayContain` finds it in the processor's cache. Reads of many ids in a row overlap. The
 * value means nothing.
 */
export function touchFilter(filter: Uint32Array, key: number): number {
  return filter[blockOf(filter, key)]!;
}

export const blockOf = (filter: Uint32Array, key: number): number =>
  blockAt(key, blocksPerKey(filter));

/** Returns what `blockAt` takes for all keys of a filter. */
export const blocksPerKey = (filter: Uint32Array): number => filter.length / BLOCK_WORDS / BASE;

/** Returns the offset of a key's block. */
export const blockAt = (key: number, perKey: number): number => ((key * perKey) | 0) * BLOCK_WORDS;

/** Returns 1 if the first bit of an id is set, else 0. */
export const hasFirst = (filter: Uint32Array, block: number, first: number): number =>
  (filter[block + ((first >>> 5) & 1)]! >>> (first & 31)) & 1;

function mix(key: number, lower: number, factor: number): number {
  let h = imul(key ^ imul(lower + 1, 0xc2b2ae3d), factor);
  h ^= h >>> 15;
  h = imul(h, 0x2c1b3c6d);
  return h ^ (h >>> 13);
}
