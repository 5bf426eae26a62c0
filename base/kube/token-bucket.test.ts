import { expect, test } from '@jest/globals';
import { TokenBucket } from './token-bucket.ts';

test('a burst goes at once, then the rate holds, in the order asked', () => {
  const bucket = new TokenBucket({ perSecond: 10, burst: 3, nowMs: 0 });
  const waits = [1, 2, 3, 4, 5].map(() => bucket.reserve(0, 10_000));
  expect(waits).toEqual([0, 0, 0, 100, 200]);
  expect(bucket.reserve(1_000, 0)).toBe(0);
});

test('a caller that would wait too long takes no token', () => {
  const bucket = new TokenBucket({ perSecond: 1, burst: 1, nowMs: 0 });
  expect(bucket.reserve(0, 0)).toBe(0);
  expect(bucket.reserve(0, 500)).toBeUndefined();
  expect(bucket.reserve(0, 500)).toBeUndefined();
  expect(bucket.reserve(1_000, 500)).toBe(0);
});

test('no more than the burst is saved up', () => {
  const bucket = new TokenBucket({ perSecond: 100, burst: 2, nowMs: 0 });
  const waits = [1, 2, 3].map(() => bucket.reserve(3_600_000, 1_000));
  expect(waits).toEqual([0, 0, 10]);
});
