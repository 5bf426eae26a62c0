/** Tests of the indexes against plain arrays and maps. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Cursor, END, firstOf, intersect, UnionCursor } from './cursor.ts';
import { ExpiryQueue } from './expiry-queue.ts';
import { KeyedHash, PUBLIC_HASH_KEY } from './keyed-hash.ts';
import { Memory } from './memory.ts';
import { RowTable } from './row-table.ts';
import { SlotTable } from './slot-table.ts';

const EMPTY_SLOTS_BYTES = (4096 * 2 + 2) * 4;

function valuesOf(slots: SlotTable, hash: number): number[] {
  const values: number[] = [];
  slots.seek(hash);
  for (let value = slots.next(); value !== 0; value = slots.next()) values.push(value);
  return values.sort((a, b) => a - b);
}

test('a slot table finds exactly the entries that were inserted and not removed, through splits and collisions', () => {
  fc.assert(
    fc.property(fc.integer(), fc.constantFrom(1, 0xffff, 0xffff_ffff), (seed, mask) => {
      const memory = new Memory();
      const slots = new SlotTable(memory);
      const model = new Map<number, number[]>();
      let x = seed | 1;
      for (let i = 1; i <= 9000; i += 1) {
        x = Math.imul(x, 1664525) + 1013904223;
        const hash = Math.imul(x ^ (x >>> 15), 0x2c1b3c6d) & (i % 50 === 0 ? mask : -1);
        slots.insert(hash, i);
        model.set(hash, [...(model.get(hash) ?? []), i]);
        // Removed as for a broken chain, the newest first, with splits in between.
        if (i % 3 === 0) {
          slots.remove(hash, i);
          model.get(hash)!.pop();
        }
      }
      for (const [hash, values] of model) expect(valuesOf(slots, hash)).toEqual(values);
      expect(memory.usedBytes % EMPTY_SLOTS_BYTES).toBe(0);
    }),
    { numRuns: 10 },
  );
});

test('ids whose words follow from one another spread as random ones do', () => {
  const patterns: ((i: number) => number[])[] = [
    (i) => [i, 0, 0, 0],
    (i) => [0, 0, 0, i],
    (i) => [i, Math.imul(i, 0x9e3779b1), 0, 0],
    (i) => [i, i, i, i],
    (i) => [i << 12, i >>> 20, 7, 0],
    (i) => [Math.imul(i, 0xcc9e2d51), i, 0, i],
  ];
  for (const pattern of patterns) {
    const hashes = new Set<number>();
    const places = new Uint32Array(4096);
    for (let i = 1; i <= 40_960; i += 1) {
      const hash = new KeyedHash(PUBLIC_HASH_KEY).of128(Uint32Array.from(pattern(i)), 0);
      hashes.add(hash);
      places[hash & 4095]! += 1;
    }
    expect(hashes.size).toBeGreaterThan(40_900);
    expect(Math.max(...places)).toBeLessThan(40);
  }
});

test('ids forged to one hash make their segment grow, not the directory', () => {
  const memory = new Memory();
  const slots = new SlotTable(memory);
  for (let i = 1; i <= 8000; i += 1) slots.insert(-559038737, i);
  expect(valuesOf(slots, -559038737).length).toBe(8000);
  expect(valuesOf(slots, 7)).toEqual([]);
  expect(memory.usedBytes).toBeLessThan(20 * EMPTY_SLOTS_BYTES);
});

test('a table with enough reserved room never splits', () => {
  const memory = new Memory();
  const slots = new SlotTable(memory);
  slots.reserve(100_000);
  const reserved = memory.usedBytes;
  for (let i = 1; i <= 100_000; i += 1) slots.insert(Math.imul(i, 0x9e3779b1) ^ (i >>> 3), i);
  expect(memory.usedBytes).toBe(reserved);
});

test('a table says that it is full before a row number would be used twice', () => {
  const table = new RowTable(new Memory(), { wordsPerRow: 1, rowsShift: 20 });
  table.count = 2 ** 31 - 2 ** 21;
  table.chunks.length = table.count / 2 ** 20;
  expect(table.fits(2 ** 20 - 1)).toBe(true);
  expect(table.fits(2 ** 20)).toBe(false);
  table.push();
  table.count = 2 ** 31 - 2 ** 20;
  expect(() => table.push()).toThrow('fewer than 2^31 rows');
});

const rising = fc
  .uniqueArray(fc.nat(300), { maxLength: 200 })
  .map((values) => values.toSorted((a, b) => a - b));

test('intersections and unions select what filtering all records would', () => {
  const page = fc.record({
    from: fc.nat(200),
    end: fc.nat(310),
    isReversed: fc.boolean(),
    limit: fc.integer({ min: 1, max: 40 }),
  });
  fc.assert(
    fc.property(
      fc.array(rising, { minLength: 0, maxLength: 3 }),
      rising,
      rising,
      page,
      fc.integer({ min: 4, max: 30 }),
      (sets, a, b, page, units) => {
        const cursorOf = (values: readonly number[]): Cursor => ({
          count: values.length,
          seek: (target) =>
            (page.isReversed
              ? values.findLast((value) => value <= target)
              : values.find((value) => value >= target)) ?? END,
        });
        const open = (): Cursor[] => [
          new UnionCursor(cursorOf(a), cursorOf(b), page.isReversed),
          ...sets.map(cursorOf),
        ];
        const hits = new Uint32Array(64);
        // Runs in steps of a few units, each with its own cursors.
        const progress = { next: firstOf(page), count: 0, proven: 0 };
        while (!intersect(open(), page, progress, hits, { left: units }));
        const { count } = progress;
        const expected = Array.from({ length: 310 }, (_, i) => i).filter(
          (i) =>
            i >= page.from &&
            i < page.end &&
            (a.includes(i) || b.includes(i)) &&
            sets.every((values) => values.includes(i)),
        );
        if (page.isReversed) expected.reverse();
        expect([...hits.subarray(0, count)]).toEqual(expected.slice(0, page.limit));
      },
    ),
    { numRuns: 300 },
  );
});

test('the expiry queue gives the earliest first, equal times in order of transfers', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(3), fc.nat(20)), { maxLength: 200 }), (times) => {
      const queue = new ExpiryQueue(new Memory());
      for (const [transfer, [high, low]] of times.entries()) {
        queue.push(Uint32Array.of(low, high), 0, transfer);
      }
      const expected = times
        .map(([high, low], transfer) => ({ high, low, transfer }))
        .sort((a, b) => a.high - b.high || a.low - b.low || a.transfer - b.transfer);
      for (const { high, low, transfer } of expected) {
        const at = new Uint32Array(2);
        queue.topExpiresAt(at, 0);
        expect([at[1], at[0], queue.topTransfer()]).toEqual([high, low, transfer]);
        queue.pop();
      }
      expect(queue.size).toBe(0);
    }),
  );
});
