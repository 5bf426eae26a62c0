/** Sealing, merging and looking up, against plain arrays. */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { END } from '../cursor.ts';
import { Memory } from '../memory.ts';
import { RowAccess } from '../cold-rows.ts';
import { PAGE_BYTES, PAGE_WORDS } from '../page.ts';
import { PageCache } from '../page-cache.ts';
import { COLUMNS, pagesPerPiece, segmentBytes, type SegmentData, sharedBytes } from './columns.ts';
import { FieldCursor, type Part } from './field-cursor.ts';
import { SEALED_ROW_BYTES } from './generation.ts';
import { addToFilter, mayContain, newFilter } from './id-filter.ts';
import { IdScreen } from './id-screen.ts';
import { bytesOf, type IndexJob, type IndexResult, runJob } from './index-jobs.ts';
import { Segment } from './segment.ts';
import { SegmentMerge } from './segment-merge.ts';
import { CHUNK_ROWS, ChunkPool, type YoungChunk } from './young-rows.ts';

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

function run(job: IndexJob): IndexResult {
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
  const job = { kind: 'seal', pageBytes, firstRow, endRow, idRange, chunkRows, chunks } as const;
  const result = run(job);
  if (result.kind !== 'seal') throw new Error('another job was done');
  return result.segment;
}

