/** Rows that will become one segment: their index entries, and a hash table of their ids. */
import type { KeyedHash } from '../keyed-hash.ts';
import { Transfer } from '../layout.ts';
import type { SlotTable } from '../slot-table.ts';
import { compare128 } from '../words.ts';
import { Column, sharedWords } from './columns.ts';
import type { ChunkPart } from './field-cursor.ts';
import type { SealJob } from './seal.ts';
import type { ChunkPool, YoungChunk } from './young-rows.ts';

/** Most bytes that a row takes in a segment, filter and directories included. */
export const SEALED_ROW_BYTES = 46;

interface GenerationOptions {
  readonly firstRow: number;
  readonly chunkRows: number;
  /** Empty. Its values are row numbers + 1. */
  readonly ids: SlotTable;
  readonly pool: ChunkPool;
}

/** Rows as words, one of them at `at`. */
interface RowsAt {
  readonly words: Uint32Array;
  readonly at: number;
}

export class Generation {
  readonly firstRow: number;
  readonly ids: SlotTable;
  readonly chunks: YoungChunk[] = [];
  /** Rows before it have entries in all columns. */
  end: number;
  readonly #chunkRows: number;
  readonly #pool: ChunkPool;
  /** Least and greatest id of the rows before `end`. */
  readonly #idRange = sharedWords(8);

  constructor({ firstRow, chunkRows, ids, pool }: GenerationOptions) {
    this.firstRow = firstRow;
    this.end = firstRow;
    this.ids = ids;
    this.#pool = pool;
    this.#chunkRows = chunkRows;
  }

  addId(row: number, hash: number, lower: number): void {
    this.ids.insert(hash, row + 1);
    const at = row - this.firstRow;
    const index = Math.floor(at / this.#chunkRows);
    if (index === this.chunks.length) this.chunks.push(this.#pool.take());
    const chunk = this.chunks[index]!;
    const offset = at - index * this.#chunkRows;
    chunk.idKeys[offset] = hash;
    chunk.idLowers[offset] = lower;
  }

  removeId(row: number, hash: number): void {
    this.ids.remove(hash, row + 1);
  }

  /** Adds the fields of up to `count` rows after `end`, and their ids to the range. */
  add(from: RowsAt, count: number, hash: KeyedHash, ledgerOf: (account: number) => number): void {
    const at = this.end - this.firstRow;
    const index = Math.floor(at / this.#chunkRows);
    const offset = at - index * this.#chunkRows;
    const rows = Math.min(count, this.#chunkRows - offset);
    this.#widenRange(from, rows);
    fillFields(this.chunks[index]!, offset, from, rows, hash, ledgerOf);
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
      const id = at + i * Transfer.words;
      if (compare128(words, id, range, 4) > 0) range.set(words.subarray(id, id + 4), 4);
      else if (compare128(words, id, range, 0) < 0) range.set(words.subarray(id, id + 4));
    }
  }
}

/** Returns the key of a value of 64 bits: 0 for zero, otherwise a hash other than 0. */
export function keyOf64(hash: KeyedHash, words: Uint32Array, at: number): number {
  if ((words[at]! | words[at + 1]!) === 0) return 0;
  return hash.of(words, at, 2) >>> 0 || 1;
}

/** Same as `keyOf64` for 128 bits. */
export function keyOf128(hash: KeyedHash, words: Uint32Array, at: number): number {
  if ((words[at]! | words[at + 1]! | words[at + 2]! | words[at + 3]!) === 0) return 0;
  return hash.of128(words, at) >>> 0 || 1;
}

function fillFields(
  { fields }: YoungChunk,
  offset: number,
  { words, at }: RowsAt,
  count: number,
  hash: KeyedHash,
  ledgerOf: (account: number) => number,
): void {
  const debits = fields[Column.debitAccount]!;
  const credits = fields[Column.creditAccount]!;
  const ledgers = fields[Column.ledger]!;
  const codes = fields[Column.code]!;
  const data128 = fields[Column.userData128]!;
  const data64 = fields[Column.userData64]!;
  const data32 = fields[Column.userData32]!;
  for (let i = 0; i < count; i += 1) {
    const row = at + i * Transfer.words;
    const to = offset + i;
    const debit = words[row + Transfer.debitAccount]!;
    debits[to] = debit + 1;
    credits[to] = words[row + Transfer.creditAccount]! + 1;
    ledgers[to] = ledgerOf(debit);
    codes[to] = words[row + Transfer.codeFlags]! & 0xffff;
    data128[to] = keyOf128(hash, words, row + Transfer.userData128);
    data64[to] = keyOf64(hash, words, row + Transfer.userData64);
    data32[to] = words[row + Transfer.userData32]!;
  }
}
