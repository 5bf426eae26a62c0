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

/** Makes a UUID; `random` must have ten bytes. */
export function uuidV7(wallMs: number = Date.now(), random: Uint8Array = tenRandomBytes()): string {
  assert(wallMs >= 0 && wallMs < 2 ** 48, 'the time of a UUID has 48 bits');
  assert(random.length === randomSize, 'a UUID takes ten random bytes');
  const bytes = Buffer.alloc(16);
  bytes.writeUIntBE(Math.trunc(wallMs), 0, 6);
  bytes.set(random, 6);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return [0, 8, 12, 16, 20]
    .map((from, index) => hex.slice(from, [8, 12, 16, 20, 32][index]))
    .join('-');
}
