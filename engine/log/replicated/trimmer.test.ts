import { expect, test } from '@jest/globals';
import { BLOCK_SIZE_MAX, TRIM_BLOCKS_MAX, TRIM_EVERY_BLOCKS } from './limits.ts';
import { RetainedBytes } from './retained.ts';
import { EtcdError, type Etcd } from './etcd.ts';
import { planTrim, Trimmer } from './trimmer.ts';

const mark = (sequence: number) => ({ sequence, op: sequence, stateHash: '' });
const records = (floor: number, marks: Record<number, number>) => ({
  floor: { sequence: floor, modRevision: 1 },
  checkpoints: new Map(Object.entries(marks).map(([replica, at]) => [Number(replica), mark(at)])),
});

const plan = (
  seen: ReturnType<typeof records>,
  live: readonly number[],
  withinBudget = 0,
  replicaCount = 3,
) => planTrim(seen, { live, replicaCount, withinBudget });

test('deleted are the blocks that every live replica has in a checkpoint', () => {
  expect(plan(records(0, { 0: 50, 1: 40, 2: 60 }), [0, 1, 2])).toBe(41);
  expect(plan(records(0, { 0: 50, 1: 40, 2: 60 }), [0, 2])).toBe(51);
});

test('nothing is deleted while a live replica has no checkpoint, within the budget', () => {
  expect(plan(records(0, { 0: 50, 2: 60 }), [0, 1, 2])).toBeUndefined();
});

test('the budget goes before a minority that is behind', () => {
  expect(plan(records(0, { 0: 50, 2: 60 }), [0, 1, 2], 30)).toBe(30);
  expect(plan(records(0, { 1: 50, 2: 60 }), [0, 1, 2], 30)).toBe(30);
});

test('whatever the budget, blocks stay until a majority has them in a checkpoint', () => {
  expect(plan(records(0, { 0: 50, 2: 60 }), [0, 1, 2], 90)).toBe(51);
  expect(plan(records(0, { 0: 90, 1: 10, 2: 20 }), [0, 1, 2], 90)).toBe(21);
  expect(plan(records(0, { 2: 60 }), [0, 2], 90)).toBeUndefined();
  const ofSix = records(0, { 0: 90, 1: 90, 2: 90, 3: 40, 4: 10 });
  expect(plan(ofSix, [0, 1, 2, 3, 4, 5], 90, 6)).toBe(41);
});

test('replicas that are away do not make a minority of checkpoints enough', () => {
  expect(plan(records(0, { 0: 90, 1: 10, 2: 20 }), [0], 90)).toBe(21);
});

test('the floor only rises, by a bounded step', () => {
  expect(plan(records(51, { 0: 50, 1: 50 }), [0])).toBeUndefined();
  expect(plan(records(10, { 0: 90_000, 1: 90_000 }), [0])).toBe(10 + TRIM_BLOCKS_MAX);
});

test('what was deleted is compacted, though the compaction failed before: else a full log would stay full', async () => {
  const compacted: number[] = [];
  let failing = true;
  const etcd = {
    txn: () => Promise.resolve({ revision: 70, succeeded: true, results: [] }),
    compact: (revision: number) => {
      if (failing) return Promise.reject(new EtcdError('timeout', 'too slow'));
      compacted.push(revision);
      return Promise.resolve();
    },
  } as unknown as Etcd;
  const trimmer = new Trimmer({
    etcd,
    fence: 1,
    replicaCount: 3,
    liveReplicas: () => [0, 1, 2],
    retained: new RetainedBytes(0),
    retainedBytesMax: () => Infinity,
  });
  const seen = async (floor: { sequence: number; modRevision: number }) => {
    const { checkpoints } = records(0, { 0: 50, 1: 50, 2: 50 });
    trimmer.recordsChanged({ meta: undefined, lead: undefined, floor, checkpoints });
    await new Promise((resolve) => setImmediate(resolve));
  };
  await seen({ sequence: 0, modRevision: 3 });
  expect(compacted).toEqual([]);
  failing = false;
  await seen({ sequence: 51, modRevision: 70 });
  expect(compacted).toEqual([70]);
  await seen({ sequence: 51, modRevision: 70 });
  expect(compacted).toEqual([70]);
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
