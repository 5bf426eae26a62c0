import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { putWithoutZeros, withoutZerosMax, withZeros } from './zero-words.ts';

/** Words that are mostly zeros, as in ledger records; sometimes none at all. */
const words = fc.array(fc.oneof(fc.constant(0), fc.nat(0xffff_ffff), fc.constant(0xffff_ffff)), {
  maxLength: 200,
});
const bytesOf = (values: readonly number[]): Uint8Array =>
  new Uint8Array(Uint32Array.from(values).buffer);

function stored(bytes: Uint8Array, start = 0): Uint8Array {
  const target = new Uint8Array(start + withoutZerosMax(bytes.length)).fill(0xaa);
  return target.subarray(start, putWithoutZeros(target, start, bytes));
}

test('pieces stored without zeros are read back unchanged, at any position', () => {
  fc.assert(
    fc.property(words, fc.nat(3), (values, offset) => {
      const bytes = bytesOf(values);
      const short = stored(bytes, 128);
      const moved = new Uint8Array(offset + short.length);
      moved.set(short, offset);
      expect(withZeros(moved.subarray(offset), bytes.length)).toEqual(bytes);
    }),
  );
});

test('a mask and the words that are not zero are all that is stored', () => {
  fc.assert(
    fc.property(words, (values) => {
      const kept = values.filter((value) => value !== 0).length;
      const size = 4 * (kept + Math.ceil(values.length / 32));
      expect(stored(bytesOf(values)).length).toBe(size);
      expect(size).toBeLessThanOrEqual(withoutZerosMax(4 * values.length));
    }),
  );
});

test('the form is the documented one', () => {
  const values = [0, 7, ...Array.from({ length: 29 }, () => 0), 9, 5, 0];
  expect(stored(bytesOf(values))).toEqual(
    bytesOf([(1 << 1) + 2 ** 31, 7, 9, 1, 5].map((value) => value >>> 0)),
  );
});
