import { expect, test } from '@jest/globals';
import { assert, bigInt, property } from 'fast-check';
import { readDecimal, writeDecimal, writeSafeInteger } from './decimal.ts';

const max = (1n << 128n) - 1n;
const words = new Uint32Array(4);

function read(text: string): bigint | undefined {
  const bytes = new TextEncoder().encode(`x${text}x`);
  if (!readDecimal(bytes, 1, bytes.length - 1, words)) return undefined;
  return words.reduceRight((value, word) => (value << 32n) | BigInt(word), 0n);
}

function written(value: bigint): string {
  const bytes = new Uint8Array(64);
  const word = (i: number) => Number((value >> BigInt(32 * i)) & 0xffff_ffffn);
  const end = writeDecimal(bytes, 3, word(0), word(1), word(2), word(3));
  return new TextDecoder().decode(bytes.subarray(3, end));
}

const boundaries = [0n, 9n, 10n, max].concat(
  [16n, 21n, 31n, 32n, 53n, 63n, 64n, 85n, 96n, 127n].flatMap((bits) => {
    const power = 1n << bits;
    return [power - 1n, power, power + 1n];
  }),
  Array.from({ length: 38 }, (_, i) => 10n ** BigInt(i + 1)).flatMap((power) => [
    power - 1n,
    power,
  ]),
);

test.each(boundaries)('%s is read and written exactly', (value) => {
  expect(read(String(value))).toBe(value);
  expect(written(value)).toBe(String(value));
});

test('every integer of 128 bits comes back as it went', () => {
  assert(
    property(bigInt({ min: 0n, max }), (value) => {
      expect(read(String(value))).toBe(value);
      expect(written(value)).toBe(String(value));
    }),
    { numRuns: 2_000 },
  );
});

test('values of more than 128 bits are refused', () => {
  assert(
    property(bigInt({ min: max + 1n, max: 10n ** 39n - 1n }), (value) => {
      expect(read(String(value))).toBeUndefined();
    }),
  );
  expect(read(`${10n ** 39n}`)).toBeUndefined();
  expect(read(`0${max}`)).toBeUndefined();
});

test('leading zeros count as digits and mean nothing', () => {
  expect(read('007')).toBe(7n);
  expect(read('0'.repeat(39))).toBe(0n);
});

test.each([0, 9, 10, 999_999_999, 1_000_000_000, 1_000_000_001, 2 ** 53 - 1])(
  '%d is written as a small integer',
  (value) => {
    const bytes = new Uint8Array(20);
    const end = writeSafeInteger(bytes, 0, value);
    expect(new TextDecoder().decode(bytes.subarray(0, end))).toBe(String(value));
  },
);
