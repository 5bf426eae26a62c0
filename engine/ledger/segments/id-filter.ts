/**
 * Filter of ids: answers whether an id may be among those of a segment. 16 bits an id, in blocks of 64 bytes (one line of the
 * processor's cache), eight bits of one block for an id. About one absent id of a thousand passes.
 *
 * The block comes from the upper 32 bits of the id's keyed hash, the bits from all 48, so that a merge makes the filter from the
 * hashes that the segments keep.
 */
import { imul } from '../words.ts';
import { sharedWords } from './columns.ts';

const BLOCK_WORDS = 16;
const IDS_PER_BLOCK = 32;
const BASE = 0x1_0000_0000;

export function newFilter(ids: number): Uint32Array {
  return sharedWords(Math.ceil(ids / IDS_PER_BLOCK) * BLOCK_WORDS);
}

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
  const block = blockOf(filter, key);
  let bits = mix(key, lower, 0x9e3779b1);
  for (let i = 0; i < 8; i += 1) {
    if (i === 4) bits = mix(key, lower, 0x85ebca77);
    if ((filter[block + i * 2 + ((bits >>> 5) & 1)]! & (1 << (bits & 31))) === 0) return false;
    bits >>>= 6;
  }
  return true;
}

/**
 * Reads a word of an id's block, so that `mayContain` finds it in the processor's cache. Reads of many ids in a row overlap. The
 * value means nothing.
 */
export function touchFilter(filter: Uint32Array, key: number): number {
  return filter[blockOf(filter, key)]!;
}

function blockOf(filter: Uint32Array, key: number): number {
  return Math.floor((key / BASE) * (filter.length / BLOCK_WORDS)) * BLOCK_WORDS;
}

function mix(key: number, lower: number, factor: number): number {
  let h = imul(key ^ imul(lower + 1, 0xc2b2ae3d), factor);
  h ^= h >>> 15;
  h = imul(h, 0x2c1b3c6d);
  return h ^ (h >>> 13);
}
