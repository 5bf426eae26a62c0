/** Tests of the index of sorted runs against plain maps, before, during and after merges. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ENTRIES, newChunk, sortChunk } from './chunk-sort.ts';
import { END } from './cursor.ts';
import { KeyedHash, PUBLIC_HASH_KEY } from './keyed-hash.ts';
import { Memory } from './memory.ts';
import { RowTable } from './row-table.ts';
import { RunIndex } from './run-index.ts';
import type { KeyRecords } from './run-records.ts';
import { imul } from './words.ts';

const WORDS = 5;
const WORD = 1;

class SameHash extends KeyedHash {
  override of(): number {
    return -7;
  }
  override of128(): number {
    return -7;
  }
}

const mixed = (i: number): number => {
  const x = imul(i ^ (i >>> 15), 0x2c1b3c6d);
  return (x ^ (x >>> 12)) >>> 0;
};

/** Values by the number of the row; zero is not indexed. */
const shapes: Readonly<Record<string, (i: number) => number>> = {
  'all different': (i) => mixed(i + 1),
  'a few values': (i) => 1 + (mixed(i) % 5),
  'one value': () => 0xffff_ffff,
  'one of a hundred rows has a value': (i) => (i % 100 === 0 ? mixed(i) : 0),
  'half one value, half different': (i) => (i % 2 === 0 ? 0x8000_0000 : mixed(i)),
  'long stretches': (i) => 1 + Math.floor(i / 30_000),
  rising: (i) => i,
};

/** Shapes that are tried with two levels of merges. */
const twoLevels: ReadonlySet<string> = new Set(['all different', 'half one value, half different']);

class World {
  readonly memory = new Memory();
  readonly rows = new RowTable(new Memory(), { wordsPerRow: WORDS, rowsShift: 14 });
  readonly model = new Map<number, number[]>();
  readonly index: RunIndex;
  readonly width: 1 | 2 | 4;

  constructor(width: 1 | 2 | 4, hash = new KeyedHash(PUBLIC_HASH_KEY)) {
    this.width = width;
    this.index = new RunIndex(this.memory, hash, { rows: this.rows, word: WORD, width });
  }

  key(value: number): Uint32Array {
    const key = new Uint32Array(4);
    key[this.width - 1] = value;
    return key;
  }

  add(count: number, valueOf: (i: number) => number): void {
    for (let i = 0; i < count; i += 1) {
      const row = this.rows.push();
      const value = valueOf(row);
      // The key's last word has the value, the others are zero.
      this.rows.chunkOf(row)[this.rows.offsetOf(row) + WORD + this.width - 1] = value;
      if (value === 0) continue;
      const records = this.model.get(value);
      if (records === undefined) this.model.set(value, [row]);
      else records.push(row);
    }
    this.index.addRows(this.rows.count);
  }

  find(value: number): KeyRecords {
    return this.index.find(this.key(value), 0);
  }

  check(value: number): void {
    const expected = this.model.get(value) ?? [];
    const found = this.find(value);
    expect(found.count).toBeGreaterThanOrEqual(expected.length);
    for (const isReversed of [false, true])
      expect(firstDifference(all(found, isReversed), expected, isReversed)).toBe(-1);
  }
}

/** Position of the first difference, or -1. `toEqual` takes seconds for lists of this length. */
function firstDifference(found: number[], expected: number[], isReversed: boolean): number {
  const last = expected.length - 1;
  if (found.length !== expected.length) return Math.min(found.length, expected.length);
  return found.findIndex((record, i) => record !== expected[isReversed ? last - i : i]);
}

function all(records: KeyRecords, isReversed: boolean): number[] {
  const cursor = records.cursor(isReversed);
  const found: number[] = [];
  for (let at = cursor.seek(isReversed ? 2 ** 31 - 1 : 0); at !== END;) {
    found.push(at);
    at = cursor.seek(at + (isReversed ? -1 : 1));
  }
  return found;
}

test.each(Object.keys(shapes))(
  'all records of a value are found in order, whatever is merged meanwhile: %s',
  (shape) => {
    const valueOf = shapes[shape]!;
    const world = new World(1);
    let x = 1;
    // Two levels of merges begin and end on the way, or one.
    const rows = twoLevels.has(shape) ? 620_000 : 160_000;
    while (world.rows.count < rows) {
      x = mixed(x + world.rows.count);
      world.add(1 + (x % 60_000), valueOf);
      world.check(valueOf(x % world.rows.count));
      world.check(12_345_678);
    }
  },
);

test.each([2, 4] as const)(
  'values of %i words are told apart although their hashes are equal',
  (width) => {
    const world = new World(width, new SameHash(PUBLIC_HASH_KEY));
    world.add(70_000, (i) => 1 + (mixed(i) % 7));
    for (let value = 1; value <= 8; value += 1) world.check(value);
  },
);

test('a seek finds the nearest record at or after its target in either direction', () => {
  const world = new World(1);
  world.add(100_000, (i) => 1 + (mixed(i) % 50));
  const records = world.model.get(7)!;
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 100_500 }), { minLength: 1, maxLength: 20 }),
      fc.boolean(),
      (targets, isReversed) => {
        const cursor = world.find(7).cursor(isReversed);
        for (const target of targets.sort((a, b) => (isReversed ? b - a : a - b))) {
          const expected = isReversed
            ? records.findLast((record) => record <= target)
            : records.find((record) => record >= target);
          expect(cursor.seek(target)).toBe(expected ?? END);
        }
      },
    ),
    { numRuns: 200 },
  );
});

test('no rows take more memory than was counted before, and eight bytes an entry remain', () => {
  const world = new World(1);
  const growths = [1, 5, 8190, 3, 100, 8190, 60_000, 20_000, 8192, 1];
  while (world.rows.count < 620_000) {
    for (const count of growths) {
      const counted = world.index.growthBytes(count);
      const before = world.memory.usedBytes;
      world.add(count, (i) => mixed(i + 1));
      expect(world.memory.usedBytes - before).toBeLessThanOrEqual(counted);
    }
    expect(world.index.growthBytes(8190)).toBeLessThan(2 << 20);
  }
  expect(world.memory.usedBytes / world.rows.count).toBeLessThan(10.5);
});

test('a field without values takes no memory', () => {
  const world = new World(4);
  world.add(100_000, () => 0);
  // The tail's chunk alone.
  expect(world.memory.usedBytes).toBe(ENTRIES * 8);
});

test('the sort is stable and right for any range of keys', () => {
  const keys = fc.oneof(
    fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
    fc.integer({ min: -3, max: 3 }),
    fc.constantFrom(-(2 ** 31), 2 ** 31 - 1),
  );
  fc.assert(
    fc.property(fc.array(keys, { minLength: 1, maxLength: 300 }), (unsorted) => {
      const chunk = newChunk();
      for (const [i, key] of unsorted.entries()) {
        chunk[i] = key;
        chunk[ENTRIES + i] = i;
      }
      sortChunk(chunk, unsorted.length, Math.min(...unsorted), Math.max(...unsorted));
      const expected = unsorted.map((key, i) => [key, i] as const).sort(([a], [b]) => a - b);
      const got = expected.map((_, i) => [chunk[i], chunk[ENTRIES + i]]);
      expect(got).toEqual(expected);
    }),
  );
});
