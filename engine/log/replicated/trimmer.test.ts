import { expect, test } from '@jest/globals';
import { BLOCK_SIZE_MAX, TRIM_BLOCKS_MAX, TRIM_EVERY_BLOCKS } from './limits.ts';
import { RetainedBytes } from './retained.ts';
import { planTrim } from './trimmer.ts';

const mark = (sequence: number) => ({ sequence, op: sequence, stateHash: '' });
const records = (floor: number, marks: Record<number, number>) => ({
  floor: { sequence: floor, modRevision: 1 },
  checkpoints: new Map(Object.entries(marks).map(([replica, at]) => [Number(replica), mark(at)])),
});

test('deleted is what every live replica has in a checkpoint', () => {
  expect(planTrim(records(0, { 0: 50, 1: 40, 2: 60 }), [0, 1, 2], 0, 0)).toBe(41);
  expect(planTrim(records(0, { 0: 50, 1: 40, 2: 60 }), [0, 2], 0, 0)).toBe(51);
});

test('nothing is deleted while a live replica has no checkpoint, within the budget', () => {
  expect(planTrim(records(0, { 0: 50, 2: 60 }), [0, 1, 2], 0, 0)).toBeUndefined();
});

test('the budget goes before those that are behind, and never before the leader’s own checkpoint', () => {
  expect(planTrim(records(0, { 0: 50, 2: 60 }), [0, 1, 2], 0, 30)).toBe(30);
  expect(planTrim(records(0, { 0: 50, 2: 60 }), [0, 1, 2], 0, 90)).toBe(51);
  expect(planTrim(records(0, { 2: 60 }), [0, 2], 0, 90)).toBeUndefined();
});

test('the floor only rises, by a bounded step', () => {
  expect(planTrim(records(51, { 0: 50 }), [0], 0, 0)).toBeUndefined();
  expect(planTrim(records(10, { 0: 90_000 }), [0], 0, 0)).toBe(10 + TRIM_BLOCKS_MAX);
});

test('the bytes kept are counted by the mile, and unknown blocks as full ones', () => {
  const retained = new RetainedBytes(0);
  for (let sequence = 1; sequence <= 640; sequence += 1) retained.add(sequence, 1000);
  expect(retained.sequenceWithin(1_000_000, 1)).toBe(1);
  const from = retained.sequenceWithin(100_000, 1);
  expect(640 - from + 1).toBeLessThanOrEqual(100);
  expect(640 - from + 1).toBeGreaterThan(100 - TRIM_EVERY_BLOCKS);
  retained.dropBelow(from);
  expect(retained.sequenceWithin(100_000, from)).toBe(from);
  const later = new RetainedBytes(100);
  expect(later.sequenceWithin(10 * BLOCK_SIZE_MAX, 91)).toBe(91);
  expect(later.sequenceWithin(10 * BLOCK_SIZE_MAX - 1, 91)).toBe(101);
});
