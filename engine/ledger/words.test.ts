/** Tests of word arithmetic against bigints, mainly at the edges. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import * as words from './words.ts';

const MAX32 = 0xffff_ffffn;
const edge = fc.constantFrom(0n, 1n, 2n, MAX32, MAX32 + 1n, 1n << 63n, (1n << 64n) - 1n, 1n << 64n);
const u128 = fc.oneof(
  fc.bigInt({ min: 0n, max: (1n << 128n) - 1n }),
  edge,
  edge.map((value) => (1n << 128n) - 1n - value),
);
const u64 = u128.map((value) => value & ((1n << 64n) - 1n));

function of128(value: bigint): Uint32Array {
  return Uint32Array.from({ length: 4 }, (_, i) => Number((value >> BigInt(32 * i)) & MAX32));
}

function big(value: Uint32Array): bigint {
  return value.reduceRight((sum, word) => (sum << 32n) | BigInt(word), 0n);
}

test('u128: sums with carry, differences with borrow, comparison', () => {
  fc.assert(
    fc.property(u128, u128, (a, b) => {
      const sum = of128(a);
      expect(words.add128(sum, 0, of128(b), 0)).toBe(Number((a + b) >> 128n));
      expect(big(sum)).toBe(BigInt.asUintN(128, a + b));
      const difference = of128(a);
      expect(words.subtract128(difference, 0, of128(b), 0)).toBe(a < b ? 1 : 0);
      expect(big(difference)).toBe(BigInt.asUintN(128, a - b));
      expect(Math.sign(words.compare128(of128(a), 0, of128(b), 0))).toBe(
        a < b ? -1 : a > b ? 1 : 0,
      );
      expect(words.isZero128(of128(a), 0)).toBe(a === 0n);
      expect(words.isMax128(of128(a), 0)).toBe(a === (1n << 128n) - 1n);
      expect(words.equal128(of128(a), 0, of128(b), 0)).toBe(a === b);
    }),
    { numRuns: 2000 },
  );
});

test('u64: offsets, comparison, timestamps, expiry', () => {
  fc.assert(
    fc.property(
      u64,
      u64,
      fc.integer({ min: -100_000, max: 100_000 }),
      fc.nat(0xffff_ffff),
      (a, b, offset, timeout) => {
        const to = new Uint32Array(2);
        words.offset64(to, 0, of128(a), 0, offset);
        expect(big(to)).toBe(BigInt.asUintN(64, a + BigInt(offset)));
        expect(Math.sign(words.compare64(of128(a), 0, of128(b), 0))).toBe(
          a < b ? -1 : a > b ? 1 : 0,
        );
        expect(words.isTimestamp(of128(a), 0)).toBe(a >= 1n && a < 1n << 63n);
        const time = a & ((1n << 63n) - 1n);
        words.expiresAt(to, 0, of128(time), 0, timeout);
        expect(big(to)).toBe(time + BigInt(timeout) * 1_000_000_000n);
        words.writeBigint64(to, 0, a);
        expect(words.readBigint64(to, 0)).toBe(a);
      },
    ),
    { numRuns: 2000 },
  );
});

test('bytes that begin anywhere are read alike', () => {
  const bytes = Uint8Array.of(9, 1, 0, 0, 0, 2, 0, 0, 0);
  expect([...words.wordsOf(bytes.subarray(1))]).toEqual([1, 2]);
});
