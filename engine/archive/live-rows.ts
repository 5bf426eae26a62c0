/**
 * Rows of a data file that an engine may be writing meanwhile. Rows never change and never move within their table, so rows up
 * to a checkpoint can be read from any later one: if the engine has reused a piece's place, its seal does not fit, and the rows
 * are read from the newest checkpoint. The engine need not know of the reader.
 *
 * A reader gets rows, whether they stand in pages or not: a backup does not depend on how a data file cuts them.
 */
import { assert } from '../../base/assert.ts';
import { isDerived, SectionKind } from '../ledger/checkpoint.ts';
import { ROW_BYTES, ROWS_OF_PAGES } from '../ledger/checkpoint-tables.ts';
import { PAGE_BYTES, rowsPerPage } from '../ledger/page.ts';
import { DataFileError } from '../log/errors.ts';
import { isOfClients } from '../log/layout.ts';
import { readManifest, readPiece, type Piece, type StoredSection } from '../log/manifest.ts';
import type { StorageFile } from '../log/storage.ts';
import { readSuperblock, type Superblock } from '../log/superblock.ts';
import { ArchiveError } from './errors.ts';
import { INLINE_BYTES_MAX } from './record.ts';

/** Tables below this number have a row for each event; each checkpoint replaces the others. */
const FIRST_INLINE_TABLE = 6;

interface Table {
  readonly table: number;
  readonly rowSize: number;
  readonly rowCount: number;
  /** The rows from `firstRow` on. */
  readonly pieces: readonly Piece[];
  readonly firstRow: number;
  /** Pages with the rows before `firstRow`. */
  readonly pages: readonly Piece[];
}

interface Checkpoint {
  readonly superblock: Superblock;
  readonly tables: ReadonlyMap<number, Table>;
}

interface InlineTable {
  readonly table: number;
  readonly rowSize: number;
  readonly bytes: Uint8Array;
}

export class LiveRows {
  readonly #file: StorageFile;
  #newest: Checkpoint;
  /** The newest checkpoint when reading began: the state that a reader gets. */
  readonly superblock: Superblock;
  /** Its tables of rows. */
  readonly tables: readonly Pick<Table, 'table' | 'rowSize' | 'rowCount'>[];
  /** Its small tables, which each checkpoint replaces; they were read at the beginning. */
  readonly inline: readonly InlineTable[];
  #last: { readonly piece: Piece; readonly bytes: Uint8Array } | undefined;

  private constructor(file: StorageFile, first: Checkpoint, inline: readonly InlineTable[]) {
    this.#file = file;
    this.#newest = first;
    this.superblock = first.superblock;
    this.tables = [...first.tables.values()].filter(({ table }) => !isInline(inline, table));
    this.inline = inline;
  }

  static async open(file: StorageFile): Promise<LiveRows> {
    let before = -1;
    for (;;) {
      const superblock = await readSuperblock(file);
      try {
        const first = await readCheckpoint(file, superblock);
        return new LiveRows(file, first, await readInline(file, first));
      } catch (error) {
        // Damage that no later checkpoint explains is real damage.
        if (!isDamage(error) || superblock.sequence === before) throw error;
        before = superblock.sequence;
      }
    }
  }

  /** Returns rows of a table as of the checkpoint that was the newest when reading began. */
  async read(table: number, firstRow: number, rowCount: number): Promise<Uint8Array> {
    for (;;) {
      const { superblock, tables } = this.#newest;
      const found = tables.get(table);
      try {
        assert(found !== undefined && found.rowCount >= firstRow + rowCount, 'rows never vanish');
        return await this.#readRows(superblock, found, firstRow, rowCount);
      } catch (error) {
        if (!isDamage(error)) throw error;
        const newer = await LiveRows.open(this.#file);
        if (newer.superblock.sequence === superblock.sequence) throw error;
        this.#newest = newer.#newest;
      }
    }
  }

  async #readRows(
    { key }: Superblock,
    { rowSize, pieces, pages, firstRow: pagedRows }: Table,
    firstRow: number,
    rowCount: number,
  ): Promise<Uint8Array> {
    const end = firstRow + rowCount;
    const paged = Math.max(0, Math.min(end, pagedRows) - firstRow);
    const from = Math.max(0, firstRow - pagedRows) * rowSize;
    const parts = [
      await this.#readPaged(key, pages, { rowSize, firstRow, rowCount: paged }),
      await this.#readBytes(key, pieces, from, (rowCount - paged) * rowSize),
    ];
    return Buffer.concat(parts);
  }

