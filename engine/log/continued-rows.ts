/**
 * Whether the rows of a checkpoint are the first rows of another one in the same file. If they are, what was derived from them (the index and
 * start points) is true of the other one, too.
 */
import { PageTableId } from '../ledger/layout.ts';
import { PAGE_BYTES } from '../ledger/page.ts';
import { PAUSE_TABLE, RULES_TABLE, SESSIONS_TABLE } from './layout.ts';
import {
  type Piece,
  readPiece,
  sectionBytes,
  sectionChunks,
  type StoredSection,
} from './manifest.ts';
import type { ReadableFile } from './storage.ts';

interface InFile {
  readonly file: ReadableFile;
  readonly key: Uint8Array;
}

interface Tables {
  /** Sections without derived tables, by table. Each table has one. */
  readonly byTable: ReadonlyMap<number, StoredSection>;
}

const ACCOUNTS_TABLE = 1;
const HEAD_TABLE = 6;

/** Table of the rows that fill no page yet, by the table of pages. */
const rowTables = new Map([
  [PageTableId.transfers, 2],
  [PageTableId.wides, 3],
  [PageTableId.expiries, 4],
  [PageTableId.burnedIds, 5],
]);

/** Tables of which it is known what is derived from them. */
const knownTables: ReadonlySet<number> = new Set<number>([
  ACCOUNTS_TABLE,
  HEAD_TABLE,
  ...[...rowTables].flat(),
  SESSIONS_TABLE,
  RULES_TABLE,
  PAUSE_TABLE,
]);

/** Sections must not have derived tables. Rejects with DataFileError for a damaged piece. */
export async function areContinued(
  where: InFile,
  before: readonly StoredSection[],
  after: readonly StoredSection[],
): Promise<boolean> {
  const [from, to] = [tablesOf(before), tablesOf(after)];
  if (from === undefined || to === undefined) return false;
  for (const [pageTable, rowTable] of rowTables) {
    if (!pagesStay(from.byTable.get(pageTable), to.byTable.get(pageTable))) return false;
    if (!(await rowsStay(where, { from, to, pageTable, rowTable }))) return false;
  }
  return accountsStay(where, from.byTable.get(ACCOUNTS_TABLE), to.byTable.get(ACCOUNTS_TABLE));
}

function tablesOf(sections: readonly StoredSection[]): Tables | undefined {
  const byTable = new Map(sections.map((section) => [section.table, section]));
  const areKnown = sections.every(({ table }) => knownTables.has(table));
  return areKnown && byTable.size === sections.length ? { byTable } : undefined;
}

/** Pages that are the same have stayed in their pieces. */
function pagesStay(from: StoredSection | undefined, to: StoredSection | undefined): boolean {
  const pieces = to?.pieces ?? [];
  return (from?.pieces ?? []).every((piece, index) => piece === pieces[index]);
}

async function rowsStay(
  where: InFile,
  {
    from,
    to,
    pageTable,
    rowTable,
  }: {
    readonly from: Tables;
    readonly to: Tables;
    readonly pageTable: number;
    readonly rowTable: number;
  },
): Promise<boolean> {
  const section = from.byTable.get(rowTable);
  if (section === undefined || section.rowCount === 0) return true;
  const rows = await bytesOf(where, section, sectionBytes(section));
  // Less than a page.
  if (rows === undefined || rows.length > PAGE_BYTES) return false;
  const page = from.byTable.get(pageTable)?.rowCount ?? 0;
  const pages = to.byTable.get(pageTable);
  const now =
    page < (pages?.rowCount ?? 0)
      ? await pageOf(where, pages!, page)
      : await bytesOf(where, to.byTable.get(rowTable), rows.length);
  return now !== undefined && Buffer.compare(rows, now.subarray(0, rows.length)) === 0;
}

async function accountsStay(
  { file, key }: InFile,
  from: StoredSection | undefined,
  to: StoredSection | undefined,
): Promise<boolean> {
  if (from === undefined) return true;
  if (to === undefined) return false;
  const chunks = sectionChunks(file, key, to)[Symbol.asyncIterator]();
  let rest: Uint8Array = new Uint8Array(0);
  for await (const chunk of sectionChunks(file, key, from)) {
    for (let at = 0; at < chunk.length;) {
      if (rest.length === 0) {
        const { value, done } = await chunks.next();
        if (done === true) return false;
        rest = value;
      }
      const count = Math.min(rest.length, chunk.length - at);
      const [one, other] = [chunk.subarray(at, at + count), rest.subarray(0, count)];
      if (Buffer.compare(one, other) !== 0) return false;
      rest = rest.subarray(count);
      at += count;
    }
  }
  return true;
}

/** Returns at least the first `least` bytes of a section, or `undefined` if it has fewer. */
async function bytesOf(
  { file, key }: InFile,
  section: StoredSection | undefined,
  least: number,
): Promise<Uint8Array | undefined> {
  if (section === undefined) return undefined;
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of sectionChunks(file, key, section)) {
    parts.push(chunk);
    bytes += chunk.length;
    if (bytes >= least) return Buffer.concat(parts);
  }
  return undefined;
}

async function pageOf(
  { file, key }: InFile,
  { pieces }: StoredSection,
  page: number,
): Promise<Uint8Array> {
  let before = 0;
  const holds = (piece: Piece): boolean => {
    const isHere = before + piece.size > page * PAGE_BYTES;
    if (!isHere) before += piece.size;
    return isHere;
  };
  const piece = pieces.find(holds)!;
  const at = page * PAGE_BYTES - before;
  return (await readPiece(file, key, piece)).subarray(at, at + PAGE_BYTES);
}
