/** UUIDs of version 7 (RFC 9562, section 5.7): ordered by the millisecond in which they were made, random within it. */
import { randomBytes } from 'node:crypto';
import { assert } from './assert.ts';

const randomSize = 10;
let pool: Uint8Array = new Uint8Array(0);

/** Returns bytes of a pool that is filled in bulk: drawing ten bytes alone takes longer than all the rest. */
function tenRandomBytes(): Uint8Array {
  if (pool.length < randomSize) pool = randomBytes(400 * randomSize);
  const taken = pool.subarray(0, randomSize);
  pool = pool.subarray(randomSize);
  return taken;
}

/** Makes the bytes of a UUID; `random` must have ten bytes. */
export function uuidV7Bytes(
  wallMs: number = Date.now(),
  random: Uint8Array = tenRandomBytes(),
): Uint8Array {
  assert(wallMs >= 0 && wallMs < 2 ** 48, 'the time of a UUID has 48 bits');
  assert(random.length === randomSize, 'a UUID takes ten random bytes');
  const bytes = new Uint8Array(16);
  const view = new DataView(bytes.buffer);
  view.setUint16(0, wallMs / 2 ** 32);
  view.setUint32(2, wallMs % 2 ** 32);
  bytes.set(random, 6);
  bytes[6] = (view.getUint8(6) & 0x0f) | 0x70;
  bytes[8] = (view.getUint8(8) & 0x3f) | 0x80;
  return bytes;
}

/** Makes a UUID in its usual form; `random` must have ten bytes. */
export function uuidV7(wallMs?: number, random?: Uint8Array): string {
  const hex = Buffer.from(uuidV7Bytes(wallMs, random)).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
