import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { noteServerDate, serverNow } from './clock.ts';

const hour = 3_600_000;
beforeEach(() => {
  jest.useFakeTimers({ now: Date.UTC(2026, 0, 1) });
});
afterEach(() => {
  noteServerDate(new Date().toUTCString());
  jest.useRealTimers();
});

const differenceMs = () => serverNow().getTime() - Date.now();

test.each([-hour, hour])('a clock that is wrong by %d ms is corrected by the service’s', (ms) => {
  noteServerDate(new Date(Date.now() + ms).toUTCString());
  expect(differenceMs()).toBe(ms);
});

test.each([null, '', 'yesterday'])(
  'an answer without a date, such as %j, changes nothing',
  (header) => {
    noteServerDate(new Date(Date.now() + hour).toUTCString());
    noteServerDate(header);
    expect(differenceMs()).toBe(hour);
  },
);

test('some seconds are left as they are: answers take time', () => {
  noteServerDate(new Date(Date.now() - 5_000).toUTCString());
  expect(differenceMs()).toBe(0);
});
