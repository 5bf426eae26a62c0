import { expect, test } from '@jest/globals';
import { nanosOf, sameQuantity } from './quantity.ts';

test.each([
  ['1Gi', '1024Mi'],
  ['1000m', '1'],
  ['1.5', '1500m'],
  ['1e3', '1k'],
  ['12E-1', '1.2'],
  ['0.5Gi', '512Mi'],
  ['1E', '1000P'],
  ['100n', '0.1u'],
  ['-1', '-1000m'],
])('%s is %s', (a, b) => expect(sameQuantity(a, b)).toBe(true));

test.each([
  ['1G', '1Gi'],
  ['1', '1m'],
  ['20Gi', '21Gi'],
  ['9007199254740993', '9007199254740992'],
  ['', ''],
  ['1XB', '1XB'],
  ['Gi', 'Gi'],
])('%s is not the quantity %s', (a, b) => expect(sameQuantity(a, b)).toBe(false));

test('numbers are no quantities here: JSON that holds one holds something else', () => {
  expect(sameQuantity(1, '1')).toBe(false);
  expect(nanosOf('250m')).toBe(250_000_000n);
});
