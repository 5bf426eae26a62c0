import { expect, test } from '@jest/globals';
import { attemptsMax, readRetryAfter, retryInMs, throttleMs } from './schedule.ts';

const middle = () => 0.5;
const hourMs = 3_600_000;

test('ten attempts in about 75 hours, and then no more', () => {
  const waits = Array.from({ length: attemptsMax }, (_, made) =>
    retryInMs(made + 1, undefined, middle),
  );
  expect(waits[0]).toBe(5_000);
  expect(waits.at(-1)).toBeUndefined();
  const all = waits.reduce<number>((sum, wait) => sum + (wait ?? 0), 0);
  expect(all / hourMs).toBeCloseTo(75.6, 1);
});

test('waits are spread by a tenth to both sides', () => {
  expect(retryInMs(2, undefined, () => 0)).toBe(270_000);
  expect(retryInMs(2, undefined, () => 1)).toBe(330_000);
});

test('a receiver that asks for more time gets it, and not less than the schedule says', () => {
  expect(retryInMs(1, 60_000, middle)).toBe(60_000);
  expect(retryInMs(2, 1_000, middle)).toBe(300_000);
});

test('a receiver that cannot take more is left alone for longer and longer, or as long as it says', () => {
  expect([1, 2, 3, 20].map((failures) => throttleMs(failures, undefined))).toEqual([
    5_000, 10_000, 20_000, 300_000,
  ]);
  expect(throttleMs(3, 8_000)).toBe(8_000);
  expect([0, 1_000].map((asked) => throttleMs(3, asked))).toEqual([5_000, 5_000]);
});

const now = Date.parse('2026-07-01T12:00:00Z');
test.each([
  ['120', 120_000],
  ['0', 0],
  ['Wed, 01 Jul 2026 12:00:30 GMT', 30_000],
  ['Wed, 01 Jul 2026 11:00:00 GMT', 0],
  ['9999999999', 24 * hourMs],
  ['soon', undefined],
  ['-5', undefined],
  [undefined, undefined],
])('Retry-After: %s is %s ms', (text, ms) => {
  expect(readRetryAfter(text, now)).toBe(ms);
});
