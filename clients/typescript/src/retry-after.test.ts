import { expect, test } from '@jest/globals';
import { retryAfterMs } from './retry-after.ts';

const now = Date.parse('2026-11-21T02:00:00Z');

test.each([
  ['0', 0],
  ['120', 120_000],
  ['Sat, 21 Nov 2026 02:00:30 GMT', 30_000],
  ['Sat, 21 Nov 2026 01:00:00 GMT', 0],
  ['soon', undefined],
  ['-1', undefined],
  [null, undefined],
])('%s is %s ms', (value, ms) => {
  expect(retryAfterMs(value, now)).toBe(ms);
});
