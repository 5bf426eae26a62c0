import { expect, test } from '@jest/globals';
import { bytesOf } from './quantity.ts';

test.each([
  ['512', 512],
  ['1Ki', 1024],
  ['1.5Gi', 1.5 * 2 ** 30],
  ['20G', 20e9],
])('%s is %d bytes', (quantity, bytes) => expect(bytesOf(quantity)).toBe(bytes));

test.each(['', 'Gi', '1gb', '-1Gi'])('"%s" is refused', (quantity) =>
  expect(() => bytesOf(quantity)).toThrow('no quantity'),
);
