/**
 * Merging: neighbouring segments become one, so that a look-up asks few. A merge reads a page of each at a time, and can pause after
 * each slice.
 */
import { COLUMNS, type ColumnPages, type SegmentData } from './columns.ts';
import { addToFilter, newFilter } from './id-filter.ts';
import { ColumnReader, PAGE_ROWS_MAX } from './page-reader.ts';
import { FieldWriter, IdWriter } from './page-writer.ts';
import { ENTRIES_A_SLICE } from './seal.ts';
import { compare128 } from '../words.ts';

export interface MergeJob {
  readonly kind: 'merge';
  /** The oldest first; each begins where the one before ends. */
  readonly segments: readonly SegmentData[];
}

/** Returns the segment. Yields the number of entries handled since the last pause. */
export function* mergeSegments({ segments }: MergeJob): Generator<number, SegmentData> {
  const { pageBytes, firstRow } = segments[0]!;
  const { endRow } = segments.at(-1)!;
  const of = { pageBytes, firstRow, endRow };
  const filter = newFilter(endRow - firstRow);
  const ids = yield* mergeIds(segments, new IdWriter(of), filter);
  const fields: ColumnPages[] = [];
  for (let column = 0; column < COLUMNS; column += 1)
    fields.push(yield* mergeField(segments, column, new FieldWriter(of)));
  return { ...of, idRange: idRangeOf(segments), ids, filter, fields };
}

function idRangeOf(segments: readonly SegmentData[]): Uint32Array {
  const range = segments[0]!.idRange.slice();
  for (const { idRange } of segments) {
    if (compare128(idRange, 0, range, 0) < 0) range.set(idRange.subarray(0, 4));
    if (compare128(idRange, 4, range, 4) > 0) range.set(idRange.subarray(4), 4);
  }
  return range;
}

function* mergeIds(
  segments: readonly SegmentData[],
  writer: IdWriter,
  filter: Uint32Array,
): Generator<number, ColumnPages> {
  const inputs = segments.map((segment) => new IdInput(segment));
  for (let handled = 0; ; handled += 1) {
    let least: IdInput | undefined;
    for (const input of inputs) {
      if (input.isOver) continue;
      if (least === undefined || input.isBefore(least)) least = input;
    }
    if (least === undefined) return writer.finish();
    writer.add(least.key, least.lower, least.row);
    addToFilter(filter, least.key, least.lower);
    least.next();
    if (handled < ENTRIES_A_SLICE) continue;
    yield handled;
    handled = 0;
  }
}

function* mergeField(
  segments: readonly SegmentData[],
  column: number,
  writer: FieldWriter,
): Generator<number, ColumnPages> {
  const inputs = segments.map((segment) => new FieldInput(segment, segment.fields[column]!));
  let handled = 0;
  for (;;) {
    // The oldest of those with the least key; the next round takes the others.
    let least: FieldInput | undefined;
    for (const input of inputs) {
      if (!input.isOver && (least === undefined || input.key < least.key)) least = input;
    }
    if (least === undefined) return writer.finish();
    handled += least.moveList(writer);
    if (handled < ENTRIES_A_SLICE) continue;
    yield handled;
    handled = 0;
  }
}

class IdInput {
  readonly #reader: ColumnReader;
  readonly #keys = new Uint32Array(PAGE_ROWS_MAX);
  readonly #lowers = new Uint32Array(PAGE_ROWS_MAX);
  readonly #rows = new Uint32Array(PAGE_ROWS_MAX);
  #page = 0;
  #at = -1;
  #count = 0;
  isOver = false;
  key = 0;
  lower = 0;
  row = 0;

  constructor(segment: SegmentData) {
    this.#reader = new ColumnReader(segment, segment.ids);
    this.next();
  }

  isBefore(other: IdInput): boolean {
    return this.key === other.key ? this.lower < other.lower : this.key < other.key;
  }

  next(): void {
    this.#at += 1;
    if (this.#at >= this.#count) {
      this.isOver = this.#page === this.#reader.pages;
      if (this.isOver) return;
      this.#count = this.#reader.readAllIds(this.#page, this.#keys, this.#lowers, this.#rows);
      this.#page += 1;
      this.#at = 0;
    }
    this.key = this.#keys[this.#at]!;
    this.lower = this.#lowers[this.#at]!;
    this.row = this.#rows[this.#at]!;
  }
}

class FieldInput {
  readonly #reader: ColumnReader;
  readonly #keys = new Uint32Array(PAGE_ROWS_MAX);
  readonly #ends = new Uint32Array(PAGE_ROWS_MAX);
  readonly #rows = new Uint32Array(PAGE_ROWS_MAX);
  #page = 0;
  #list = -1;
  #lists = 0;
  #row = 0;
  isOver = false;
  key = 0;

  constructor(segment: SegmentData, column: ColumnPages) {
    this.#reader = new ColumnReader(segment, column);
    this.#next();
  }

  /** Hands over the present list, as far as it stands in one page. Returns the number of its rows. */
  moveList(writer: FieldWriter): number {
    const from = this.#row;
    const end = this.#ends[this.#list]!;
    for (let i = from; i < end; i += 1) writer.add(this.key, this.#rows[i]!);
    this.#row = end;
    this.#next();
    return end - from;
  }

  #next(): void {
    this.#list += 1;
    if (this.#list >= this.#lists) {
      this.isOver = this.#page === this.#reader.pages;
      if (this.isOver) return;
      this.#lists = this.#reader.readLists(this.#page, this.#keys, this.#ends, this.#rows);
      this.#page += 1;
      this.#list = 0;
      this.#row = 0;
    }
    this.key = this.#keys[this.#list]!;
  }
}