  /** Reads rows that stand in pages. */
  async #readPaged(
    key: Uint8Array,
    pages: readonly Piece[],
    { rowSize, firstRow, rowCount }: Pick<Table, 'rowSize' | 'firstRow' | 'rowCount'>,
  ): Promise<Uint8Array> {
    const perPage = rowsPerPage(rowSize / 4);
    const rows = new Uint8Array(rowSize * rowCount);
    if (rowCount === 0) return rows;
    const firstPage = Math.floor(firstRow / perPage);
    const pageCount = Math.ceil((firstRow + rowCount) / perPage) - firstPage;
    const bytes = await this.#readBytes(key, pages, firstPage * PAGE_BYTES, pageCount * PAGE_BYTES);
    for (let row = firstRow; row < firstRow + rowCount;) {
      const page = Math.floor(row / perPage);
      const count = Math.min((page + 1) * perPage, firstRow + rowCount) - row;
      const at = (page - firstPage) * PAGE_BYTES + (row - page * perPage) * rowSize;
      rows.set(bytes.subarray(at, at + count * rowSize), (row - firstRow) * rowSize);
      row += count;
    }
    return rows;
  }

  async #readBytes(
    key: Uint8Array,
    pieces: readonly Piece[],
    from: number,
    length: number,
  ): Promise<Uint8Array> {
    const all = new Uint8Array(length);
    let at = 0;
    for (const piece of pieces) {
      const start = Math.max(from, at);
      const end = Math.min(from + length, at + piece.size);
      if (start < end) {
        const bytes = await this.#readPiece(key, piece);
        all.set(bytes.subarray(start - at, end - at), start - from);
      }
      at += piece.size;
    }
    return all;
  }

  /** Neighbouring reads share a piece. */
  async #readPiece(key: Uint8Array, piece: Piece): Promise<Uint8Array> {
    if (this.#last?.piece !== piece) {
      this.#last = { piece, bytes: await readPiece(this.#file, key, piece) };
    }
    return this.#last.bytes;
  }
}

const isDamage = (error: unknown): boolean =>
  error instanceof DataFileError && error.code === 'checkpoint_corrupt';

const isInline = (inline: readonly InlineTable[], table: number): boolean =>
  inline.some((one) => one.table === table);

async function readCheckpoint(file: StorageFile, superblock: Superblock): Promise<Checkpoint> {
  const stored = new Map<number, Table>();
  for (const section of await readManifest(file, superblock)) {
    const { table, rowSize } = section;
    if (isOfClients(table) || isDerived(table)) continue;
    const before = section.kind === SectionKind.replace ? undefined : stored.get(table);
    if (!continues(before, section)) {
      throw new ArchiveError(
        'checkpoint_unsupported',
        `Table ${table} of the data file is not append-only, which this release cannot back up. Use the release of the engine that wrote it.`,
      );
    }
    const firstRow = before?.firstRow ?? section.firstRow;
    const rowCount = section.firstRow + section.rowCount;
    const pieces = [...(before?.pieces ?? []), ...section.pieces];
    stored.set(table, { table, rowSize, rowCount, pieces, firstRow, pages: [] });
  }
  return { superblock, tables: joinPages(stored) };
}

/** Puts pages before the rows that follow them. */
function joinPages(stored: Map<number, Table>): ReadonlyMap<number, Table> {
  for (const [pageTable, table] of ROWS_OF_PAGES) {
    const pages = stored.get(pageTable);
    const rows = stored.get(table);
    const rowSize = ROW_BYTES.get(table)!;
    const firstRow = (pages?.rowCount ?? 0) * rowsPerPage(rowSize / 4);
    if (rows !== undefined && rows.firstRow !== firstRow)
      throw new ArchiveError(
        'checkpoint_unsupported',
        `Rows of table ${table} are missing before row ${rows.firstRow}, which this release cannot back up. Use the release of the engine that wrote it.`,
      );
    if (pages === undefined) continue;
    stored.delete(pageTable);
    const { rowCount, pieces } = rows ?? { rowCount: firstRow, pieces: [] };
    stored.set(table, { table, rowSize, rowCount, pieces, firstRow, pages: pages.pieces });
  }
  return stored;
}

function continues(before: Table | undefined, section: StoredSection): boolean {
  if (section.kind === SectionKind.replace) return true;
  if (section.kind !== SectionKind.append) return false;
  const sameSize = before === undefined || before.rowSize === section.rowSize;
  return sameSize && section.firstRow === (before?.rowCount ?? 0);
}

/** Tables without rows of events: they have a single row, or rows of one byte. */
async function readInline(
  file: StorageFile,
  { superblock, tables }: Checkpoint,
): Promise<readonly InlineTable[]> {
  const inline: InlineTable[] = [];
  for (const { table, rowSize, rowCount, pieces } of tables.values()) {
    if (table < FIRST_INLINE_TABLE || rowSize * rowCount > INLINE_BYTES_MAX) continue;
    const parts = [];
    for (const piece of pieces) parts.push(await readPiece(file, superblock.key, piece));
    inline.push({ table, rowSize, bytes: Buffer.concat(parts) });
  }
  return inline;
}
