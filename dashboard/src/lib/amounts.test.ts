import { expect, test } from '@jest/globals';
import * as fc from 'fast-check';
import { readAmount, shownAmount } from './amounts.ts';
import { most128 } from './digits.ts';

const euro = { scale: 2, currency: 'EUR' };

test('an amount is shown by the scale of its ledger, and without a label as the integer', () => {
  expect(shownAmount('1234567', euro)).toBe('12,345.67 EUR');
  expect(shownAmount('5', euro)).toBe('0.05 EUR');
  expect(shownAmount('1234567', { scale: 0, currency: 'JPY' })).toBe('1,234,567 JPY');
  expect(shownAmount('1234567', undefined)).toBe('1,234,567');
  expect(shownAmount(most128.toString(), { scale: 38, currency: null })).toBe(
    '3.40282366920938463463374607431768211455',
  );
});

test('more decimals than the scale are rejected: nothing is rounded', () => {
  expect(readAmount('12.345', euro)).toBeUndefined();
  expect(readAmount('12.34', euro)).toBe('1234');
  expect(readAmount('12.3', euro)).toBe('1230');
  expect(readAmount('.5', euro)).toBe('50');
  expect(readAmount('1,200', euro)).toBe('120000');
  expect(readAmount('12.0', undefined)).toBeUndefined();
  for (const text of ['', '.', '-1', '1e3', '1.2.3']) {
    expect(readAmount(text, euro)).toBeUndefined();
  }
});

test('any amount of 128 bits survives showing and reading at any scale', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 0n, max: most128 }),
      fc.integer({ min: 0, max: 38 }),
      (value, scale) => {
        const label = { scale, currency: null };
        expect(readAmount(shownAmount(value.toString(), label), label)).toBe(value.toString());
      },
    ),
  );
});
