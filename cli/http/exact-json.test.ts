import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseExact } from './exact-json.ts';

test('integers of any size keep every digit', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 128n - 1n }), (integer) => {
      const [value] = parseExact(`[${integer}]`) as [number | string];
      expect(String(value)).toBe(String(integer));
    }),
  );
});

test('all other values are those of JSON.parse', () => {
  fc.assert(
    fc.property(fc.json({ noUnicodeString: false }), (text) => {
      const mayHaveLargeInteger = /\d{16}/.test(text);
      if (!mayHaveLargeInteger) expect(parseExact(text)).toEqual(JSON.parse(text));
    }),
  );
});

test('figures with a fraction or an exponent are numbers', () => {
  expect(parseExact('[12.1, -0.5, 1e300, 1.0, 90412.5]')).toEqual([12.1, -0.5, 1e300, 1, 90_412.5]);
});
