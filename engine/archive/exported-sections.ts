/**
 * Checks the sections of an exported ledger. The seals of a file prove that its bytes are unchanged; they do not prove who
 * wrote them, because their key is in the file. The checks here find every file that would give an empty or partial ledger.
 */
import { SectionKind } from '../ledger/checkpoint.ts';
import { readLedgerHead, ROW_BYTES, ROWS_OF_PAGES, TableId } from '../ledger/checkpoint-tables.ts';
import { rowsPerPage } from '../ledger/page.ts';
import type { ReadableCheckpoint } from '../log/export.ts';
import { PIECE_SIZE_MAX, roundUp, RULES_TABLE } from '../log/layout.ts';
import { readPiece, sectionBytes, type StoredSection } from '../log/manifest.ts';

const EXPORTED_ROWS = new Map([...ROW_BYTES, [RULES_TABLE, 1]]);
const RULES_BYTES = 4;

/** Returns the fault of a checkpoint that should be an exported file's, or `undefined`. Rejects if its marks cannot be read. */
export async function exportFault(checkpoint: ReadableCheckpoint): Promise<string | undefined> {
  const { sections, superblock } = checkpoint;
  const { offset, size } = superblock.manifest;
  const rows = rowsInPages(sections);
  let end = offset + roundUp(size);
  for (const section of sections) {
    const { table, rowSize, firstRow, rowCount, kind, pieces } = section;
    if (EXPORTED_ROWS.get(table) !== rowSize)
      return `table ${table} with rows of ${rowSize} bytes is none of the ledger's`;
    const before = rows.get(table) ?? 0;
    if (kind === SectionKind.update || firstRow !== before)
      return `rows of table ${table} are missing after the first ${before}`;
    rows.set(table, before + rowCount);
    if (!holdsItsRows(section)) return `the pieces of table ${table} do not hold its rows`;
    // The pieces of an export follow one another. No piece is copied twice, so that the copy is no larger than the file.
    for (const piece of pieces) {
      if (piece.offset < end)
        return `the piece at byte ${piece.offset} is not after the one before it`;
      end = piece.offset + roundUp(piece.size);
    }
  }
  if ((rows.get(RULES_TABLE) ?? RULES_BYTES) !== RULES_BYTES)
    return 'its rules are of another size';
  return marksFault(checkpoint);
}

/** Returns the number of rows that pages hold, by the table of the rows after them. */
function rowsInPages(sections: readonly StoredSection[]): Map<number, number> {
  const rows = new Map<number, number>();
  for (const { table, rowCount } of sections) {
    const rowTable = ROWS_OF_PAGES.get(table);
    if (rowTable === undefined) continue;
    const perPage = rowsPerPage((ROW_BYTES.get(rowTable) ?? 0) / 4);
    rows.set(rowTable, (rows.get(rowTable) ?? 0) + rowCount * perPage);
  }
  return rows;
}

function holdsItsRows(section: StoredSection): boolean {
  const { pieces } = section;
  const bytes = pieces.reduce((sum, { size }) => sum + size, 0);
  return (
    bytes === sectionBytes(section) &&
    pieces.every(({ size }) => size > 0 && size <= PIECE_SIZE_MAX)
  );
}

/** Every checkpoint of a ledger ends with marks that repeat its head. */
async function marksFault(checkpoint: ReadableCheckpoint): Promise<string | undefined> {
  const { file, sections, superblock } = checkpoint;
  const { key, position } = superblock;
  const marks = sections.filter(({ table }) => table === TableId.head);
  const [piece, ...more] = marks.flatMap(({ pieces }) => pieces);
  if (piece === undefined || more.length > 0 || piece.size !== ROW_BYTES.get(TableId.head))
    return 'the marks of the checkpoint are not in it, or more than once';
  const { stateHash, committed } = readLedgerHead(await readPiece(file, key, piece));
  if (Buffer.compare(stateHash, position.stateHash) !== 0)
    return 'the marks of the checkpoint have another state hash than the head';
  // Operations that change nothing in the ledger, such as the registration of a client, have later timestamps.
  if (committed > position.timestamp)
    return `the marks of the checkpoint are later (${committed}) than the head (${position.timestamp})`;
  return undefined;
}
