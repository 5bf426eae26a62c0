/** Sealing, merging and looking up, against plain arrays. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { END } from '../cursor.ts';
import { Memory } from '../memory.ts';
import { COLUMNS, type SegmentData } from './columns.ts';
import { FieldCursor, type Part } from './field-cursor.ts';
import { addToFilter, mayContain, newFilter } from './id-filter.ts';
import { type IndexJob, runJob } from './index-jobs.ts';
import { Segment } from './segment.ts';
import { ChunkPool, type YoungChunk } from './young-rows.ts';

/** Entries of rows from `firstRow` on: hashes of ids, keys of each column. */
interface Rows {
  readonly firstRow: number;
  readonly ids: readonly (readonly [number, number])[];
  readonly keys: readonly (readonly number[])[];
}

function chunksOf({ ids, keys }: Rows, chunkRows: number): YoungChunk[] {
  const pool = new ChunkPool(new Memory(), chunkRows);
  const chunks: YoungChunk[] = [];
  for (const [i, [key, lower]] of ids.entries()) {
    if (i % chunkRows === 0) chunks.push(pool.take());
    const chunk = chunks[chunks.length - 1]!;
    chunk.idKeys[i % chunkRows] = key;
    chunk.idLowers[i % chunkRows] = lower;
    for (let column = 0; column < COLUMNS; column += 1)
      chunk.fields[column]![i % chunkRows] = keys[i]![column]!;
  }
  return chunks;
}

function run(job: IndexJob): SegmentData {
  const generator = runJob(job);
  for (;;) {
    const step = generator.next();
    if (step.done === true) return step.value;
    expect(step.value).toBeGreaterThanOrEqual(0);
  }
}

function seal(rows: Rows, pageBytes: number, chunkRows: number): SegmentData {
  const { firstRow, ids } = rows;
  const chunks = chunksOf(rows, chunkRows);
  const endRow = firstRow + ids.length;
  const idRange = Uint32Array.of(firstRow, 0, 0, 0, endRow, 0, 0, 0);
  return run({ kind: 'seal', pageBytes, firstRow, endRow, idRange, chunkRows, chunks });
}

/** All rows of a key that a cursor finds by steps of one. */
function walk(parts: readonly Part[], column: number, key: number, isReversed: boolean): number[] {
  const budget = { left: 1e9 };
  const cursor = new FieldCursor({ parts, column, key, isReversed, matches: undefined, budget });
  const found: number[] = [];
  for (let at = cursor.seek(isReversed ? 2 ** 31 : 0); at !== END;) {
    found.push(at);
    at = cursor.seek(at + (isReversed ? -1 : 1));
  }
  expect(cursor.count).toBeGreaterThanOrEqual(found.length);
  return found;
}

/** Keys as clients make them: all different, few, extreme, one only, mostly none. */
const keyArbitrary = fc.oneof(
  fc.integer({ min: 0, max: 0xffff_ffff }),
  fc.integer({ min: 0, max: 5 }),
  fc.constantFrom(0, 1, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff),
  fc.constant(7),
);
const rowArbitrary = fc.record({
  id: fc.tuple(fc.oneof(keyArbitrary, fc.constant(3)), fc.integer({ min: 0, max: 0xffff })),
  keys: fc.array(keyArbitrary, { minLength: COLUMNS, maxLength: COLUMNS }),
});
const partsArbitrary = fc.array(fc.array(rowArbitrary, { minLength: 1, maxLength: 120 }), {
  minLength: 1,
  maxLength: 5,
});

function rowsOf(
  parts: readonly (readonly {
    readonly id: readonly [number, number];
    readonly keys: number[];
  }[])[],
  firstRow: number,
): Rows[] {
  let next = firstRow;
  return parts.map((part) => {
    const rows = {
      firstRow: next,
      ids: part.map(({ id }) => id),
      keys: part.map(({ keys }) => keys),
    };
    next += part.length;
    return rows;
  });
}

function checkFields(parts: readonly Part[], all: readonly Rows[]): void {
  for (let column = 0; column < COLUMNS; column += 1) {
    const lists = new Map<number, number[]>([[12_345, []]]);
    for (const { firstRow, keys } of all)
      for (const [i, row] of keys.entries()) {
        const key = row[column]!;
        if (key !== 0) lists.set(key, [...(lists.get(key) ?? []), firstRow + i]);
      }
    for (const [key, expected] of lists) {
      if (key === 0) continue;
      expect(walk(parts, column, key, false)).toEqual(expected);
      expect(walk(parts, column, key, true)).toEqual(expected.toReversed());
    }
  }
}

