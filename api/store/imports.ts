/** Imports as customers make and upload them. Callers emit the events. What the worker does with them: `import-work.ts`. */
import { sql, type Selectable } from 'kysely';
import { newTypeId, typeIdOfUuid } from '../../domain/type-id.ts';
import type { Actor } from '../model/actor.ts';
import {
  importDays,
  importsMax,
  type Import,
  type ImportFile,
  type ImportHead,
  type ImportStatus,
} from '../model/import.ts';
import type { RowsImport, RowsReport } from '../model/rows-import.ts';
import type { Change } from './change.ts';
import { typeIdOrNull, uuidOf } from './ids.ts';
import { lockOrganization } from './organizations.ts';
import { beyond, pageOf, type Page } from './page.ts';
import type { ImportsTable, Reader } from './tables.ts';

/** An import with its files, each with the numbers of the parts that are there, in their order. */
export interface ImportView {
  readonly made: Import;
  readonly files: readonly (ImportFile & { readonly parts: readonly number[] })[];
}

interface NewImport {
  readonly organizationId: string;
  readonly partSizeBytes: number;
  readonly clusterId: string | null;
  /** Null: data files. */
  readonly rows: RowsImport | null;
  readonly files: readonly {
    readonly replicaIndex: number;
    readonly sizeBytes: number;
    readonly head: ImportHead | null;
  }[];
  /** Maximum of all files of the organization's imports that are open, or not yet removed from the store. */
  readonly bytesMax: number;
}

