import { expect, test } from '@jest/globals';
import { monthsUntil, readUsageFilter, shownHours } from './usage-filter.ts';

test('only valid months and rows of an address count', () => {
  expect(readUsageFilter({ month: '2026-11', by: 'day' })).toEqual({ month: '2026-11', by: 'day' });
  expect(readUsageFilter({ month: '2026-13', by: 'week' })).toEqual({});
  expect(readUsageFilter({ month: '<img src=x>' })).toEqual({});
});

test('the months go back over the turn of the year, in UTC', () => {
  expect(monthsUntil(Date.parse('2026-01-31T23:59:59.999Z'), 3)).toEqual([
    ['2026-01', 'January 2026'],
    ['2025-12', 'December 2025'],
    ['2025-11', 'November 2025'],
  ]);
});

test.each([
  [0, '0 h'],
  [3_600, '1 h'],
  [5_400, '1.5 h'],
  [2_592_000, '720 h'],
])('%p seconds are %s', (seconds, text) => {
  expect(shownHours(seconds)).toBe(text);
});
