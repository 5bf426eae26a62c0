import { expect, test } from '@jest/globals';
import { assert, AssertionError } from './assert.ts';

test('a broken invariant ends the operation with its message', () => {
  expect(() => assert(1 + 1 === 3, 'sum')).toThrow(new AssertionError('sum'));
  expect(() => assert(1 + 1 === 2, 'sum')).not.toThrow();
});