/** Makes an import. `too_many`, `too_large`: the organization has the maximum of imports, or of bytes. */
export async function createImport(
  change: Change,
  { organizationId, files, bytesMax, rows, ...rest }: NewImport,
): Promise<ImportView | 'too_many' | 'too_large'> {
  // The lock makes the second of two concurrent calls wait until the first is counted.
  await lockOrganization(change, organizationId);
  const organization = uuidOf(organizationId);
  const counted = await change.db
    .selectFrom('imports')
    .innerJoin('importFiles', 'importFiles.importId', 'imports.id')
    .select(['imports.id', 'imports.endedAt', 'importFiles.sizeBytes'])
    .where('imports.organizationId', '=', organization)
    .where((where) =>
      where.or([
        where('imports.endedAt', 'is', null),
        // Over, and still in the store.
        where.and([
          where('imports.removeAt', 'is not', null),
          where('imports.removals', '=', 0),
          where.or([
            where('importFiles.uploadId', 'is not', null),
            where('importFiles.isWhole', '=', true),
          ]),
        ]),
      ]),
    )
    .execute();
  const open = counted.filter(({ endedAt }) => endedAt === null);
  if (new Set(open.map(({ id }) => id)).size >= importsMax) return 'too_many';
  const bytes = [...counted, ...files].reduce((sum, file) => sum + Number(file.sizeBytes), 0);
  if (bytes > bytesMax) return 'too_large';
  const id = uuidOf(newTypeId('imp'));
  const row = await change.db
    .insertInto('imports')
    .values({
      ...rest,
      id,
      organizationId: organization,
      status: 'UPLOADING',
      replicaCount: rows === null ? files.length : null,
      rows: rows === null ? null : JSON.stringify(rows),
      createdBy: JSON.stringify(change.author.actor),
      expiresAt: sql<Date>`clock_timestamp() + make_interval(days => ${importDays})`,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  const sorted = [...files].sort((a, b) => a.replicaIndex - b.replicaIndex);
  await change.db
    .insertInto('importFiles')
    .values(
      sorted.map(({ head, sizeBytes, replicaIndex }) => ({
        importId: id,
        replicaIndex,
        sizeBytes: String(sizeBytes),
        head: head === null ? null : JSON.stringify(head),
      })),
    )
    .execute();
  const fresh = { uploadId: null, isWhole: false, parts: [] };
  return { made: importOf(row), files: sorted.map((file) => ({ ...file, ...fresh })) };
}

/** Returns an import that was not deleted. `undefined`: the organization has no such import. */
export async function findImport(
  db: Reader,
  organizationId: string,
  id: string,
): Promise<ImportView | undefined> {
  const row = await db
    .selectFrom('imports')
    .selectAll()
    .where('id', '=', uuidOf(id))
    .where('organizationId', '=', uuidOf(organizationId))
    .where('status', '!=', 'DELETED')
    .executeTakeFirst();
  return row && (await viewsOf(db, [importOf(row)]))[0];
}

/** Whether this database, and no other one, can begin with the import. */
export async function isImportOf(
  db: Reader,
  organizationId: string,
  id: string,
  databaseId: string,
): Promise<boolean> {
  const found = await findImport(db, organizationId, id);
  return found?.made.status === 'READY' && found.made.databaseId === databaseId;
}

/** Lists imports that were not deleted, the newest first. */
export async function listImports(
  db: Reader,
  organizationId: string,
  page: { readonly limit: number; readonly position?: readonly [string, string] },
): Promise<Page<ImportView, [string, string]>> {
  let query = db
    .selectFrom('imports')
    .selectAll()
    .where('organizationId', '=', uuidOf(organizationId))
    .where('status', '!=', 'DELETED')
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(page.limit + 1);
  if (page.position !== undefined) {
    query = query.where(beyond(['createdAt', 'id'], '<', page.position));
  }
  const { rows, next } = pageOf(
    await query.execute(),
    page.limit,
    importOf,
    (row): [string, string] => [row.createdAt.toISOString(), row.id],
  );
  return { rows: await viewsOf(db, rows), next };
}

/** Locks an import until the commit, a deleted one too. */
export async function lockImport(change: Change, id: string): Promise<Import | undefined> {
  const row = await change.db
    .selectFrom('imports')
    .selectAll()
    .where('id', '=', uuidOf(id))
    .forUpdate()
    .executeTakeFirst();
  return row && importOf(row);
}

/** Records what the first bytes of a file say, unless that is known. */
export async function recordHead(
  db: Reader,
  importId: string,
  replicaIndex: number,
  head: ImportHead,
): Promise<void> {
  await db
    .updateTable('importFiles')
    .set({ head: JSON.stringify(head) })
    .where('importId', '=', uuidOf(importId))
    .where('replicaIndex', '=', replicaIndex)
    .where('head', 'is', null)
    .execute();
  await db
    .updateTable('imports')
    .set({ clusterId: head.clusterId })
    .where('id', '=', uuidOf(importId))
    .where('clusterId', 'is', null)
    .execute();
}

/** Records the multipart upload of a file, unless it has one. Returns the one that it has then. */
export async function recordUpload(
  db: Reader,
  importId: string,
  replicaIndex: number,
  uploadId: string,
): Promise<string> {
  const row = await db
    .updateTable('importFiles')
    .set({ uploadId: sql<string>`coalesce(upload_id, ${uploadId})` })
    .where('importId', '=', uuidOf(importId))
    .where('replicaIndex', '=', replicaIndex)
    .returning('uploadId')
    .executeTakeFirstOrThrow();
  return row.uploadId ?? uploadId;
}

/** Forgets an upload that the store no longer has, with its parts. */
export async function forgetUpload(
  db: Reader,
  importId: string,
  replicaIndex: number,
  uploadId: string,
): Promise<void> {
  await sql`
    WITH gone AS (
      UPDATE import_files SET upload_id = NULL
      WHERE import_id = ${uuidOf(importId)} AND replica_index = ${replicaIndex}
        AND upload_id = ${uploadId} AND NOT is_whole
      RETURNING import_id, replica_index
    )
    DELETE FROM import_parts USING gone
    WHERE import_parts.import_id = gone.import_id AND import_parts.replica_index = gone.replica_index
  `.execute(db);
}

/** Part of a file that the store has confirmed. */
interface StoredPart {
  readonly replicaIndex: number;
  readonly number: number;
  readonly sha256: Buffer;
}

/**
 * Records a part. False: the import takes none any more, or the file has another upload than the one that the part went to. The lock
 * makes a deletion wait, or lets this see it.
 */
export async function recordPart(
  db: Reader,
  importId: string,
  uploadId: string,
  { replicaIndex, number, sha256 }: StoredPart,
): Promise<boolean> {
  const { rows } = await sql<{ open: boolean }>`
    WITH open AS (
      SELECT import_files.import_id FROM imports JOIN import_files ON import_files.import_id = imports.id
      WHERE imports.id = ${uuidOf(importId)} AND imports.status = 'UPLOADING'
        AND replica_index = ${replicaIndex} AND upload_id = ${uploadId}
      FOR SHARE
    ), part AS (
      INSERT INTO import_parts (import_id, replica_index, number, sha256)
      SELECT import_id, ${replicaIndex}::integer, ${number}::integer, ${sha256}::bytea FROM open
      ON CONFLICT DO NOTHING
    )
    SELECT EXISTS (SELECT FROM open) AS open
  `.execute(db);
  return rows[0]?.open === true;
}

/** The digests of a file's parts, by number. */
export async function partDigests(
  db: Reader,
  importId: string,
  replicaIndex: number,
): Promise<ReadonlyMap<number, Buffer>> {
  const rows = await db
    .selectFrom('importParts')
    .select(['number', 'sha256'])
    .where('importId', '=', uuidOf(importId))
    .where('replicaIndex', '=', replicaIndex)
    .orderBy('number')
    .execute();
  return new Map(rows.map(({ number, sha256 }) => [number, sha256]));
}

/** Digest of one part; `undefined`: it is not there. */
export async function partDigest(
  db: Reader,
  importId: string,
  replicaIndex: number,
  number: number,
): Promise<Buffer | undefined> {
  const row = await db
    .selectFrom('importParts')
    .select('sha256')
    .where('importId', '=', uuidOf(importId))
    .where('replicaIndex', '=', replicaIndex)
    .where('number', '=', number)
    .executeTakeFirst();
  return row?.sha256;
}

/** Forgets parts that the store has not as they were recorded. Of a file that is whole, another request has joined them. */
export async function forgetParts(
  db: Reader,
  importId: string,
  replicaIndex: number,
  numbers: readonly number[],
): Promise<void> {
  await sql`
    WITH file AS (
      SELECT import_id, replica_index FROM import_files
      WHERE import_id = ${uuidOf(importId)} AND replica_index = ${replicaIndex} AND NOT is_whole
      FOR UPDATE
    )
    DELETE FROM import_parts USING file
    WHERE import_parts.import_id = file.import_id AND import_parts.replica_index = file.replica_index
      AND number = ANY(${numbers}::integer[])
  `.execute(db);
}

/** Records that a file is one object, and of which parts: another request may have missed and forgotten them meanwhile. */
export async function markWhole(
  db: Reader,
  importId: string,
  replicaIndex: number,
  parts: ReadonlyMap<number, Buffer>,
): Promise<void> {
  await sql`
    WITH file AS (
      UPDATE import_files SET is_whole = true
      WHERE import_id = ${uuidOf(importId)} AND replica_index = ${replicaIndex}
      RETURNING import_id, replica_index
    )
    INSERT INTO import_parts (import_id, replica_index, number, sha256)
    SELECT import_id, replica_index, number, sha256
    FROM file, unnest(${[...parts.keys()]}::integer[], ${[...parts.values()]}::bytea[]) AS part (number, sha256)
    ON CONFLICT DO NOTHING
  `.execute(db);
}

/** Changes an import that is locked. */
export async function updateImport(
  change: Change,
  id: string,
  patch: {
    readonly status?: 'CHECKING' | 'READY';
    readonly databaseId?: string;
    readonly rows?: RowsImport;
    readonly report?: RowsReport;
  },
): Promise<Import> {
  const { status, databaseId, rows, report } = patch;
  const row = await change.db
    .updateTable('imports')
    .set({
      ...(status !== undefined && { status }),
      ...(databaseId !== undefined && { databaseId: uuidOf(databaseId) }),
      ...(rows !== undefined && { rows: JSON.stringify(rows) }),
      ...(report !== undefined && { report: JSON.stringify(report) }),
    })
    .where('id', '=', uuidOf(id))
    .returningAll()
    .executeTakeFirstOrThrow();
  return importOf(row);
}

/** Ends an import that is locked; what is in the store is removed from now on. */
export async function endImport(
  change: Change,
  id: string,
  status: 'FAULTY' | 'USED' | 'EXPIRED' | 'DELETED',
): Promise<Import> {
  const row = await change.db
    .updateTable('imports')
    .set({
      status,
      endedAt: sql<Date>`coalesce(ended_at, clock_timestamp())`,
      removeAt: sql<Date>`coalesce(remove_at, clock_timestamp())`,
    })
    .where('id', '=', uuidOf(id))
    .returningAll()
    .executeTakeFirstOrThrow();
  return importOf(row);
}

async function viewsOf(db: Reader, all: readonly Import[]): Promise<readonly ImportView[]> {
  if (all.length === 0) return [];
  const rows = await db
    .selectFrom('importFiles')
    .selectAll()
    .select((of) =>
      of
        .selectFrom('importParts')
        .whereRef('importParts.importId', '=', 'importFiles.importId')
        .whereRef('importParts.replicaIndex', '=', 'importFiles.replicaIndex')
        .select(sql<number[] | null>`array_agg(number ORDER BY number)`.as('numbers'))
        .as('parts'),
    )
    .where(
      'importId',
      'in',
      all.map(({ id }) => uuidOf(id)),
    )
    .orderBy('replicaIndex')
    .execute();
  return all.map((made) => ({
    made,
    files: rows
      .filter(({ importId }) => typeIdOfUuid('imp', importId) === made.id)
      .map(({ replicaIndex, sizeBytes, head, uploadId, isWhole, parts }) => ({
        replicaIndex,
        sizeBytes: Number(sizeBytes),
        head: head as ImportHead | null,
        uploadId,
        isWhole,
        parts: parts ?? [],
      })),
  }));
}

export const importOf = (row: Selectable<ImportsTable>): Import => ({
  id: typeIdOfUuid('imp', row.id),
  organizationId: typeIdOfUuid('org', row.organizationId),
  status: row.status as ImportStatus,
  clusterId: row.clusterId,
  replicaCount: row.replicaCount,
  rows: row.rows as RowsImport | null,
  report: row.report as RowsReport | null,
  partSizeBytes: row.partSizeBytes,
  databaseId: typeIdOrNull('db', row.databaseId),
  createdBy: row.createdBy as Actor,
  createdAt: row.createdAt,
  expiresAt: row.expiresAt,
});
