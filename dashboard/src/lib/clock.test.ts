import { afterEach, expect, test } from '@jest/globals';
import { noteServerDate, serverNow } from './clock.ts';

const hour = 3_600_000;
afterEach(() => noteServerDate(new Date().toUTCString()));

const differenceMs = () => serverNow().getTime() - Date.now();

test.each([-hour, hour])('a clock that is wrong by %d ms is corrected by the service’s', (ms) => {
  noteServerDate(new Date(Date.now() + ms).toUTCString());
  expect(Math.abs(differenceMs() - ms)).toBeLessThan(2_000);
});

test.each([null, '', 'yesterday'])(
  'an answer without a date, such as %j, changes nothing',
  (header) => {
    noteServerDate(new Date(Date.now() + hour).toUTCString());
    noteServerDate(header);
    expect(differenceMs()).toBeGreaterThan(hour - 2_000);
  },
);

test('some seconds are left as they are: answers take time', () => {
  noteServerDate(new Date(Date.now() - 5_000).toUTCString());
  expect(Math.abs(differenceMs())).toBeLessThan(100);
});
