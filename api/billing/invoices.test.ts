import { expect, test } from '@jest/globals';
import { moneyOf } from './invoices.ts';

test.each([
  ['EUR', 0, '0.00'],
  ['EUR', 7, '0.07'],
  ['EUR', 1_234, '12.34'],
  ['EUR', -5, '-0.05'],
  ['EUR', -123_456, '-1234.56'],
  ['JPY', 500, '500.00'],
  ['KWD', 1_234, '1.234'],
])('of %s, %p of the smallest unit are %s', (currency, units, amount) => {
  expect(moneyOf(currency.toLowerCase(), units)).toEqual({ currency, amount });
});
