import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { canonicalJson } from './canonical-json.ts';

test('the order of members does not matter, that of elements does', () => {
  expect(canonicalJson({ b: { d: 1, c: 2 }, a: [{ z: 1, y: 2 }] })).toBe(
    '{"a":[{"y":2,"z":1}],"b":{"c":2,"d":1}}',
  );
  expect(canonicalJson([1, 2])).not.toBe(canonicalJson([2, 1]));
});

test('it says the same as JSON does', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(JSON.parse(canonicalJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});
