/** Encryption of stored secrets that must be read again (those that sign). A copy of the store is not enough to sign. */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import type { SigningKeys, VersionedKey } from './signing-keys.ts';

const nonceBytes = 12;
const tagBytes = 16;

export class Sealer {
  readonly #keys: readonly [VersionedKey, ...VersionedKey[]];

  constructor(keys: SigningKeys) {
    this.#keys = keys.derive('ledgerhouse sealed secrets');
  }

  /** Version of the key that seals. */
  get version(): string {
    return this.#keys[0].version;
  }

  /** Encrypts with AES-256-GCM: nonce, tag, text. `context` (the row's ID) is bound to it: in another row it does not open. */
  seal(context: string, secret: string): Buffer {
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv('aes-256-gcm', this.#keys[0].bytes, nonce).setAAD(
      Buffer.from(context),
    );
    const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), text]);
  }

  /** Decrypts. Throws if the text was changed, or sealed for another row or with a key that is gone. */
  open(context: string, sealed: Buffer): string {
    const failures: unknown[] = [];
    for (const { bytes } of this.#keys) {
      try {
        return openWith(bytes, context, sealed);
      } catch (error) {
        failures.push(error);
      }
    }
    throw new AggregateError(failures, 'no signing key opens the sealed secret');
  }
}

function openWith(key: Buffer, context: string, sealed: Buffer): string {
  const tagEnd = nonceBytes + tagBytes;
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, nonceBytes))
    .setAAD(Buffer.from(context))
    .setAuthTag(sealed.subarray(nonceBytes, tagEnd));
  const text = Buffer.concat([decipher.update(sealed.subarray(tagEnd)), decipher.final()]);
  return text.toString('utf8');
}