/** Merges segments, whose pages `bring` returns if they have left memory. Calls `brought` with the pages of each column. */
function merge(
  segments: readonly Segment[],
  bring?: (table: number, page: number) => Uint32Array,
  brought: (pages: number) => void = () => undefined,
): Segment {
  const inProgress = new SegmentMerge(segments, Infinity);
  for (;;) {
    let pages = 0;
    for (let names; (names = inProgress.missing()).length > 0; pages += names.length)
      for (const name of names.toReversed()) inProgress.put(name, bring!(name.table, name.page));
    brought(pages);
    const result = run(inProgress.begin());
    if (result.kind !== 'merge') throw new Error('another job was done');
    const merged = inProgress.take(result);
    if (merged !== undefined) return merged;
  }
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
        const merged = merge(segments.map((data) => new Segment(data)));
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

test('segments on the volume are merged a column at a time to the same segment as in memory, and stay where they are', () => {
  const all = rowsOf(
    Array.from({ length: 4 }, (_, part) =>
      Array.from({ length: 900 }, (__, i) => ({
        id: [Math.imul(part * 900 + i, 0x9e3779b1) >>> 0, i & 0xffff] as const,
        keys: Array.from({ length: COLUMNS }, (___, c) =>
          c < 4 ? 1 + (i % (c * 40 + 1)) : Math.imul(i * 4 + part + c, 0x2c1b3c6d) >>> 0,
        ),
      })),
    ),
    0,
  );
  const access = new RowAccess(new PageCache(new Memory(), 0));
  const pages = new Map<number, Uint32Array[]>();
  const sealed = all.map((rows) => seal(rows, PAGE_BYTES, 500));
  const cold = sealed.map((data, i) => {
    const segment = new Segment(data);
    // The youngest is in memory.
    if (i === 3) return segment;
    segment.table = 70_000 + i;
    const words = segment.columns.flatMap(({ column, pages: count }) =>
      Array.from({ length: count }, (_, page) => {
        const piece = column.pieces[0]!;
        return new Uint32Array(piece.buffer, piece.byteOffset + page * PAGE_BYTES, PAGE_WORDS);
      }),
    );
    pages.set(segment.table, words);
    segment.leave(access);
    return segment;
  });
  const held = cold.map(({ bytes }) => bytes);
  const ofColumns: number[] = [];
  const merged = merge(
    cold,
    (table, page) => pages.get(table)![page]!,
    (count) => ofColumns.push(count),
  );
  const inMemory = merge(sealed.map((data) => new Segment(data)));
  expect(merged.data).toEqual(inMemory.data);
  checkIds(merged, all);
  checkFields([merged], all);
  // Each column of each segment comes once.
  const expected = cold[0]!.columns.map((_, column) =>
    cold.slice(0, 3).reduce((sum, { columns }) => sum + columns[column]!.pages, 0),
  );
  expect(ofColumns).toEqual(expected);
  expect(cold.map(({ isCold }) => isCold)).toEqual([true, true, true, false]);
  expect(cold.map(({ bytes }) => bytes)).toEqual(held);
});

test('a filter never denies an id that it has, and lets fewer than one of 5,000 others pass, of an older release one of 500', () => {
  let x = 1;
  const next = (): number => (x = (Math.imul(x, 1664525) + 1013904223) >>> 0);
  const mixed = (): number => Math.imul(next() ^ (next() >>> 13), 0x2c1b3c6d) >>> 0;
  const ids = Array.from({ length: 50_000 }, () => [mixed(), next() >>> 16] as const);
  // As older releases made them, and as they are.
  for (const [filter, most] of [
    [new Uint32Array(Math.ceil(50_000 / 32) * 16), 200],
    [newFilter(50_000), 20],
  ] as const) {
    for (const [key, lower] of ids) addToFilter(filter, key, lower);
    expect(ids.every(([key, lower]) => mayContain(filter, key, lower))).toBe(true);
    let passed = 0;
    for (let i = 0; i < 100_000; i += 1)
      if (mayContain(filter, mixed(), next() >>> 16)) passed += 1;
    expect(passed).toBeLessThan(most);
  }
});

test('many ids that are looked for at once are found in the same filters as each of them', () => {
  const idArbitrary = fc.tuple(keyArbitrary, fc.integer({ min: 0, max: 0xffff }));
  fc.assert(
    fc.property(
      fc.array(fc.array(idArbitrary, { minLength: 1, maxLength: 90 }), { maxLength: 5 }),
      fc.array(idArbitrary, { maxLength: 600 }),
      (segments, others) => {
        const filters = segments.map((ids) => {
          const filter = newFilter(ids.length);
          for (const [key, lower] of ids) addToFilter(filter, key, lower);
          return filter;
        });
        const asked = [...segments.flat(), ...others];
        const screen = new IdScreen(asked.length + 1);
        // What was found before is forgotten.
        for (const step of [1, 3]) {
          screen.clear();
          for (let i = 0; i < asked.length; i += step) screen.add(i, ...asked[i]!);
          screen.look(filters);
          const expected = asked.map(
            ([key, lower], i) =>
              +(i % step === 0 && filters.some((filter) => mayContain(filter, key, lower))),
          );
          expect([...screen.found.subarray(0, asked.length)]).toEqual(expected);
        }
      },
    ),
  );
});

test('a row takes no more in a segment than the room that is reserved for it, whatever its values are', () => {
  const count = 1 << 18;
  // Values that are far apart, so that each entry has the longest difference and a row of its own.
  const step = 2 ** 32 / count - 1;
  const spread = (n: number): number => Math.imul(n + 1, 0x9e3779b1) >>> 0;
  const rows = Array.from({ length: count }, (_, n) => n);
  const data = seal(
    {
      firstRow: 0,
      ids: rows.map((n) => [spread(n ^ 0x5555), n & 0xffff]),
      keys: rows.map((n) => {
        const account = 1 + n * 64;
        const other = 1 + ((n + count / 2) % count) * 64;
        const [wide, narrow] = [spread(Math.imul(n, n)), spread(n * n * 3)];
        return [account, other, (n + 1) * step, 1 + (n % 0xffff), wide, narrow, (n + 1) * step];
      }),
    },
    PAGE_BYTES,
    CHUNK_ROWS,
  );
  expect(segmentBytes(data) / count).toBeGreaterThan(SEALED_ROW_BYTES - 2);
  expect(segmentBytes(data) / count).toBeLessThanOrEqual(SEALED_ROW_BYTES);
});

test('a merge takes no more than it reserves, also when numbers of rows are a byte longer in its result', () => {
  const count = 1 << 16;
  const spread = (n: number, by: number): number => Math.imul(n + 1, by) >>> 0;
  const segments = [0, 1, 2, 3].map((part) => {
    const firstRow = part * count;
    const rows = Array.from({ length: count }, (_, i) => firstRow + i);
    // Accounts with three fields of their own.
    const keys = rows.map((n) =>
      [0, 0, 1, 1].concat([0x9e3779b1, 0x85ebca77, 0xc2b2ae3d].map((by) => spread(n, by))),
    );
    const ids = rows.map((n): [number, number] => [spread(n, 0x27d4eb2f), n & 0xffff]);
    return new Segment(seal({ firstRow, ids, keys }, PAGE_BYTES, CHUNK_ROWS));
  });
  const reserved = new SegmentMerge(segments, Infinity).bytes;
  const { bytes } = merge(segments);
  expect(bytes).toBeGreaterThan(segments.reduce((sum, segment) => sum + segment.bytes, 0));
  expect(bytes).toBeLessThanOrEqual(reserved);
});

test('the bytes of a job that is over are those of its segments: what its thread may keep is counted by them', () => {
  const rows = Array.from({ length: 3000 }, (_, n) => n);
  const segmentOf = (firstRow: number) => {
    const of = rows.map((n) => firstRow + n);
    const ids = of.map((n): [number, number] => [Math.imul(n + 1, 0x27d4eb2f) >>> 0, n & 0xffff]);
    const keys = of.map((n) => [n + 1, n + 1, 1, 1, n + 1, n + 1, n + 1]);
    return seal({ firstRow, ids, keys }, PAGE_BYTES, CHUNK_ROWS);
  };
  const segments = [0, 3000].map((firstRow) => new Segment(segmentOf(firstRow)));
  const merging = new SegmentMerge(segments, Infinity);
  let bytes = 0;
  for (let merged: Segment | undefined; merged === undefined;) {
    const job = merging.begin();
    const result = run(job);
    bytes += bytesOf(job, result);
    if (result.kind !== 'merge') throw new Error('another job was done');
    merged = merging.take(result);
    if (merged !== undefined)
      expect(bytes).toBe([...segments, merged].reduce((sum, { pageBytes }) => sum + pageBytes, 0));
  }
});

test('a merge from the volume to the volume holds one column of segments that a start has loaded: the rest may leave memory', () => {
  const pages = pagesPerPiece(PAGE_BYTES);
  const piece = sharedBytes(pages * PAGE_BYTES);
  // As they are loaded: all columns in the same pieces, which the first column does not fill.
  const pieces = Array.from({ length: 1 + COLUMNS }, () => piece);
  const [ids, ...fields] = pieces.map((_, column) => ({
    pieces,
    firstPage: column === 0 ? 0 : column * pages - 1,
    firstKeys: new Uint32Array(column === 0 ? pages - 1 : pages),
    firstRows: new Uint32Array(column === 0 ? pages - 1 : pages),
  }));
  const segments = [0, 1, 2, 3].map((n) => {
    const rows = { firstRow: n * 1000, endRow: (n + 1) * 1000, idRange: new Uint32Array(8) };
    const filter = newFilter(1000);
    return new Segment({ ...rows, pageBytes: PAGE_BYTES, ids: ids!, filter, fields });
  });
  const merging = new SegmentMerge(segments, Infinity, { isStreamed: true });
  const held: number[] = [];
  for (let column = 0; column <= COLUMNS; column += 1) {
    const { inputs } = merging.begin();
    held.push(Math.max(...inputs.map((input) => input.column.pieces.length)));
    merging.take({
      kind: 'merge',
      column: { ...ids!, pieces: [] },
      filter: segments[0]!.data.filter,
    });
  }
  expect(held).toEqual([1, 2, 2, 2, 2, 2, 2, 2]);
});
