/**
 * Merging: neighbouring segments become one, so that a look-up asks few. Columns are merged one by one (segment-merge.ts): a page of each
 * segment at a time, with a pause after each slice.
 */
import type { ColumnPages } from './columns.ts';
import { addToFilter, newFilter } from './id-filter.ts';
import { ColumnReader, PAGE_ROWS_MAX, type PagesIn } from './page-reader.ts';
import { FieldWriter, IdWriter } from './page-writer.ts';
import { ENTRIES_A_SLICE } from './seal.ts';

/** A column of a segment. */
export interface ColumnOf {
  readonly firstRow: number;
  readonly endRow: number;
  readonly column: ColumnPages;
}

export interface MergeJob {
  readonly kind: 'merge';
  readonly pageBytes: number;
  readonly isOfIds: boolean;
  /** The column in each segment. The oldest first; each begins where the one before ends. */
  readonly inputs: readonly ColumnOf[];
}

export interface MergedColumn {
  readonly kind: 'merge';
  readonly column: ColumnPages;
  /** Filter of the ids, if the column is theirs. */
  readonly filter: Uint32Array | undefined;
}

/** Returns the column. Yields the number of entries handled since the last pause. */
export function* mergeColumn({
  pageBytes,
  isOfIds,
  inputs,
}: MergeJob): Generator<number, MergedColumn> {
  const { firstRow } = inputs[0]!;
  const { endRow } = inputs.at(-1)!;
  const of = { pageBytes, firstRow, endRow };
  const filter = isOfIds ? newFilter(endRow - firstRow) : undefined;
  const column =
    filter === undefined
      ? yield* mergeField(
          inputs.map((input) => new FieldInput({ ...input, pageBytes }, input.column)),
          new FieldWriter(of),
        )
      : yield* mergeIds(
          inputs.map((input) => new IdInput({ ...input, pageBytes }, input.column)),
          new IdWriter(of),
          filter,
        );
  return { kind: 'merge', column, filter };
}

function* mergeIds(
  inputs: readonly IdInput[],
  writer: IdWriter,
  filter: Uint32Array,
): Generator<number, ColumnPages> {
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
  inputs: readonly FieldInput[],
  writer: FieldWriter,
): Generator<number, ColumnPages> {
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

  constructor(segment: PagesIn, column: ColumnPages) {
    this.#reader = new ColumnReader(segment, column);
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

  constructor(segment: PagesIn, column: ColumnPages) {
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
