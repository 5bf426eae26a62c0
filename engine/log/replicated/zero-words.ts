/**
 * Reversible encoding of bytes without their zeros: transfers and accounts are mostly zeros, and each etcd member writes
 * every byte of a block twice and sends it to all. Little-endian u32 words. Each run of 32 words of the original (the last
 * may be shorter) becomes a mask of the non-zero words, bit 0 for the first, followed by these words.
 */
import { assert } from '../../../base/assert.ts';

const RUN = 32;

/** Returns the maximum number of encoded bytes for `size` bytes. */
export function withoutZerosMax(size: number): number {
  return size + Math.ceil(size / (4 * RUN)) * 4;
}

/**
 * Writes `bytes` without zeros to `target` from `start` on. Returns the end offset. Sizes and offsets must be multiples of
 * 4.
 */
export function putWithoutZeros(target: Uint8Array, start: number, bytes: Uint8Array): number {
  const [from, to] = [wordsOf(bytes), wordsOf(target)];
  let out = start / 4;
  for (let at = 0; at < from.length; at += RUN) {
    const maskAt = out;
    const end = Math.min(at + RUN, from.length);
    let mask = 0;
    out += 1;
    for (let i = at; i < end; i += 1) {
      const word = from[i]!;
      if (word === 0) continue;
      mask |= 1 << (i - at);
      to[out] = word;
      out += 1;
    }
    to[maskAt] = mask;
  }
  return out * 4;
}

/** Returns the `size` bytes that `stored` was made from. */
export function withZeros(stored: Uint8Array, size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  putWithZeros(bytes, stored);
  return bytes;
}

/**
 * Writes the bytes that `stored` was made from to `target`, which is as long as they are, has their alignment, and holds zeros. The input is
 * trusted, because a seal covers it.
 */
export function putWithZeros(target: Uint8Array, stored: Uint8Array): void {
  // Bytes from a connection may have any alignment.
  const from = wordsOf(stored.byteOffset % 4 === 0 ? stored : new Uint8Array(stored));
  const to = wordsOf(target);
  let next = 0;
  for (let at = 0; at < to.length; at += RUN) {
    let mask = from[next]!;
    next += 1;
    while (mask !== 0) {
      const bit = 31 - Math.clz32(mask & -mask);
      to[at + bit] = from[next]!;
      next += 1;
      mask &= mask - 1;
    }
  }
  assert(next === from.length, 'sealed words are as many as their masks say');
}

function wordsOf({ buffer, byteOffset, byteLength }: Uint8Array): Uint32Array {
  return new Uint32Array(buffer, byteOffset, byteLength / 4);
}
