import { expect, test } from '@jest/globals';
import { duration, exactLedgerTime, fromNow, ledgerTime, plainTime, readBound } from './time.ts';

const now = new Date('2026-11-22T12:00:00.000Z');

test('a time of the ledger is exact to the nanosecond, with its zone', () => {
  expect(exactLedgerTime('1745328372758695656', 'utc')).toBe('2025-04-22 13:26:12.758695656 UTC');
  expect(ledgerTime('1745328372758695656', 'utc')).toBe('2025-04-22 13:26:12.758');
});

test.each([
  ['1745328372758695656', '1745328372758695656'],
  ['2025-04-22T13:26:12.758695656Z', '1745328372758695656'],
  ['2025-04-22 13:26:12', '1745328372000000000'],
  ['2025-04-22', '1745280000000000000'],
  ['2025-04-22T15:26:12+02:00', '1745328372000000000'],
  ['-1h', '1795345200000000000'],
  ['18446744073709551616', undefined],
  ['yesterday', undefined],
  ['-1y', undefined],
])('the bound %j is read as %s', (text, nanoseconds) => {
  expect(readBound(text, now)).toBe(nanoseconds);
});

test('an event that has just happened is never told as one to come', () => {
  expect(fromNow(new Date('2026-11-22T12:00:06Z'), now)).toBe('now');
  expect(fromNow(new Date('2026-11-22T12:00:59Z'), now)).toBe('now');
  expect(fromNow(new Date('2026-11-22T12:01:00Z'), now)).toBe('in 1 minute');
});

test('times beside now are told in words', () => {
  expect(fromNow(new Date('2026-11-22T11:57:00Z'), now)).toBe('3 minutes ago');
  expect(fromNow(new Date('2026-11-29T12:00:00Z'), now)).toBe('in 7 days');
  expect(fromNow(new Date('2026-11-22T11:59:54Z'), now)).toBe('6 seconds ago');
  expect(duration(3_700)).toBe('1 h 1 min');
  expect(plainTime(now, 'utc')).toBe('2026-11-22 12:00:00');
});
