/**
 * The installation's signing keys. One key signs. The others verify and open older texts, or are about to sign. A key's version
 * is a fingerprint of the key, so that it stays the same wherever the key is kept.
 */
import { hkdfSync } from 'node:crypto';
import { assert } from '../../base/assert.ts';

const derivedBytes = 32;
const versionBytes = 4;

export interface VersionedKey {
  /** Eight hexadecimal digits that identify a key and reveal nothing about it. */
  readonly version: string;
  readonly bytes: Buffer;
}

export class SigningKeys {
  readonly #keys: readonly Buffer[];

  /** The first key signs. */
  constructor(keys: readonly Buffer[]) {
    assert(keys.length > 0, 'there is a key that signs');
    this.#keys = keys;
  }

  /** Keys for one purpose, each derived from a signing key; the first one signs. */
  derive(purpose: string): readonly [VersionedKey, ...VersionedKey[]] {
    const [first, ...others] = this.#keys.map((key) => ({
      version: derived(key, 'ledgerhouse key version', versionBytes).toString('hex'),
      bytes: derived(key, purpose, derivedBytes),
    }));
    assert(first !== undefined, 'there is a key that signs');
    return [first, ...others];
  }
}

const derived = (key: Buffer, purpose: string, bytes: number): Buffer =>
  Buffer.from(hkdfSync('sha256', key, '', purpose, bytes));
