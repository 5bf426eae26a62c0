import { expect, test } from '@jest/globals';
import type { LogEntry } from '../log.ts';
import {
  blockSealKey,
  decodeBlock,
  encodeBlock,
  fitsBlock,
  misfitOf,
  positionAfter,
} from './block.ts';
import { originOf } from './identity.ts';
import { BLOCK_SIZE_MAX } from './limits.ts';

const key = blockSealKey(7n, 1);
const origin = originOf({
  op: 10,
  timestamp: 100n,
  view: 2,
  stateHash: new Uint8Array(16).fill(9),
});
const entry = (op: number, timestamp: bigint, size = 5): LogEntry => ({
  op,
  timestamp,
  view: 4,
  message: new Uint8Array(size).fill(op),
});
const made = encodeBlock(key, origin, {
  fence: 33,
  view: 4,
  entries: [entry(11, 101n), entry(12, 105n, 40)],
});

test('a block is read as it was written', () => {
  expect(decodeBlock(key, made.bytes)).toEqual(made.block);
  expect(positionAfter(made.block)).toEqual({
    sequence: 1,
    op: 12,
    timestamp: 105n,
    view: 4,
    fence: 33,
    seal: made.block.seal,
  });
});

test('any byte that changes, and any that is missing, makes it no block', () => {
  for (let at = 0; at < made.bytes.length; at += 1) {
    const changed = made.bytes.slice();
    changed[at]! ^= 0x10;
    expect(decodeBlock(key, changed)).toBeUndefined();
    expect(decodeBlock(key, made.bytes.subarray(0, at))).toBeUndefined();
  }
});

test('a block of another cluster or another incarnation is none of this log', () => {
  expect(decodeBlock(blockSealKey(8n, 1), made.bytes)).toBeUndefined();
  expect(decodeBlock(blockSealKey(7n, 2), made.bytes)).toBeUndefined();
});

test('a block fits only behind the block that it was made for', () => {
  const { block } = made;
  expect(misfitOf(origin, block)).toBeUndefined();
  expect(misfitOf({ ...origin, sequence: 1 }, block)).toBe('sequence');
  expect(misfitOf({ ...origin, seal: new Uint8Array(16) }, block)).toBe('parent');
  expect(misfitOf({ ...origin, fence: 34 }, block)).toBe('fence');
  expect(misfitOf({ ...origin, view: 5 }, block)).toBe('view');
  expect(misfitOf({ ...origin, op: 11 }, block)).toBe('op');
  expect(misfitOf({ ...origin, timestamp: 101n }, block)).toBe('timestamp');
});

test('a block of records that are mostly zeros is stored in a third, and read as it was written', () => {
  const message = new Uint8Array(100_000);
  for (let at = 0; at < message.length; at += 16) message[at] = 1 + (at % 255);
  const { block, bytes } = encodeBlock(key, origin, {
    fence: 33,
    view: 4,
    entries: [entry(11, 101n), { op: 12, timestamp: 105n, view: 4, message }],
  });
  expect(bytes.length).toBeLessThan(message.length / 3);
  expect(decodeBlock(key, bytes)).toEqual(block);
  bytes[5000]! ^= 1;
  expect(decodeBlock(key, bytes)).toBeUndefined();
});

test('a full message fits, and a block is never larger than what etcd takes', () => {
  expect(fitsBlock(0, new Uint8Array(1 << 20))).toBe(true);
  expect(fitsBlock(BLOCK_SIZE_MAX - 1000, new Uint8Array(1000))).toBe(false);
});
