import { expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import type { Unit } from '../../lib/figures.ts';
import { percentAt, scaleOf, stepAt, timeTicks } from './scale.ts';

const GiB = 2 ** 30;

test.each<[number, Unit, readonly number[]]>([
  [118, 'per_second', [0, 50, 100, 150]],
  [0, 'per_second', [0, 0.25, 0.5, 0.75, 1]],
  [1, 'count', [0, 1]],
  [3, 'count', [0, 1, 2, 3]],
  [20 * GiB, 'bytes', [0, 8 * GiB, 16 * GiB, 24 * GiB]],
  [1.5 * GiB, 'bytes', [0, 0.5 * GiB, GiB, 1.5 * GiB]],
])('a chart up to %p %s has the round numbers %p', (most, unit, ticks) => {
  expect(scaleOf(most, unit).ticks).toEqual(ticks);
});

test('every value fits below the top, and fills more than a third of the chart', () => {
  const units = fc.constantFrom<Unit>('per_second', 'seconds', 'bytes', 'cores');
  fc.assert(
    fc.property(fc.double({ min: 1e-6, max: 1e15, noNaN: true }), units, (most, unit) => {
      // Nothing takes a part of a byte.
      fc.pre(unit !== 'bytes' || most >= 1);
      const { top, ticks } = scaleOf(most, unit);
      expect(top).toBeGreaterThanOrEqual(most * (1 - 1e-9));
      expect(most).toBeGreaterThan(top / 3);
      expect(ticks.length).toBeLessThanOrEqual(6);
    }),
  );
});

const hour = { fromMs: Date.UTC(2026, 10, 21, 23, 31), stepMs: 15_000, count: 240 };

test('times below a chart are round, and midnight is named by its day', () => {
  expect(timeTicks(hour, 'utc').map(({ text }) => text)).toEqual([
    '23:40',
    '23:50',
    'Nov 22',
    '00:10',
    '00:20',
    '00:30',
  ]);
  const month = { fromMs: Date.UTC(2026, 9, 23, 5), stepMs: 10_800_000, count: 240 };
  expect(timeTicks(month, 'utc').map(({ text }) => text)).toEqual([
    'Oct 24',
    'Oct 29',
    'Nov 3',
    'Nov 8',
    'Nov 13',
    'Nov 18',
  ]);
});

test('a time is found in its step, and not beside the axis', () => {
  expect(stepAt(hour, hour.fromMs)).toBe(0);
  expect(stepAt(hour, hour.fromMs + 14_999)).toBe(0);
  expect(stepAt(hour, hour.fromMs + 3_599_999)).toBe(239);
  expect(stepAt(hour, hour.fromMs + 3_600_000)).toBeUndefined();
  expect(stepAt(hour, hour.fromMs - 1)).toBeUndefined();
  expect(percentAt(hour, hour.fromMs + 1_800_000)).toBe(50);
});
