/**
 * The record of one backup, written last: a state of the ledger, given by the rows of each table, and the chunks that hold
 * them. Its second line is the digest of its first. FORMAT.md, "Record".
 */
import { z } from 'zod';
import { decodeDigested, encodeDigested } from './digested-line.ts';
import { ArchiveError, damaged } from './errors.ts';
import { chunkKey } from './keys.ts';

export const RECORD_FORMAT = 1;
/** Maximum size of tables that are a few bytes instead of rows: the ledger's head, the number of its rules. */
export const INLINE_BYTES_MAX = 4096;

const count = z.number().int().nonnegative();
const hex = (bytes: number) => z.string().regex(new RegExp(`^[0-9a-f]{${bytes * 2}}$`));
const decimal = z.string().regex(/^\d{1,39}$/);

const chunkSchema = z.object({
  firstRow: count,
  rowCount: count.min(1),
  /** Bytes of the object. */
  storedBytes: count,
  /** Digest of the rows. */
  sha256: hex(32),
  /** Number of the object with these rows; above 0 if earlier ones were damaged. */
  copy: count,
  /** The object is encrypted. */
  sealed: z.literal(true).optional(),
  /** The object is locked until then, or for longer. */
  lockedUntil: z.iso.datetime().optional(),
});

const tableSchema = z.object({
  table: count,
  rowSize: count.min(1),
  rowCount: count,
  chunks: z.array(chunkSchema),
});

const inlineSchema = z.object({ table: count, rowSize: count.min(1), bytes: z.string().max(8192) });

const recordSchema = z.object({
  format: z.literal(RECORD_FORMAT),
  databaseId: z.string(),
  backupId: z.string(),
  clusterId: decimal,
  replicaIndex: count,
  replicaCount: count.min(1),
  /** Release of the engine that wrote the checkpoint. */
  release: z.string(),
  op: count,
  timestamp: decimal,
  view: count.max(0xffff_ffff),
  stateHash: hex(16),
  /** The backup was made encrypted: this record, and all of its chunks. */
  sealed: z.literal(true).optional(),
  /** All that the backup needs is locked until then, or for longer. */
  lockedUntil: z.iso.datetime().optional(),
  tables: z.array(tableSchema),
  inline: z.array(inlineSchema),
  startedAt: z.iso.datetime(),
  completedAt: z.iso.datetime(),
});

export type StoredChunk = z.infer<typeof chunkSchema>;
export type StoredTable = z.infer<typeof tableSchema>;
export type BackupRecord = z.infer<typeof recordSchema>;

export const encodeRecord = (record: BackupRecord) => encodeDigested(record);

/** Reads a record. Rejects a record that is damaged, cut, in a newer format or of another database. */
export function decodeRecord(
  key: string,
  bytes: Uint8Array,
  databaseId: string,
): { readonly record: BackupRecord; readonly sha256: string } {
  const { json, sha256 } = decodeDigested(key, bytes);
  const record = parseRecord(key, json, recordSchema, databaseId);
  checkRows(key, record);
  return { record, sha256 };
}

/** Throws ArchiveError that names the key unless it is a record of this format, of this database. */
export function parseRecord<Parsed extends { readonly databaseId: string }>(
  key: string,
  json: unknown,
  schema: z.ZodType<Parsed>,
  databaseId: string,
): Parsed {
  const { format } = json as { readonly format?: unknown };
  if (format !== RECORD_FORMAT) {
    throw new ArchiveError(
      'format_unknown',
      `${key} has format ${String(format)}, this release knows ${RECORD_FORMAT}. Use a newer release.`,
      { key },
    );
  }
  const parsed = schema.safeParse(json);
  if (!parsed.success) throw damaged(key, z.prettifyError(parsed.error));
  if (parsed.data.databaseId !== databaseId) {
    throw new ArchiveError(
      'archive_foreign',
      `${key} is a backup of ${parsed.data.databaseId}, not of ${databaseId}.`,
      { key },
    );
  }
  return parsed.data;
}

/** Each table is there once. Its chunks follow one another without a gap and hold all of its rows. */
function checkRows(key: string, { tables, inline }: BackupRecord): void {
  const named = new Set([...tables, ...inline].map(({ table }) => table));
  if (named.size < tables.length + inline.length) throw damaged(key, 'a table is there twice');
  for (const { table, rowCount, chunks } of tables) {
    let next = 0;
    for (const chunk of chunks) {
      if (chunk.firstRow !== next) throw damaged(key, `rows of table ${table} are missing`);
      next += chunk.rowCount;
    }
    if (next !== rowCount) throw damaged(key, `rows of table ${table} are missing`);
  }
}

export const storedBytes = ({ tables }: BackupRecord): number =>
  tables.reduce(
    (sum, { chunks }) => sum + chunks.reduce((all, one) => all + one.storedBytes, 0),
    0,
  );

export const plainBytes = ({ tables }: BackupRecord): number =>
  tables.reduce((sum, { rowSize, rowCount }) => sum + rowSize * rowCount, 0);

export interface NamedChunk {
  /** Key in the store. */
  readonly name: string;
  /** Bytes of the object. */
  readonly size: number;
}

/** The objects that a backup needs, besides its record. */
export const chunksOf = ({
  databaseId,
  tables,
}: Pick<BackupRecord, 'databaseId' | 'tables'>): readonly NamedChunk[] =>
  tables.flatMap(({ table, chunks }) =>
    chunks.map((chunk) => ({ name: chunkKey(databaseId, table, chunk), size: chunk.storedBytes })),
  );
