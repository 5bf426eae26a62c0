/**
 * Positions in lists as clients hold them: opaque, signed, good for 24 hours, and only for the list they came from, with its
 * filters and its reader.
 */
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { canonicalJson } from '../model/canonical-json.ts';

const lifetimeMs = 24 * 60 * 60 * 1_000;
const signatureBytes = 16;

export class Cursors {
  readonly #key: Buffer;
  readonly #nowMs: () => number;

  /** `key`: the signing key that all API processes share. */
  constructor(key: Uint8Array, nowMs: () => number = Date.now) {
    this.#key = Buffer.from(hkdfSync('sha256', key, '', 'ledgerhouse cursors', 32));
    this.#nowMs = nowMs;
  }

  /** `list`: whatever the position means nothing without, such as the organization, the sort and the filters. */
  write(list: object, position: readonly string[]): string {
    const expires = Math.floor((this.#nowMs() + lifetimeMs) / 1_000);
    const payload = Buffer.from(JSON.stringify([expires, ...position]));
    return Buffer.concat([this.#sign(list, payload), payload]).toString('base64url');
  }

  /** `undefined`: not of ours, of another list, or too old. */
  read(list: object, cursor: string): readonly string[] | undefined {
    const bytes = Buffer.from(cursor, 'base64url');
    if (bytes.length <= signatureBytes || bytes.toString('base64url') !== cursor) return undefined;
    const payload = bytes.subarray(signatureBytes);
    const signature = bytes.subarray(0, signatureBytes);
    if (!timingSafeEqual(signature, this.#sign(list, payload))) return undefined;
    const [expires, ...position] = JSON.parse(payload.toString()) as [number, ...string[]];
    return expires * 1_000 < this.#nowMs() ? undefined : position;
  }

  #sign(list: object, payload: Buffer): Buffer {
    return createHmac('sha256', this.#key)
      .update(canonicalJson(list))
      .update('\0')
      .update(payload)
      .digest()
      .subarray(0, signatureBytes);
  }
}