function checkIds(segment: Segment, all: readonly Rows[]): void {
  const found = new Uint32Array(4096);
  const entries = all.flatMap(({ firstRow, ids }) =>
    ids.map(([key, lower], i) => ({ key, lower, row: firstRow + i })),
  );
  for (const { key, lower } of entries) {
    const count = segment.rowsOf(key, lower, found);
    const expected = entries.filter((entry) => entry.key === key && entry.lower === lower);
    expect([...found.subarray(0, count)]).toEqual(expected.map(({ row }) => row));
  }
}

test('a search of sealed, merged and young entries finds the same as a search of all rows, whatever the keys are', () => {
  fc.assert(
    fc.property(
      partsArbitrary,
      fc.constantFrom(80, 96, 4096),
      fc.constantFrom(2, 16),
      fc.constantFrom(0, 70_000, 20_000_000),
      (parts, pageBytes, chunkRows, firstRow) => {
        const all = rowsOf(parts, firstRow);
        const segments = all.map((rows) => seal(rows, pageBytes, chunkRows));
        for (const [i, data] of segments.entries()) checkIds(new Segment(data), [all[i]!]);
        checkFields(
          segments.map((data) => new Segment(data)),
          all,
        );
        const merged = new Segment(run({ kind: 'merge', segments }));
        checkIds(merged, all);
        checkFields([merged], all);
        // The newest rows are still young.
        const last = all[all.length - 1]!;
        const young = chunksOf(last, chunkRows).map((chunk, i) => {
          const first = last.firstRow + i * chunkRows;
          const end = Math.min(first + chunkRows, last.firstRow + last.ids.length);
          return { chunk, firstRow: first, endRow: end, isFull: end === first + chunkRows };
        });
        checkFields([...segments.slice(0, -1).map((data) => new Segment(data)), ...young], all);
      },
    ),
    { numRuns: 60 },
  );
});

test('a seek in either direction finds the nearest row, over pages, segments and chunks', () => {
  const keys = Array.from({ length: 3000 }, (_, i) =>
    Array.from({ length: COLUMNS }, () => (i % 3 === 0 ? 5 : i + 10)),
  );
  const ids = keys.map((_, i): [number, number] => [Math.imul(i, 0x9e3779b1) >>> 0, 0]);
  const halves = [0, 1500].map((firstRow) => ({
    firstRow,
    ids: ids.slice(firstRow, firstRow + 1500),
    keys: keys.slice(firstRow, firstRow + 1500),
  }));
  const parts = halves.map((rows) => new Segment(seal(rows, 128, 16)));
  for (const isReversed of [false, true])
    for (const stride of [1, 2, 7, 100, 1499, 1501]) {
      const budget = { left: 0 };
      const options = { parts, column: 3, key: 5, isReversed, matches: undefined, budget };
      const cursor = new FieldCursor(options);
      for (let i = 0; i < 3000; i += stride) {
        const target = isReversed ? 2999 - i : i;
        const expected = isReversed ? target - (target % 3) : target + ((3 - (target % 3)) % 3);
        expect(cursor.seek(target)).toBe(expected > 2999 ? END : expected);
      }
      expect(budget.left).toBeLessThan(0);
    }
});

test('a filter never denies an id that it has, and lets fewer than one of 500 others pass', () => {
  let x = 1;
  const next = (): number => (x = (Math.imul(x, 1664525) + 1013904223) >>> 0);
  const mixed = (): number => Math.imul(next() ^ (next() >>> 13), 0x2c1b3c6d) >>> 0;
  const filter = newFilter(50_000);
  const ids = Array.from({ length: 50_000 }, () => [mixed(), next() >>> 16] as const);
  for (const [key, lower] of ids) addToFilter(filter, key, lower);
  expect(ids.every(([key, lower]) => mayContain(filter, key, lower))).toBe(true);
  let passed = 0;
  for (let i = 0; i < 100_000; i += 1) if (mayContain(filter, mixed(), next() >>> 16)) passed += 1;
  expect(passed).toBeLessThan(200);
});
