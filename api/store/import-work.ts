/** Work on imports: those that a database began with, those that are over, and those to remove. */
import { sql } from 'kysely';
import { importResourceName } from '../../domain/names.ts';
import { typeIdOfUuid } from '../../domain/type-id.ts';
import type { RowsImport, UploadedRows } from '../model/rows-import.ts';
import { uuidOf } from './ids.ts';
import { sweepRows } from './sweeping.ts';
import type { Reader } from './tables.ts';

/** Imports of one look. */
const atOnce = 100;
/** Time for which no other worker removes files that a worker has taken; if that worker ends before, another one starts again. */
const leaseMinutes = 10;
/** Longer than a request with a part can go on after its import ended. */
const secondRemovalMinutes = 60;

/** Imports that are READY, whose database serves. */
export async function usedImports(db: Reader): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('imports')
    .innerJoin('databases', 'databases.id', 'imports.databaseId')
    .select('imports.id')
    .where('imports.status', '=', 'READY')
    .where('databases.readyAt', 'is not', null)
    .limit(atOnce)
    .execute();
  return rows.map(({ id }) => typeIdOfUuid('imp', id));
}

/** Imports whose time is over, or whose organization is purged, but those of which a database is being made. */
export async function overdueImports(db: Reader): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('imports')
    .innerJoin('organizations', 'organizations.id', 'imports.organizationId')
    .leftJoin('databases', 'databases.id', 'imports.databaseId')
    .select('imports.id')
    .where('imports.status', 'in', ['UPLOADING', 'CHECKING', 'READY'])
    .where((where) =>
      where.or([
        where('imports.expiresAt', '<', sql<Date>`clock_timestamp()`),
        where('organizations.purgedAt', 'is not', null),
      ]),
    )
    .where((where) =>
      where.or([
        where('databases.status', 'is', null),
        where('databases.status', '!=', 'PROVISIONING'),
      ]),
    )
    .orderBy('imports.expiresAt')
    .limit(atOnce)
    .execute();
  return rows.map(({ id }) => typeIdOfUuid('imp', id));
}

/** An import whose rows are to be tried. */
export interface CheckingImport {
  readonly id: string;
  readonly organizationId: string;
  /** Namespace of its organization. */
  readonly namespace: string;
  readonly uploaded: UploadedRows;
  readonly sizeBytes: number;
}

/** Imports whose rows are being tried, or are to be. */
export async function checkingImports(db: Reader): Promise<readonly CheckingImport[]> {
  const rows = await db
    .selectFrom('imports')
    .innerJoin('organizations', 'organizations.id', 'imports.organizationId')
    .select(['imports.id', 'imports.organizationId', 'imports.rows'])
    .select('organizations.namespace')
    .select((of) =>
      of
        .selectFrom('importFiles')
        .whereRef('importFiles.importId', '=', 'imports.id')
        .select(sql<string>`sum(size_bytes)`.as('bytes'))
        .as('sizeBytes'),
    )
    .where('imports.status', '=', 'CHECKING')
    .orderBy('imports.id')
    .limit(atOnce)
    .execute();
  return rows.flatMap(({ id, organizationId, namespace, rows: how, sizeBytes }) => {
    const uploaded = (how as RowsImport | null)?.uploaded;
    if (uploaded === undefined) return [];
    return [
      {
        id: typeIdOfUuid('imp', id),
        organizationId: typeIdOfUuid('org', organizationId),
        namespace,
        uploaded,
        sizeBytes: Number(sizeBytes),
      },
    ];
  });
}

/** Place of the present or former trial of an import; `undefined`: it has none. */
export async function trialPlace(
  db: Reader,
  id: string,
): Promise<{ readonly namespace: string; readonly name: string } | undefined> {
  const row = await db
    .selectFrom('imports')
    .innerJoin('organizations', 'organizations.id', 'imports.organizationId')
    .select('organizations.namespace')
    .where('imports.id', '=', uuidOf(id))
    .where('imports.rows', 'is not', null)
    .executeTakeFirst();
  return row && { namespace: row.namespace, name: importResourceName(id) };
}

/** Takes an import whose files are to be removed from the store. */
export async function claimRemoval(db: Reader): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    UPDATE imports SET remove_at = clock_timestamp() + make_interval(mins => ${leaseMinutes})
    WHERE id = (
      SELECT id FROM imports WHERE remove_at <= clock_timestamp()
      ORDER BY remove_at LIMIT 1 FOR UPDATE SKIP LOCKED
    )
    RETURNING id
  `.execute(db);
  const [row] = rows;
  return row && typeIdOfUuid('imp', row.id);
}

/** Records that nothing is left in the store. After the first time it is looked at once more. */
export async function endRemoval(db: Reader, id: string): Promise<void> {
  await sql`
    UPDATE imports SET
      removals = removals + 1,
      remove_at = CASE WHEN removals = 0
        THEN clock_timestamp() + make_interval(mins => ${secondRemovalMinutes}) END
    WHERE id = ${uuidOf(id)}
  `.execute(db);
  await db.deleteFrom('importParts').where('importId', '=', uuidOf(id)).execute();
}

/** Deletes rows of imports that ended three months ago, and of which nothing is left. */
export const sweepImports = (db: Reader): Promise<number> =>
  sweepRows(
    db,
    'imports',
    sql`ended_at < clock_timestamp() - interval '90 days' AND remove_at IS NULL`,
  );
