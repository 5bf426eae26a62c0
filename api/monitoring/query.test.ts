import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { latencyBounds } from '../../domain/latency-bounds.ts';
import { latencyBuckets, quantile } from '../model/metric-figures.ts';
import { pointsMax, stepOf } from './query.ts';

const hour = 3_600_000;
const now = Date.parse('2026-11-21T02:03:04.567Z');
const step = (backMs: number, lengthMs: number, stepSeconds?: number) =>
  stepOf(
    {
      databaseId: '',
      series: [],
      filters: [],
      fromMs: now - backMs,
      toMs: now - backMs + lengthMs,
      stepSeconds,
    },
    now,
  );

test('the step is the finest with at most 300 points, of rows that are kept so long', () => {
  expect(step(hour, hour)).toBe(15);
  expect(step(6 * hour, 6 * hour)).toBe(120);
  expect(step(24 * hour, 24 * hour)).toBe(300);
  expect(step(7 * 24 * hour, 7 * 24 * hour)).toBe(3_600);
  expect(step(30 * 24 * hour, 30 * 24 * hour)).toBe(10_800);
  // An hour of the day before yesterday is kept as minutes, one of three weeks ago as ten minutes.
  expect(step(48 * hour, hour)).toBe(60);
  expect(step(500 * hour, hour)).toBe(600);
  expect(step(hour, hour, 600)).toBe(600);
  expect(step(hour, hour, 100)).toBe(120);
});

test('no span has more points than the maximum', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 4e12 }),
      fc.integer({ min: 1, max: 4e12 }),
      (back, length) => {
        const stepMs = step(back, length) * 1_000;
        const from = Math.floor((now - back) / stepMs);
        const to = Math.ceil((now - back + length) / stepMs);
        expect(to - from).toBeLessThanOrEqual(pointsMax);
      },
    ),
  );
});

test('a quantile lies in the bucket that holds its request', () => {
  const empty = Array.from({ length: latencyBuckets }, () => 0);
  expect(quantile(0.99, empty)).toBeNull();
  expect(quantile(0.5, empty.with(1, 10))).toBeCloseTo(0.00075, 6);
  expect(quantile(0.99, empty.with(latencyBuckets - 1, 1))).toBe(10);
  fc.assert(
    fc.property(
      fc.array(fc.nat(1_000), { minLength: latencyBuckets, maxLength: latencyBuckets }),
      (buckets) => {
        fc.pre(buckets.some((count) => count > 0));
        const [low = 0, high = 0] = [0.5, 0.99].map((part) => quantile(part, buckets) ?? -1);
        expect(low).toBeGreaterThanOrEqual(0);
        expect(high).toBeGreaterThanOrEqual(low);
        expect(high).toBeLessThanOrEqual(latencyBounds.at(-1) ?? 0);
      },
    ),
  );
});
