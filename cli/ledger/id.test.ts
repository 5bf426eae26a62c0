import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { newLedgerId } from './id.ts';

test('an ID is its moment in 48 bits and its noise in 80, and later ones are larger', () => {
  const noise = fc.uint8Array({ minLength: 10, maxLength: 10 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2 ** 48 - 2 }), noise, noise, (ms, first, second) => {
      const [id, later] = [BigInt(newLedgerId(ms, first)), BigInt(newLedgerId(ms + 1, second))];
      expect(id >> 80n).toBe(BigInt(ms));
      expect((id & ((1n << 80n) - 1n)).toString(16).padStart(20, '0')).toBe(
        Buffer.from(first).toString('hex'),
      );
      expect(later > id).toBe(true);
      expect(later < 2n ** 128n).toBe(true);
    }),
  );
});
