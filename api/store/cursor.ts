/**
 * Cursors: positions in lists as clients hold them. They are opaque and signed, and valid for 24 hours, for the same list,
 * filters and reader.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { canonicalJson } from '../model/canonical-json.ts';
import type { SigningKeys, VersionedKey } from './signing-keys.ts';

const lifetimeMs = 24 * 60 * 60 * 1_000;
const signatureBytes = 16;

export class Cursors {
  readonly #keys: readonly [VersionedKey, ...VersionedKey[]];
  readonly #nowMs: () => number;

  constructor(keys: SigningKeys, nowMs: () => number = Date.now) {
    this.#keys = keys.derive('ledgerhouse cursors');
    this.#nowMs = nowMs;
  }

  /** `list`: everything that gives the position its meaning, such as the organization, the sort and the filters. */
  write(list: object, position: readonly string[]): string {
    const expires = Math.floor((this.#nowMs() + lifetimeMs) / 1_000);
    const payload = Buffer.from(JSON.stringify([expires, ...position]));
    return Buffer.concat([sign(this.#keys[0], list, payload), payload]).toString('base64url');
  }

  /** Returns `undefined` if the cursor is not ours, belongs to another list, or is too old. */
  read(list: object, cursor: string): readonly string[] | undefined {
    const bytes = Buffer.from(cursor, 'base64url');
    if (bytes.length <= signatureBytes || bytes.toString('base64url') !== cursor) return undefined;
    const payload = bytes.subarray(signatureBytes);
    const signature = bytes.subarray(0, signatureBytes);
    const isOurs = this.#keys.some((key) => timingSafeEqual(signature, sign(key, list, payload)));
    if (!isOurs) return undefined;
    const [expires, ...position] = JSON.parse(payload.toString()) as [number, ...string[]];
    return expires * 1_000 < this.#nowMs() ? undefined : position;
  }
}

const sign = ({ bytes }: VersionedKey, list: object, payload: Buffer): Buffer =>
  createHmac('sha256', bytes)
    .update(canonicalJson(list))
    .update('\0')
    .update(payload)
    .digest()
    .subarray(0, signatureBytes);
