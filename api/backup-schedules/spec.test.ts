import { expect, test } from '@jest/globals';
import { changesOf, requireTimes, specOf, verifyPeriodOf } from './spec.ts';

const now = Date.parse('2026-11-23T08:00:00Z');
const refusalOf = (schedule: string, timeZone = 'Etc/UTC') => {
  try {
    requireTimes({ schedule, timeZone }, now);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
};

test.each([
  ['0 3 * * *', 'Europe/Vienna'],
  ['0 * * * *', 'Etc/UTC'],
  // The clocks of Lord Howe Island change by half an hour.
  ['0 * * * *', 'Australia/Lord_Howe'],
  ['59 23 * * *', 'Etc/UTC'],
  ['0 0 29 2 *', 'Etc/UTC'],
])('%s in %s can be followed', (schedule, zone) => {
  expect(refusalOf(schedule, zone)).toBeUndefined();
});

test.each([
  ['* * * * *', 'more often than once an hour'],
  ['0,59 3 1 1 *', 'more often than once an hour'],
  ['0 0 30 2 *', 'never comes'],
  ['60 0 * * *', 'cannot be followed'],
  ['a b c d e', 'cannot be followed'],
])('%s is refused: %s', (schedule, words) => {
  expect(refusalOf(schedule)).toContain(words);
});

test('a zone that is none is refused with its name', () => {
  expect(refusalOf('0 3 * * *', 'Mars/Olympus')).toContain('Mars/Olympus');
});

test('a request becomes the fields that it gives, and no others', () => {
  expect(specOf({ keep: { daily: 0, last: 3 }, verify: 'EVERY', suspended: false })).toEqual({
    keepDaily: 0,
    keepLast: 3,
    verify: 'Every',
    suspend: false,
  });
  expect(verifyPeriodOf('Weekly')).toBe('WEEKLY');
});

test('the differences are those of given fields', () => {
  const before = specOf({ schedule: '0 3 * * *', keep: { last: 7 } }) as never;
  expect(changesOf(before, { keepLast: 7, keepDaily: 3 })).toEqual([
    { path: '/keepDaily', from: null, to: 3 },
  ]);
});
