/** Secrets that must be read again (those that sign) are encrypted in the store: a copy of it is not enough to sign. */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const nonceBytes = 12;
const tagBytes = 16;

export class Sealer {
  readonly #key: Buffer;

  /** `key`: the signing key that all API processes share. */
  constructor(key: Uint8Array) {
    this.#key = Buffer.from(hkdfSync('sha256', key, '', 'ledgerhouse sealed secrets', 32));
  }

  /** AES-256-GCM: nonce, tag, text. `context` (the row's ID) is bound to it: moved to another row it does not open. */
  seal(context: string, secret: string): Buffer {
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce).setAAD(Buffer.from(context));
    const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
    return Buffer.concat([nonce, cipher.getAuthTag(), text]);
  }

  /** Throws when it was sealed with another key or for another row, or was changed. */
  open(context: string, sealed: Buffer): string {
    const tagEnd = nonceBytes + tagBytes;
    const decipher = createDecipheriv('aes-256-gcm', this.#key, sealed.subarray(0, nonceBytes))
      .setAAD(Buffer.from(context))
      .setAuthTag(sealed.subarray(nonceBytes, tagEnd));
    const text = Buffer.concat([decipher.update(sealed.subarray(tagEnd)), decipher.final()]);
    return text.toString('utf8');
  }
}
