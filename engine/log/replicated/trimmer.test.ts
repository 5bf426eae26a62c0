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

const plan = (seen: ReturnType<typeof records>, withinBudget = 0, replicaCount = 3) =>
  planTrim(seen, { replicaCount, withinBudget });

test('blocks that every replica has in a checkpoint are deleted', () => {
  expect(plan(records(0, { 0: 50, 1: 40, 2: 60 }))).toBe(41);
});

test('within the budget, blocks stay for every replica without a checkpoint after them, heard or not', () => {
  expect(plan(records(0, { 0: 50, 2: 60 }))).toBeUndefined();
  expect(plan(records(0, { 0: 50, 1: 10, 2: 60 }))).toBe(11);
});

test('the budget goes before a minority that is behind', () => {
  expect(plan(records(0, { 0: 50, 2: 60 }), 30)).toBe(30);
  expect(plan(records(0, { 1: 50, 2: 60 }), 30)).toBe(30);
});

test('with any budget, blocks stay until a majority has them in a checkpoint', () => {
  expect(plan(records(0, { 0: 50, 2: 60 }), 90)).toBe(51);
  expect(plan(records(0, { 0: 90, 1: 10, 2: 20 }), 90)).toBe(21);
  expect(plan(records(0, { 2: 60 }), 90)).toBeUndefined();
  const ofSix = records(0, { 0: 90, 1: 90, 2: 90, 3: 40, 4: 10 });
  expect(plan(ofSix, 90, 6)).toBe(41);
});

test('the floor only rises, by a bounded step', () => {
  expect(plan(records(51, { 0: 50, 1: 50, 2: 50 }))).toBeUndefined();
  expect(plan(records(10, { 0: 90_000, 1: 90_000, 2: 90_000 }))).toBe(10 + TRIM_BLOCKS_MAX);
});

test('blocks of unknown size are not deleted while all that etcd holds is within the budget', async () => {
  const deleted: unknown[] = [];
  const etcd = {
    txn: (request: unknown) => {
      deleted.push(request);
      return Promise.resolve({ revision: 70, succeeded: true, results: [] });
    },
    compact: () => Promise.resolve(),
  } as unknown as Etcd;
  let bytesInUse = 1000;
  const trimmer = new Trimmer({
    etcd,
    fence: 1,
    replicaCount: 3,
    // This replica has seen no block before its own checkpoint.
    retained: new RetainedBytes(900),
    retainedBytesMax: () => 2000,
    bytesInUse: () => bytesInUse,
  });
  const seen = async () => {
    const { checkpoints } = records(0, { 0: 900, 1: 100, 2: 900 });
    const floor = { sequence: 101, modRevision: 0 };
    trimmer.recordsChanged({ meta: undefined, lead: undefined, floor, checkpoints });
    await new Promise((resolve) => setImmediate(resolve));
  };
  await seen();
  expect(deleted).toEqual([]);
  bytesInUse = 2001;
  await seen();
  expect(deleted).toHaveLength(1);
});

test('deleted blocks are compacted after a failed compaction, since otherwise a full log would stay full', async () => {
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
    retained: new RetainedBytes(0),
    retainedBytesMax: () => Infinity,
    bytesInUse: () => undefined,
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
