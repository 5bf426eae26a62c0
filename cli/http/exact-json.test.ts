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

test('everything else is what JSON.parse makes of it', () => {
  fc.assert(
    fc.property(fc.json({ noUnicodeString: false }), (text) => {
      const hasFraction = /[.eE-]/.test(text);
      const mayHaveLargeInteger = /\d{16}/.test(text);
      if (!hasFraction && !mayHaveLargeInteger) expect(parseExact(text)).toEqual(JSON.parse(text));
    }),
  );
});
