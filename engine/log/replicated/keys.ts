/**
 * The log's keys in etcd, which belongs to one database alone:
 *
 *     b<sequence>    a block (block.ts), the sequence as u64, big-endian: keys sort as blocks follow one another
 *     ck/<replica>   that replica's last durable checkpoint floor          blocks below it may be gone lead           the
 *     leader; its mod_revision is the fence meta           whose log this is; written once
 *
 * All values but the blocks are small JSON records (records.ts). Their keys stand together after the blocks.
 */
import { assert } from '../../../base/assert.ts';

const text = (key: string): Uint8Array => new TextEncoder().encode(key);

export const META = text('meta');
export const LEAD = text('lead');
export const FLOOR = text('floor');

/** Range of all keys but the blocks. */
export const RECORDS = { key: text('ck/'), rangeEnd: text('meta\0') };

const BLOCK_PREFIX = 'b'.charCodeAt(0);
/** First key after all blocks. */
export const BLOCKS_END = text('c');

export function blockKey(sequence: number): Uint8Array {
  assert(Number.isSafeInteger(sequence) && sequence >= 0, 'a sequence counts from 0');
  const key = new Uint8Array(9);
  key[0] = BLOCK_PREFIX;
  new DataView(key.buffer).setBigUint64(1, BigInt(sequence));
  return key;
}

/** Returns the sequence in a block's key, or `undefined` if the key is not a block's. */
export function sequenceOf(key: Uint8Array): number | undefined {
  if (key.length !== 9 || key[0] !== BLOCK_PREFIX) return undefined;
  return Number(new DataView(key.buffer, key.byteOffset, key.length).getBigUint64(1));
}

export const checkpointKey = (replica: number): Uint8Array => text(`ck/${replica}`);

/** Returns the key as text. The key must not be a block's. */
export const nameOf = (key: Uint8Array): string => Buffer.from(key).toString('latin1');
