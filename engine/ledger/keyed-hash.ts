/**
 * Hashes of ids and field values under a secret key: HalfSipHash-1-3, made for hash tables whose keys come from strangers.
 * Without the key nobody can choose values with the same hash or the same place in a table.
 *
 * Hashes leave the process only in the index that a data file keeps beside its key: no copy for others has it, and neither answers nor
 * state hashes depend on it. So replicas have different keys (docs/decisions/0040-hash-key.md, 0121-stored-index.md).
 */

import { hash32 } from './words.ts';

/** 64 secret bits. */
export interface HashKey {
  readonly low: number;
  readonly high: number;
}

/** Length of four words in bytes, at its place in HalfSipHash's last word. */
const BYTES_128 = 16 << 24;

/** Key for ledgers without untrusted clients: tests and benchmarks. */
export const PUBLIC_HASH_KEY: HashKey = { low: 0x2545f491, high: 0x1b873593 };

export class KeyedHash {
  /** 16 more bits of the hash that `of128` returned last, for those that need 48. */
  lower = 0;
  #low = 0;
  #high = 0;

  constructor(key: HashKey) {
    this.useKey(key);
  }

  get key(): HashKey {
    return { low: this.#low >>> 0, high: this.#high >>> 0 };
  }

  /** Takes another key. Nothing may have been hashed that is still needed. */
  useKey({ low, high }: HashKey): void {
    this.#low = low | 0;
    this.#high = high | 0;
  }

  /** Returns a hash of one word, different for each word, so that the table needs no key beside it. */
  ofWord(word: number): number {
    return hash32(hash32(word ^ this.#low) ^ this.#high);
  }

  /** Returns the hash of `count` words as an int32 (a small integer for the machine, whatever its top bit). */
  of(words: Uint32Array, at: number, count: number): number {
    let v0 = this.#low;
    let v1 = this.#high;
    let v2 = this.#low ^ 0x6c796765;
    let v3 = this.#high ^ 0x74656462;
    // One round for each word, one for the length in bytes, and three to finish.
    for (let i = 0; i < count + 4; i += 1) {
      const word = i < count ? words[at + i]! | 0 : i === count ? count << 26 : 0;
      if (i === count + 1) v2 ^= 0xff;
      v3 ^= word;
      v0 = (v0 + v1) | 0;
      v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
      v0 = (v0 << 16) | (v0 >>> 16);
      v2 = (v2 + v3) | 0;
      v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
      v0 = (v0 + v3) | 0;
      v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
      v2 = (v2 + v1) | 0;
      v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
      v2 = (v2 << 16) | (v2 >>> 16);
      v0 ^= word;
    }
    return v1 ^ v3;
  }

  /** Same as `of` for four words. A batch needs thousands of these; the unrolled loop takes two thirds of the time. */
  // oxlint-disable-next-line max-lines-per-function -- one unrolled loop
  of128(words: Uint32Array, at: number): number {
    let v0 = this.#low;
    let v1 = this.#high;
    let v2 = this.#low ^ 0x6c796765;
    let v3 = this.#high ^ 0x74656462;
    const word0 = words[at + 0]! | 0;
    v3 ^= word0;
    v0 = (v0 + v1) | 0;
    v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
    v0 = (v0 << 16) | (v0 >>> 16);
    v2 = (v2 + v3) | 0;
    v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
    v0 = (v0 + v3) | 0;
    v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
    v2 = (v2 + v1) | 0;
    v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
    v2 = (v2 << 16) | (v2 >>> 16);
    v0 ^= word0;
    const word1 = words[at + 1]! | 0;
    v3 ^= word1;
    v0 = (v0 + v1) | 0;
    v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
    v0 = (v0 << 16) | (v0 >>> 16);
    v2 = (v2 + v3) | 0;
    v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
    v0 = (v0 + v3) | 0;
    v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
    v2 = (v2 + v1) | 0;
    v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
    v2 = (v2 << 16) | (v2 >>> 16);
    v0 ^= word1;
    const word2 = words[at + 2]! | 0;
    v3 ^= word2;
    v0 = (v0 + v1) | 0;
    v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
    v0 = (v0 << 16) | (v0 >>> 16);
    v2 = (v2 + v3) | 0;
    v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
    v0 = (v0 + v3) | 0;
    v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
    v2 = (v2 + v1) | 0;
    v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
    v2 = (v2 << 16) | (v2 >>> 16);
    v0 ^= word2;
    const word3 = words[at + 3]! | 0;
    v3 ^= word3;
    v0 = (v0 + v1) | 0;
    v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
    v0 = (v0 << 16) | (v0 >>> 16);
    v2 = (v2 + v3) | 0;
    v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
    v0 = (v0 + v3) | 0;
    v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
    v2 = (v2 + v1) | 0;
    v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
    v2 = (v2 << 16) | (v2 >>> 16);
    v0 ^= word3;
    v3 ^= BYTES_128;
    v0 = (v0 + v1) | 0;
    v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
    v0 = (v0 << 16) | (v0 >>> 16);
    v2 = (v2 + v3) | 0;
    v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
    v0 = (v0 + v3) | 0;
    v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
    v2 = (v2 + v1) | 0;
    v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
    v2 = (v2 << 16) | (v2 >>> 16);
    v0 ^= BYTES_128;
    v2 ^= 0xff;
    v0 = (v0 + v1) | 0;
    v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
    v0 = (v0 << 16) | (v0 >>> 16);
    v2 = (v2 + v3) | 0;
    v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
    v0 = (v0 + v3) | 0;
    v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
    v2 = (v2 + v1) | 0;
    v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
    v2 = (v2 << 16) | (v2 >>> 16);
    v0 = (v0 + v1) | 0;
    v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
    v0 = (v0 << 16) | (v0 >>> 16);
    v2 = (v2 + v3) | 0;
    v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
    v0 = (v0 + v3) | 0;
    v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
    v2 = (v2 + v1) | 0;
    v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
    v2 = (v2 << 16) | (v2 >>> 16);
    v0 = (v0 + v1) | 0;
    v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
    v0 = (v0 << 16) | (v0 >>> 16);
    v2 = (v2 + v3) | 0;
    v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
    v0 = (v0 + v3) | 0;
    v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
    v2 = (v2 + v1) | 0;
    v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
    v2 = (v2 << 16) | (v2 >>> 16);
    this.lower = (v0 ^ v2) & 0xffff;
    return v1 ^ v3;
  }
}
