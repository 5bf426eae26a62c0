import { expect, test } from '@jest/globals';
import { AssertionError } from './assert.ts';
import { uuidV7 } from './uuid-v7.ts';

test('the example of RFC 9562, appendix A.6', () => {
  const random = Buffer.from('0cc318c4dc0c0c07398f', 'hex');
  expect(uuidV7(0x017f22e279b0, random)).toBe('017f22e2-79b0-7cc3-98c4-dc0c0c07398f');
});

test('later ones are greater', () => {
  const high = Buffer.alloc(10, 0xff);
  expect(uuidV7(1, high) < uuidV7(2, Buffer.alloc(10))).toBe(true);
});

test('those of one millisecond differ', () => {
  const made = Array.from({ length: 1_000 }, () => uuidV7(1_700_000_000_000));
  expect(new Set(made).size).toBe(1_000);
});

test.each([-1, 2 ** 48])('%d is no time', (time) => {
  expect(() => uuidV7(time)).toThrow(AssertionError);
});
