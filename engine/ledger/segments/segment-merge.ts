/**
 * A merge in progress: neighbouring segments become one, a column after another. Of segments that have left memory one column comes back at
 * a time, for the one job that needs it: they stay where they are. So a merge takes the room of its result and of that column.
 *
 * A *streamed* merge goes from the volume to the volume. Checkpoints write the columns of its result while others are made, and columns that
 * are durable leave memory. So it takes the room of one column, that of the ids, and of the filter. Its inputs answer until the result is
 * durable as a whole. Until then nothing names what is written of it as a segment, and it can be given up at any time. A process that begins
 * after a kill goes on with what checkpoints have (merge-progress.ts).
 */
import type { PageName } from '../page.ts';
import { compare128 } from '../words.ts';
import {
  type ColumnPages,
  COLUMNS,
  PAGE_BYTES,
  type SegmentData,
  withoutPages,
  withOwnPieces,
} from './columns.ts';
import { filterWords } from './id-filter.ts';
import type { MergedColumn, MergeJob } from './merge.ts';
import type { MergeProgress } from './merge-progress.ts';
import { rowBytesOf } from './page-writer.ts';
import { ReturningColumn } from './returning.ts';
import { Segment } from './segment.ts';

interface StreamedOptions {
  readonly isStreamed?: boolean;
  readonly progress?: MergeProgress;
}

export class SegmentMerge {
  /** The oldest first; each begins where the one before ends. */
  readonly segments: readonly Segment[];
  readonly isStreamed: boolean;
  /** What an earlier process has done of it. */
  readonly #progress: MergeProgress | undefined;
  /** Room that is reserved. */
  readonly bytes: number;
  /** Room that there was for merges when this one was begun. */
  readonly room: number;
  /** The job in progress. */
  job: MergeJob | undefined;
  /** Whether pages are on their way. */
  isBringing = false;
  /** Whether a checkpoint that is being written has the whole result: its inputs are not in that any more. */
  isEnding = false;
  /** The present column of each segment: in memory, or on its way there. */
  #inputs: readonly (ColumnPages | ReturningColumn)[] = [];
  #merged: readonly ColumnPages[] = [];
  /** If an earlier process has merged the ids, it is made of them at the end. */
  #filter: Uint32Array | undefined;

  constructor(
    segments: readonly Segment[],
    room: number,
    { isStreamed = false, progress }: StreamedOptions = {},
  ) {
    this.segments = segments;
    this.room = room;
    this.isStreamed = isStreamed;
    this.#progress = progress;
    this.#merged = progress?.columns ?? [];
    this.bytes = isStreamed
      ? streamedBytes(segments)
      : resultBytes(segments) + returningBytes(segments.filter(({ isCold }) => isCold));
    this.#beginColumn();
  }

  /** Whether any of the segments has left memory, or the ids that an earlier process has merged are read. */
  get readsVolume(): boolean {
    return this.segments.some(({ isCold }) => isCold) || this.#lacksFilterAlone;
  }

  get rows(): number {
    return rowsIn(this.segments);
  }

