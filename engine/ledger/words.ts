/**
 * Unsigned integers of 64 and 128 bits as little-endian u32 words inside typed arrays: `(words, offset)` names the value
 * that begins at `words[offset]`. Nothing here allocates, which makes a batch of 8,189 events cheap
 * (docs/decisions/0011-ledger-representation.md).
 */
import { assert } from '../../base/assert.ts';

/** Bound once, because under the tests' own global object each look-up of `Math` costs more than the multiplication. */
export const { imul } = Math;

const BASE = 0x1_0000_0000;
const MAX32 = 0xffff_ffff;

assert(
  new Uint8Array(Uint32Array.of(1).buffer)[0] === 1,
  'rows are kept in memory as on the wire, little-endian; this machine is big-endian',
);

export function isZero128(a: Uint32Array, i: number): boolean {
  return (a[i]! | a[i + 1]! | a[i + 2]! | a[i + 3]!) === 0;
}

export function isMax128(a: Uint32Array, i: number): boolean {
  return (a[i]! & a[i + 1]! & a[i + 2]! & a[i + 3]!) === -1;
}

export function equal128(a: Uint32Array, i: number, b: Uint32Array, j: number): boolean {
  return a[i] === b[j] && a[i + 1] === b[j + 1] && a[i + 2] === b[j + 2] && a[i + 3] === b[j + 3];
}

export function copy128(to: Uint32Array, t: number, from: Uint32Array, f: number): void {
  to[t] = from[f]!;
  to[t + 1] = from[f + 1]!;
  to[t + 2] = from[f + 2]!;
  to[t + 3] = from[f + 3]!;
}

/** Returns a negative number, zero or a positive number if `a` is less than, equal to or greater than `b`. */
export function compare128(a: Uint32Array, i: number, b: Uint32Array, j: number): number {
  for (let k = 3; k > 0; k -= 1) {
    const x = a[i + k]!;
    const y = b[j + k]!;
    if (x !== y) return x < y ? -1 : 1;
  }
  return a[i]! - b[j]!;
}

/** `to += from`; returns the carry out of 128 bits (0 or 1). */
export function add128(to: Uint32Array, t: number, from: Uint32Array, f: number): number {
  let sum = to[t]! + from[f]!;
  to[t] = sum;
  sum = to[t + 1]! + from[f + 1]! + (sum > MAX32 ? 1 : 0);
  to[t + 1] = sum;
  sum = to[t + 2]! + from[f + 2]! + (sum > MAX32 ? 1 : 0);
  to[t + 2] = sum;
  sum = to[t + 3]! + from[f + 3]! + (sum > MAX32 ? 1 : 0);
  to[t + 3] = sum;
  return sum > MAX32 ? 1 : 0;
}

/** `to -= from`; returns the borrow (0 or 1). */
export function subtract128(to: Uint32Array, t: number, from: Uint32Array, f: number): number {
  let difference = to[t]! - from[f]!;
  to[t] = difference;
  difference = to[t + 1]! - from[f + 1]! - (difference < 0 ? 1 : 0);
  to[t + 1] = difference;
  difference = to[t + 2]! - from[f + 2]! - (difference < 0 ? 1 : 0);
  to[t + 2] = difference;
  difference = to[t + 3]! - from[f + 3]! - (difference < 0 ? 1 : 0);
  to[t + 3] = difference;
  return difference < 0 ? 1 : 0;
}

/** Same as `compare128` for u64. */
export function compare64(a: Uint32Array, i: number, b: Uint32Array, j: number): number {
  const x = a[i + 1]!;
  const y = b[j + 1]!;
  return x === y ? a[i]! - b[j]! : x - y;
}

/** Returns whether the u64 is a timestamp: 1 … 2^63 - 1. */
export function isTimestamp(a: Uint32Array, i: number): boolean {
  return (a[i]! | a[i + 1]!) !== 0 && a[i + 1]! < 0x8000_0000;
}

/** Writes `from + addend` (an integer below 2^53, may be negative) as a u64. */
export function offset64(
  to: Uint32Array,
  t: number,
  from: Uint32Array,
  f: number,
  addend: number,
): void {
  const low = from[f]! + (addend % BASE);
  to[t] = low;
  to[t + 1] = from[f + 1]! + Math.trunc(addend / BASE) + Math.floor(low / BASE);
}

/**
 * Writes `timestamp + timeout · 10^9`. No u64 overflow: a timestamp is below 2^63 and 2^32 · 10^9 below 2^62. The product
 * of a u32 and 10^9 does not fit a double, so it goes in halves of 16 bits.
 */
export function expiresAt(
  to: Uint32Array,
  t: number,
  timestamp: Uint32Array,
  i: number,
  timeoutSeconds: number,
): void {
  const lowProduct = (timeoutSeconds & 0xffff) * 1e9;
  const highProduct = (timeoutSeconds >>> 16) * 1e9;
  const low = (lowProduct % BASE) + (highProduct % 0x1_0000) * 0x1_0000 + timestamp[i]!;
  to[t] = low;
  to[t + 1] =
    Math.floor(lowProduct / BASE) +
    Math.floor(highProduct / 0x1_0000) +
    timestamp[i + 1]! +
    Math.floor(low / BASE);
}

export function writeBigint64(to: Uint32Array, t: number, value: bigint): void {
  to[t] = Number(value & 0xffff_ffffn);
  to[t + 1] = Number(value >> 32n);
}

export function readBigint64(from: Uint32Array, f: number): bigint {
  return (BigInt(from[f + 1]!) << 32n) | BigInt(from[f]!);
}

/** Returns a hash of 32 bits as an int32 (a small integer for the machine, whatever its top bit). It is a bijection. */
export function hash32(word: number): number {
  let h = word ^ (word >>> 16);
  h = imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = imul(h, 0xc2b2ae35);
  return h ^ (h >>> 16);
}

/** Returns a view of bytes as words. Bytes that are not aligned to a word are copied. */
export function wordsOf(bytes: Uint8Array): Uint32Array {
  const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice();
  return new Uint32Array(aligned.buffer, aligned.byteOffset, aligned.byteLength >>> 2);
}
