/** A sealed part of the index, as look-ups see it. */
import { compare128 } from '../words.ts';
import type { SegmentData } from './columns.ts';
import { segmentBytes } from './columns.ts';
import { mayContain, touchFilter } from './id-filter.ts';
import { ColumnReader } from './page-reader.ts';

export class Segment {
  readonly data: SegmentData;
  readonly bytes: number;
  readonly firstRow: number;
  readonly endRow: number;
  readonly fields: readonly ColumnReader[];
  readonly #ids: ColumnReader;

  constructor(data: SegmentData) {
    this.data = data;
    this.bytes = segmentBytes(data);
    this.firstRow = data.firstRow;
    this.endRow = data.endRow;
    this.#ids = new ColumnReader(data, data.ids);
    this.fields = data.fields.map((column) => new ColumnReader(data, column));
  }

  get rows(): number {
    return this.endRow - this.firstRow;
  }

  /** Returns whether an id is between the least and the greatest. Ids that rise with time are in the range of one segment. */
  spans(id: Uint32Array, at: number): boolean {
    const { idRange } = this.data;
    return compare128(id, at, idRange, 4) <= 0 && compare128(id, at, idRange, 0) >= 0;
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
