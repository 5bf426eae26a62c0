import { expect, test } from '@jest/globals';
import { most128, newId } from './digits.ts';
import { formsOf, madeAbout } from './id-forms.ts';

const now = Date.UTC(2026, 10, 28);
const random = new Uint8Array(10).fill(255);

test('an ID is shown in hexadecimal too, and as a UUID where it is as long as one', () => {
  expect(formsOf('1001')).toEqual(['0x3e9']);
  expect(formsOf((2n ** 64n - 1n).toString())).toEqual(['0xffffffffffffffff']);
  expect(formsOf(most128.toString())).toEqual([
    '0xffffffffffffffffffffffffffffffff',
    'ffffffff-ffff-ffff-ffff-ffffffffffff',
  ]);
});

test.each([
  ['of a client', newId(now, random), `${now}000000`],
  ['of a clock a little ahead', newId(now + 60_000, random), `${now + 60_000}000000`],
  ['of the next year', newId(now + 366 * 86_400_000, random), undefined],
  ['that somebody counted', '1001', undefined],
  ['that is the largest', most128.toString(), undefined],
])('an ID %s tells when it was made, or nothing', (_, id, made) => {
  expect(madeAbout(id, now)).toBe(made);
});
