import { expect, test } from '@jest/globals';
import { gigabytesOf } from './quantity.ts';

test.each([
  ['20Gi', 20],
  ['20480Mi', 20],
  ['20470Mi', 19],
  ['1Ti', 1024],
  ['1.5Gi', 1],
  ['21474836480', 20],
  ['20G', 18],
  ['300Mi', 0],
  ['', undefined],
  ['20 Gi', undefined],
  ['-1Gi', undefined],
  ['20Zi', undefined],
  [undefined, undefined],
])('%p is %p GiB', (quantity, gigabytes) => {
  expect(gigabytesOf(quantity)).toBe(gigabytes);
});
