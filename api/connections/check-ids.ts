/**
 * Account IDs of connection checks. Every process recognizes them by a MAC without asking the store, so that lookups of other
 * accounts cost nothing:
 *
 *     16 bits 0x1ed6 │ 48 random bits │ 64 bits MAC of the database and the random bits
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { checkIdMagic, looksLikeCheckId } from '../../domain/connection-check.ts';
import type { SigningKeys } from '../store/signing-keys.ts';

const macBytes = 8;
const randomSize = 6;

export class CheckIds {
  /** The first one makes IDs; all recognize them. */
  readonly #keys: readonly { readonly bytes: Buffer }[];

  constructor(keys: SigningKeys) {
    this.#keys = keys.derive('ledgerhouse connection checks');
  }

  make(databaseId: string): bigint {
    const random = randomBytes(randomSize);
    const [key] = this.#keys;
    const mac = macOf(key?.bytes ?? Buffer.alloc(0), databaseId, random);
    const low = BigInt(`0x${Buffer.concat([random, mac]).toString('hex')}`);
    return (BigInt(checkIdMagic) << 112n) | low;
  }

  recognizes(databaseId: string, accountId: bigint): boolean {
    if (!looksLikeCheckId(accountId)) return false;
    const low = accountId & ((1n << 112n) - 1n);
    const bytes = Buffer.from(low.toString(16).padStart(2 * (randomSize + macBytes), '0'), 'hex');
    const [random, mac] = [bytes.subarray(0, randomSize), bytes.subarray(randomSize)];
    return this.#keys.some(({ bytes: key }) =>
      timingSafeEqual(macOf(key, databaseId, random), mac),
    );
  }
}

const macOf = (key: Buffer, databaseId: string, random: Buffer): Buffer =>
  createHmac('sha256', key).update(databaseId).update(random).digest().subarray(0, macBytes);
