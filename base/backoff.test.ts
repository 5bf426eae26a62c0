import { expect, test } from '@jest/globals';
import { backoffMs } from './backoff.ts';

const range = { baseMs: 5, maxMs: 60_000 };

test('doubles up to its maximum, spread over the upper half', () => {
  const most = [1, 2, 3, 14, 15, 10_000].map((failures) => backoffMs(failures, range, () => 1));
  expect(most).toEqual([5, 10, 20, 40_960, 60_000, 60_000]);
  const least = [1, 2, 15].map((failures) => backoffMs(failures, range, () => 0));
  expect(least).toEqual([2.5, 5, 30_000]);
});
