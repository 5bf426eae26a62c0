import { expect, test } from '@jest/globals';
import { decimalOf, microsOf, monthOf, shareOf } from './money.ts';

test('decimals become millionths and back', () => {
  expect(microsOf('10.10')).toBe(10_100_000n);
  expect(microsOf('10')).toBe(10_000_000n);
  expect(decimalOf(10_100_000n)).toBe('10.10');
  expect(decimalOf(4_999n)).toBe('0.00');
  expect(decimalOf(5_000n)).toBe('0.01');
  expect(decimalOf(123_456_789_000_000n)).toBe('123456789.00');
});

test('the hours of a month are its price, but for what rounding leaves', () => {
  const monthly = microsOf('10.10');
  const hours = shareOf(monthly, 3_600) * 730n;
  expect(hours - monthly).toBeLessThan(730n);
  expect(monthly - hours).toBeLessThan(730n);
  expect(shareOf(monthly, 730 * 3_600)).toBe(monthly);
  expect(shareOf(0n, 3_600)).toBe(0n);
});

test('a month is one of UTC', () => {
  const { start, end } = monthOf(new Date('2026-12-31T23:59:59.999Z'));
  expect(start.toISOString()).toBe('2026-12-01T00:00:00.000Z');
  expect(end.toISOString()).toBe('2027-01-01T00:00:00.000Z');
});
