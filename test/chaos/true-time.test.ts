import { expect, test } from '@jest/globals';
import { TrueTime } from './true-time.ts';

const HOUR = 3_600_000;

test('one wrong clock of three does not move the true time, two of three do', () => {
  const now = { ms: 1_000_000 };
  const time = new TrueTime(3, () => now.ms);
  const at = (ms: number): bigint => BigInt(ms) * 1_000_000n;
  time.set(0, HOUR);
  expect(time.aheadMs(at(now.ms + 500))).toBeUndefined();
  expect(time.aheadMs(at(now.ms + HOUR))).toBe(HOUR);
  time.set(1, HOUR);
  expect(time.aheadMs(at(now.ms + HOUR))).toBeUndefined();
  now.ms += 100;
  time.set(0, 0);
  time.set(1, 0);
  // The median has shown this time once, and timestamps do not go back.
  expect(time.aheadMs(at(now.ms + HOUR))).toBeUndefined();
  expect(time.aheadMs(at(now.ms + HOUR + 5000))).toBe(5000);
});
