/** Rows that will become one segment: their index entries, and a hash table of their ids. */
import type { SlotTable } from '../slot-table.ts';
import { compare128 } from '../words.ts';
import { sharedWords } from './columns.ts';
import type { ChunkPart } from './field-cursor.ts';
import type { IndexedRows, RowsAt } from './indexed-rows.ts';
import type { SealJob } from './seal.ts';
import type { ChunkPool, YoungChunk } from './young-rows.ts';

/** Most bytes that a row takes in a segment, filter and directories included. */
export const SEALED_ROW_BYTES = 49;

interface GenerationOptions {
  readonly firstRow: number;
  readonly chunkRows: number;
  /** Empty. Its values are row numbers + 1. Absent if somebody else finds the rows. */
  readonly ids: SlotTable | undefined;
  readonly pool: ChunkPool;
  readonly rows: IndexedRows;
}

export class Generation {
  readonly firstRow: number;
  readonly ids: SlotTable | undefined;
  readonly chunks: YoungChunk[] = [];
  /** Rows before it have entries in all columns. */
  end: number;
  readonly #chunkRows: number;
  readonly #pool: ChunkPool;
  readonly #rows: IndexedRows;
  /** Least and greatest id of the rows before `end`. */
  readonly #idRange = sharedWords(8);

  constructor({ firstRow, chunkRows, ids, pool, rows }: GenerationOptions) {
    this.firstRow = firstRow;
    this.end = firstRow;
    this.ids = ids;
    this.#pool = pool;
    this.#rows = rows;
    this.#chunkRows = chunkRows;
  }

  addId(row: number, hash: number, lower: number): void {
    this.ids?.insert(hash, row + 1);
    const at = row - this.firstRow;
    const index = Math.floor(at / this.#chunkRows);
    if (index === this.chunks.length) this.chunks.push(this.#pool.take());
    const chunk = this.chunks[index]!;
    const offset = at - index * this.#chunkRows;
    chunk.idKeys[offset] = hash;
    chunk.idLowers[offset] = lower;
  }

  removeId(row: number, hash: number): void {
    this.ids?.remove(hash, row + 1);
  }

  /** Adds the fields of up to `count` rows after `end`, and their ids to the range. */
  add(from: RowsAt, count: number): void {
    const at = this.end - this.firstRow;
    const index = Math.floor(at / this.#chunkRows);
    const offset = at - index * this.#chunkRows;
    const rows = Math.min(count, this.#chunkRows - offset);
    this.#widenRange(from, rows);
    this.#rows.fill(this.chunks[index]!.fields, offset, from, rows);
    this.end += rows;
  }

  parts(): ChunkPart[] {
    const parts: ChunkPart[] = [];
    for (const [index, chunk] of this.chunks.entries()) {
      const firstRow = this.firstRow + index * this.#chunkRows;
      const endRow = Math.min(this.end, firstRow + this.#chunkRows);
      if (endRow > firstRow)
        parts.push({ firstRow, endRow, chunk, isFull: endRow - firstRow === this.#chunkRows });
    }
    return parts;
  }

  sealJob(pageBytes: number): SealJob {
    return {
      kind: 'seal',
      pageBytes,
      firstRow: this.firstRow,
      endRow: this.end,
      idRange: this.#idRange,
      chunkRows: this.#chunkRows,
      chunks: this.chunks.map(({ idKeys, idLowers, fields }) => ({ idKeys, idLowers, fields })),
    };
  }

  #widenRange({ words, at }: RowsAt, count: number): void {
    const range = this.#idRange;
    if (this.end === this.firstRow) {
      range.set(words.subarray(at, at + 4));
      range.set(words.subarray(at, at + 4), 4);
    }
    for (let i = 0; i < count; i += 1) {
      const id = at + i * this.#rows.wordsPerRow;
      if (compare128(words, id, range, 4) > 0) range.set(words.subarray(id, id + 4), 4);
      else if (compare128(words, id, range, 0) < 0) range.set(words.subarray(id, id + 4));
    }
  }
}