  /** Rows that were merged, if each column is an equal part of each row. */
  get rowsDone(): number {
    return Math.floor((this.rows * this.#merged.length) / (1 + COLUMNS));
  }

  /** Whether the next job may begin. That of a streamed merge waits until checkpoints have written enough of what is there. */
  get mayGoOn(): boolean {
    if (this.#isComplete) return false;
    if (!this.isStreamed) return true;
    const column = this.#lacksFilterAlone ? 0 : this.#merged.length;
    return this.#heldBytes + columnBytes(this.segments, column) <= largestColumn(this.segments);
  }

  /** The pages to be brought next; none if the next job can begin. */
  missing(): readonly PageName[] {
    for (const input of this.#inputs) {
      const pages = input instanceof ReturningColumn ? input.next() : [];
      if (pages.length > 0) return pages;
    }
    return [];
  }

  /** Takes a page that `missing` named. */
  put(name: PageName, words: Uint32Array): void {
    for (const input of this.#inputs)
      if (input instanceof ReturningColumn && input.table === name.table) input.put(name, words);
  }

  /** Begins the next job. */
  begin(): MergeJob {
    // The ids of the result are one input.
    const ranges: readonly Pick<SegmentData, 'firstRow' | 'endRow'>[] = this.#lacksFilterAlone
      ? [this.#data]
      : this.segments;
    const inputs = ranges.map(({ firstRow, endRow }, i) => {
      const input = this.#inputs[i]!;
      const column = input instanceof ReturningColumn ? input.column : input;
      return { firstRow, endRow, column };
    });
    const { pageBytes } = this.segments[0]!.data;
    const isOfIds = this.#merged.length === 0 || this.#lacksFilterAlone;
    return (this.job = { kind: 'merge', pageBytes, isOfIds, inputs });
  }

  /** Takes the result of the job. Returns the segment if that was the last one; none of a streamed merge, which ends with a checkpoint. */
  take({ column, filter }: MergedColumn): Segment | undefined {
    this.job = undefined;
    if (!this.#lacksFilterAlone) this.#merged = [...this.#merged, column];
    this.#filter ??= filter;
    this.#beginColumn();
    return this.#isComplete && !this.isStreamed ? new Segment(this.#data) : undefined;
  }

  /** What a checkpoint may write of a streamed merge's result; `undefined` while there is nothing. */
  get growing(): GrowingSegment | undefined {
    if (!this.isStreamed) return undefined;
    if (this.#progress === undefined && this.#merged.length === 0) return undefined;
    const { firstRow, endRow } = this.#data;
    const merge = this.#progress ?? this;
    return { firstRow, endRow, data: this.#data, merge, isComplete: this.#isComplete };
  }

  /** Call when the first so many pages of a streamed merge's result are durable: columns that are whole among them leave memory. */
  stored(pages: number): void {
    let end = 0;
    this.#merged = this.#merged.map((column) => {
      end += column.firstKeys.length;
      return end <= pages ? withoutPages(column) : column;
    });
  }

  /** Ends a streamed merge whose result is durable in a table. Returns the segment, which is on the volume. */
  end(table: number): Segment {
    const { ids, fields, ...rest } = this.#data;
    const segment = new Segment({
      ...rest,
      ids: withoutPages(ids),
      fields: fields.map(withoutPages),
    });
    segment.table = table;
    return segment;
  }

  get #isComplete(): boolean {
    return this.#merged.length === 1 + COLUMNS && this.#filter !== undefined;
  }

  /** Whether nothing is left to be made but the filter of ids that an earlier process has merged. */
  get #lacksFilterAlone(): boolean {
    return this.#merged.length === 1 + COLUMNS && this.#filter === undefined;
  }

  /** Bytes of the result that no checkpoint has. */
  get #heldBytes(): number {
    return this.#merged.reduce(
      (sum, { pieces }) => pieces.reduce((all, { byteLength }) => all + byteLength, sum),
      0,
    );
  }

  /** The result, with the columns that are merged. */
  get #data(): SegmentData {
    const [ids, ...fields] = this.#merged;
    const { pageBytes, firstRow } = this.segments[0]!.data;
    const { endRow } = this.segments.at(-1)!;
    const idRange = idRangeOf(this.segments);
    const filter = this.#filter ?? NOTHING;
    return { pageBytes, firstRow, endRow, idRange, ids: ids ?? NO_PAGES, filter, fields };
  }

  #beginColumn(): void {
    const at = this.#merged.length;
    if (this.#isComplete) this.#inputs = [];
    else if (this.#lacksFilterAlone)
      this.#inputs = [new ReturningColumn(this.#progress!.table, 0, this.#merged[0]!)];
    else
      this.#inputs = this.segments.map((segment) =>
        segment.isCold
          ? ReturningColumn.of(segment, at)
          : // The segment may leave memory meanwhile. What is held of it here is counted as one column.
            withOwnPieces(segment.columns[at]!.column, segment.data.pageBytes),
      );
  }
}

const NOTHING = new Uint32Array(0);
const NO_PAGES: ColumnPages = {
  pieces: [],
  firstPage: 0,
  firstKeys: NOTHING,
  firstRows: NOTHING,
};

/** Returns what is there of a merge that an earlier process has begun, and that waits. */
export const waitingOf = (segments: readonly Segment[], progress: MergeProgress): GrowingSegment =>
  new SegmentMerge(segments, 0, { isStreamed: true, progress }).growing!;

/** A segment that is being merged. Its data has the columns that are there; pages of those that checkpoints have may be gone. */
export interface GrowingSegment {
  readonly firstRow: number;
  readonly endRow: number;
  readonly data: SegmentData;
  /** Another merge of the same rows is another segment. */
  readonly merge: object;
  readonly isComplete: boolean;
}

/** Returns the most bytes that the result of a merge takes. */
export function resultBytes(segments: readonly Segment[]): number {
  const rows = rowsIn(segments);
  let bytes = filterWords(rows) * 4;
  for (const segment of segments) {
    const { data, bytes: held, isCold, columns } = segment;
    const away = isCold ? columns.reduce((sum, { pages }) => sum + pages, 0) * PAGE_BYTES : 0;
    const entries = columns.reduce((sum, { pages }) => sum + entriesIn(segment, pages), 0);
    bytes += held + away - data.filter.byteLength + longerBy(segment, rows) * entries;
  }
  return bytes;
}

/** Returns the bytes by which a number of a row may be longer among more rows. */
const longerBy = (segment: Segment, rows: number): number =>
  rowBytesOf(rows) - rowBytesOf(segment.rows);

/** Returns the most numbers of rows that stand as a whole in so many pages of a segment's column. */
function entriesIn({ data, rows }: Segment, pages: number): number {
  // A difference of one byte, and the row.
  const inPage = data.pageBytes / (1 + rowBytesOf(rows));
  return Math.min(rows, Math.ceil(pages * inPage));
}

const rowsIn = (segments: readonly Segment[]): number =>
  segments.reduce((sum, { rows }) => sum + rows, 0);

/** Returns the most bytes of these segments that are back in memory at a time while they are merged. */
export function returningBytes(segments: readonly Segment[]): number {
  const pages = Array.from({ length: 1 + COLUMNS }, (_, column) =>
    segments.reduce((sum, { columns }) => sum + columns[column]!.pages, 0),
  );
  return Math.max(...pages) * PAGE_BYTES;
}

/** Returns the most bytes that a streamed merge takes: its filter, what says where pages are, and the largest column, before and after. */
export function streamedBytes(segments: readonly Segment[]): number {
  const rows = rowsIn(segments);
  const pages = segments.reduce(
    (sum, { columns }) => columns.reduce((all, { pages: own }) => all + own, sum),
    0,
  );
  // Numbers of rows that are longer take more pages.
  const places = ((pages * 5) / 4) * 2 * 4;
  return filterWords(rows) * 4 + places + largestColumn(segments);
}

const largestColumn = (segments: readonly Segment[]): number =>
  Math.max(...Array.from({ length: 1 + COLUMNS }, (_, column) => columnBytes(segments, column)));

/** Returns the most bytes that a column takes while it is merged: that of the segments and that of the result. */
function columnBytes(segments: readonly Segment[], column: number): number {
  const rows = rowsIn(segments);
  return segments.reduce((sum, segment) => {
    const { pages } = segment.columns[column]!;
    return sum + 2 * pages * PAGE_BYTES + longerBy(segment, rows) * entriesIn(segment, pages);
  }, 0);
}

function idRangeOf(segments: readonly Segment[]): Uint32Array {
  const range = segments[0]!.data.idRange.slice();
  for (const { data } of segments) {
    if (compare128(data.idRange, 0, range, 0) < 0) range.set(data.idRange.subarray(0, 4));
    if (compare128(data.idRange, 4, range, 4) > 0) range.set(data.idRange.subarray(4), 4);
  }
  return range;
}
