import { expect, test } from '@jest/globals';
import { parseTime, timeOf } from './moment.ts';

test('times have up to nine digits, in any zone, and are written to the nanosecond', () => {
  expect(parseTime('2027-01-31T12:00:00Z')).toBe(1_801_396_800_000_000_000n);
  expect(parseTime('2027-01-31T13:00:00.000000001+01:00')).toBe(1_801_396_800_000_000_001n);
  expect(parseTime('2027-01-31T12:00:00.5Z')).toBe(1_801_396_800_500_000_000n);
  expect(timeOf(1_801_396_800_000_000_001n)).toBe('2027-01-31T12:00:00.000000001Z');
});

test.each([
  '',
  'now',
  '2027-01-31',
  '2027-01-31T12:00:00',
  '2027-13-31T12:00:00Z',
  '2027-02-29T12:00:00Z',
  '2027-04-31T12:00:00Z',
  '2027-01-31T12:00:00.1234567891Z',
])('what is no time is refused: %j', (text) => {
  expect(parseTime(text)).toBeUndefined();
});
