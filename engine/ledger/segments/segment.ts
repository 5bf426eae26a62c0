/**
 * A sealed part of the index, as look-ups see it. Its pages may leave memory once they are durable in a table of a checkpoint. Filter and
 * directories stay: about 3 bytes a row.
 */
import { assert } from '../../../base/assert.ts';
import type { RowAccess } from '../cold-rows.ts';
import { compare128 } from '../words.ts';
import { segmentBytes, type SegmentData, withoutPages } from './columns.ts';
import { mayContain, touchFilter } from './id-filter.ts';
import { ColumnReader } from './page-reader.ts';

export class Segment {
  data: SegmentData;
  /** Bytes of memory. */
  bytes: number;
  /** Bytes of memory that `leave` frees. */
  pageBytes: number;
  /** Table of the newest durable checkpoint in which the segment is whole, with pages that can be read alone. */
  table: number | undefined;
  /** Whether its pages have left memory. */
  isCold = false;
  readonly firstRow: number;
  readonly endRow: number;
  readonly fields: readonly ColumnReader[];
  /** All columns, that of ids first. */
  readonly columns: readonly ColumnReader[];
  readonly #ids: ColumnReader;

  constructor(data: SegmentData) {
    this.data = data;
    this.bytes = segmentBytes(data);
    this.pageBytes = this.bytes - segmentBytes(withoutAnyPages(data));
    this.firstRow = data.firstRow;
    this.endRow = data.endRow;
    this.#ids = new ColumnReader(data, data.ids);
    this.fields = data.fields.map((column) => new ColumnReader(data, column));
    this.columns = [this.#ids, ...this.fields];
  }

  /** Drops the pages from memory. They must be durable. */
  leave(access: RowAccess): void {
    const { table } = this;
    assert(table !== undefined, 'only what is on the volume leaves memory');
    let firstPage = 0;
    for (const column of this.columns) {
      column.leave({ access, table, firstPage });
      firstPage += column.pages;
    }
    this.data = withoutAnyPages(this.data);
    this.bytes = segmentBytes(this.data);
    this.isCold = true;
  }

  get rows(): number {
    return this.endRow - this.firstRow;
  }

  /** Returns whether an id is between the least and the greatest. Ids that rise with time are in the range of one segment. */
  spans(id: Uint32Array, at: number): boolean {
    const { idRange } = this.data;
    return compare128(id, at, idRange, 4) <= 0 && compare128(id, at, idRange, 0) >= 0;
  }

  /** Returns whether ids from the one at `least` to the one at `greatest` may be here. */
  overlaps(ids: Uint32Array, least: number, greatest: number): boolean {
    const { idRange } = this.data;
    return compare128(ids, least, idRange, 4) <= 0 && compare128(ids, greatest, idRange, 0) >= 0;
  }

  /** Reads the filter's block of an id's hash, so that a later look-up does not wait for memory. The value means nothing. */
  touch(key: number): number {
    return touchFilter(this.data.filter, key);
  }

  /** Writes the rows whose ids have the hash to `rows`. Returns their number, 0 for almost every id that is not here. */
  rowsOf(key: number, lower: number, rows: Uint32Array): number {
    return mayContain(this.data.filter, key, lower) ? this.#ids.readIds(key, lower, rows) : 0;
  }
}

const withoutAnyPages = (data: SegmentData): SegmentData => ({
  ...data,
  ids: withoutPages(data.ids),
  fields: data.fields.map(withoutPages),
});
