/**
 * A hash whose values are often equal, as a keyed one's are once in billions of times: for tests of what tells ids and values of equal hashes
 * apart. Of the 48 bits of an id's hash, it has twelve.
 */
import { KeyedHash } from '../keyed-hash.ts';

export class WeakHash extends KeyedHash {
  override of(words: Uint32Array, at: number, count: number): number {
    return weak(super.of(words, at, count));
  }

  override of128(words: Uint32Array, at: number): number {
    const hash = super.of128(words, at);
    this.lower &= 3;
    return weak(hash);
  }
}

/** The values are spread over all bits, because tables and filters take their places from some of them. */
const weak = (hash: number): number => Math.imul(hash & 0x3ff, 0x9e3779b1);
