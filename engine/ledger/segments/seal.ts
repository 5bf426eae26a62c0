/** Sealing: young rows become a segment. It is pure and can pause, so that it runs in any thread, at once or in slices. */
import { COLUMNS, type ColumnPages, type SegmentData } from './columns.ts';
import { addToFilter, newFilter } from './id-filter.ts';
import { FieldWriter, IdWriter, type PagesOf } from './page-writer.ts';
import { type Entries, newEntries, sortEntries } from './sort.ts';
import type { ChunkColumns } from './young-rows.ts';

/** Entries between two pauses. */
export const ENTRIES_A_SLICE = 8192;

export interface SealJob extends PagesOf {
  readonly kind: 'seal';
  readonly chunkRows: number;
  readonly chunks: readonly ChunkColumns[];
  /** Least and greatest id of the rows. */
  readonly idRange: Uint32Array;
}

/** Returns the segment. Yields the number of entries handled since the last pause. */
export function* sealRows(job: SealJob): Generator<number, SegmentData> {
  const entries = newEntries(job.endRow - job.firstRow);
  const { ids, filter } = yield* sealIds(job, entries);
  const fields: ColumnPages[] = [];
  for (let column = 0; column < COLUMNS; column += 1)
    fields.push(yield* sealField(job, entries, column));
  const { pageBytes, firstRow, endRow, idRange } = job;
  return { pageBytes, firstRow, endRow, idRange, ids, filter, fields };
}

function* sealIds(
  job: SealJob,
  entries: Entries,
): Generator<number, { readonly ids: ColumnPages; readonly filter: Uint32Array }> {
  const count = gather(job, entries, ({ idKeys }) => idKeys, false);
  yield* sortEntries(entries, count);
  const lowers = lowersOf(job, entries, count);
  const filter = newFilter(count);
  const writer = new IdWriter(job);
  for (let from = 0; from < count; from += ENTRIES_A_SLICE) {
    const end = Math.min(count, from + ENTRIES_A_SLICE);
    for (let i = from; i < end; i += 1) {
      const key = entries.keys[i]!;
      writer.add(key, lowers[i]!, entries.rows[i]!);
      addToFilter(filter, key, lowers[i]!);
    }
    yield end - from;
  }
  return { ids: writer.finish(), filter };
}

/** Returns the lower bits of the ids' hashes in the order of the entries, after entries with equal keys are put in their order. */
function lowersOf(
  { chunks, chunkRows, firstRow }: SealJob,
  { keys, rows }: Entries,
  count: number,
): Uint16Array {
  const lowers = new Uint16Array(count);
  for (let i = 0; i < count; i += 1) {
    const at = rows[i]! - firstRow;
    const lower = chunks[Math.floor(at / chunkRows)]!.idLowers[at % chunkRows]!;
    let to = i;
    for (; to > 0 && keys[to - 1] === keys[i] && lowers[to - 1]! > lower; to -= 1) {
      lowers[to] = lowers[to - 1]!;
      rows[to] = rows[to - 1]!;
    }
    lowers[to] = lower;
    rows[to] = firstRow + at;
  }
  return lowers;
}

function* sealField(
  job: SealJob,
  entries: Entries,
  column: number,
): Generator<number, ColumnPages> {
  const count = gather(job, entries, ({ fields }) => fields[column]!, true);
  yield* sortEntries(entries, count);
  const writer = new FieldWriter(job);
  for (let from = 0; from < count; from += ENTRIES_A_SLICE) {
    const end = Math.min(count, from + ENTRIES_A_SLICE);
    for (let i = from; i < end; i += 1) writer.add(entries.keys[i]!, entries.rows[i]!);
    yield end - from;
  }
  return writer.finish();
}

/** Copies a column's keys with their rows. Returns their number. */
function gather(
  { chunks, chunkRows, firstRow, endRow }: SealJob,
  { keys, rows }: Entries,
  columnOf: (chunk: ChunkColumns) => Uint32Array,
  skipsZero: boolean,
): number {
  let count = 0;
  for (const [index, chunk] of chunks.entries()) {
    const from = columnOf(chunk);
    const first = firstRow + index * chunkRows;
    const inChunk = Math.min(chunkRows, endRow - first);
    for (let i = 0; i < inChunk; i += 1) {
      const key = from[i]!;
      keys[count] = key;
      rows[count] = first + i;
      if (key !== 0 || !skipsZero) count += 1;
    }
  }
  return count;
}
