/** The records that have a key, in the runs of an index, and a cursor over them. */
import { type Cursor, END } from './cursor.ts';
import { type Chunk, ENTRIES, ENTRIES_MASK, ENTRIES_SHIFT } from './chunk-sort.ts';
import type { RowTable } from './row-table.ts';
import type { Run } from './run.ts';

/** A key in full, and its place in a row: runs hold only its hash. */
export interface RowKey {
  readonly rows: RowTable;
  readonly word: number;
  readonly key: Uint32Array;
}

/** Records of one run, in rising order, at the positions from `from` (inclusive) to `end` (exclusive). */
interface Segment {
  readonly chunks: readonly Chunk[];
  readonly offset: number;
  readonly from: number;
  readonly end: number;
}

export interface KeyRecords {
  /** Upper bound of the number of records; exact if the key has one word. */
  readonly count: number;
  cursor(isReversed: boolean): Cursor;
}

/** Segments of a key, the one with the oldest records first. */
export class Segments {
  readonly #segments: Segment[] = [];
  #count = 0;

  addRun(run: Run, key: number): void {
    const { chunks } = run;
    const from = run.lowerBound(key, run.from, run.end);
    if (from === run.end || run.keyAt(from) !== key) return;
    this.#add({ chunks, offset: ENTRIES, from, end: run.endOf(key, from) });
  }

  addTail(tail: Chunk, count: number, key: number): void {
    let found = 0;
    for (let i = 0; i < count; i += 1) if (tail[i] === key) found += 1;
    if (found === 0) return;
    const records = new Int32Array(found);
    for (let i = 0, to = 0; to < found; i += 1) {
      if (tail[i] !== key) continue;
      records[to] = tail[ENTRIES + i]!;
      to += 1;
    }
    this.#add({ chunks: [records], offset: 0, from: 0, end: found });
  }

  records(rowKey: RowKey | undefined): KeyRecords {
    return {
      count: this.#count,
      cursor: (isReversed) => {
        const order = isReversed ? this.#segments.toReversed() : this.#segments;
        return new RunCursor(order, { count: this.#count, isReversed, rowKey });
      },
    };
  }

  #add(segment: Segment): void {
    this.#segments.push(segment);
    this.#count += segment.end - segment.from;
  }
}

interface RunCursorOptions {
  readonly count: number;
  readonly isReversed: boolean;
  readonly rowKey: RowKey | undefined;
}

class RunCursor implements Cursor {
  readonly count: number;
  readonly #segments: readonly Segment[];
  readonly #isReversed: boolean;
  readonly #rowKey: RowKey | undefined;
  #index = -1;
  #segment: Segment = NONE;
  #position = 0;

  constructor(segments: readonly Segment[], { count, isReversed, rowKey }: RunCursorOptions) {
    this.#segments = segments;
    this.#isReversed = isReversed;
    this.#rowKey = rowKey;
    this.count = count;
    this.#nextSegment();
  }

  seek(target: number): number {
    while (this.#index < this.#segments.length) {
      if (this.#isReversed) this.#seekDown(target);
      else this.#seekUp(target);
      const { from, end } = this.#segment;
      if (this.#position < from || this.#position >= end) {
        this.#nextSegment();
        continue;
      }
      const record = this.#recordAt(this.#position);
      if (this.#rowKey === undefined || hasKey(this.#rowKey, record)) return record;
      this.#position += this.#isReversed ? -1 : 1;
    }
    return END;
  }

  #nextSegment(): void {
    this.#index += 1;
    this.#segment = this.#segments[this.#index] ?? NONE;
    this.#position = this.#isReversed ? this.#segment.end - 1 : this.#segment.from;
  }

  #recordAt(position: number): number {
    const { chunks, offset } = this.#segment;
    return chunks[position >>> ENTRIES_SHIFT]![(position & ENTRIES_MASK) + offset]!;
  }

  #seekUp(target: number): void {
    const { end } = this.#segment;
    let low = this.#position;
    // Gallop, because the next record is mostly near.
    let step = 1;
    let high = low;
    while (high < end && this.#recordAt(high) < target) {
      low = high + 1;
      high += step;
      step *= 2;
    }
    high = Math.min(high, end);
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#recordAt(middle) < target) low = middle + 1;
      else high = middle;
    }
    this.#position = low;
  }

  #seekDown(target: number): void {
    const before = this.#segment.from - 1;
    let high = this.#position;
    let step = 1;
    let low = high;
    while (low > before && this.#recordAt(low) > target) {
      high = low - 1;
      low -= step;
      step *= 2;
    }
    low = Math.max(low, before);
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#recordAt(middle) > target) high = middle - 1;
      else low = middle;
    }
    this.#position = low;
  }
}

const NONE: Segment = { chunks: [], offset: 0, from: 0, end: 0 };

/** Whether a row has the key. For a row that has left memory the answer is true: its reader compares it (ledger-read.ts). */
function hasKey({ rows, word, key }: RowKey, record: number): boolean {
  if (record < rows.coldEnd) return true;
  const row = rows.chunkOf(record);
  const offset = rows.offsetOf(record) + word;
  for (let i = 0; i < key.length; i += 1) if (row[offset + i] !== key[i]) return false;
  return true;
}
