/** Saved queries in the store. Changes lock the database first, so that names stay unique and the bound holds. */
import { sql, type Selectable } from 'kysely';
import { newTypeId, typeIdOfUuid } from '../../domain/type-id.ts';
import type { Actor } from '../model/actor.ts';
import type { QueryContent, SavedQuery } from '../model/saved-query.ts';
import type { Change } from './change.ts';
import { uuidOf } from './ids.ts';
import type { Reader, SavedQueriesTable } from './tables.ts';

/** Number of queries of a database. */
export const savedQueriesMax = 100;

interface Belonging {
  readonly organizationId: string;
  readonly databaseId: string;
}

export async function createSavedQuery(
  change: Change,
  { organizationId, databaseId }: Belonging,
  content: QueryContent,
): Promise<SavedQuery | 'too_many' | 'name_taken'> {
  const { count, others } = await countOf(change, databaseId, content.name);
  if (others.length > 0) return 'name_taken';
  if (count >= savedQueriesMax) return 'too_many';
  const row = await change.db
    .insertInto('savedQueries')
    .values({
      id: uuidOf(newTypeId('qry')),
      organizationId: uuidOf(organizationId),
      databaseId: uuidOf(databaseId),
      ...columnsOf(content),
      createdBy: JSON.stringify(change.author.actor),
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return queryOf(row);
}

/** Changes a query of a locked database. */
export async function updateSavedQuery(
  change: Change,
  before: SavedQuery,
  content: QueryContent,
): Promise<SavedQuery | 'name_taken'> {
  const { others } = await countOf(change, before.databaseId, content.name);
  if (others.some((id) => id !== uuidOf(before.id))) return 'name_taken';
  const row = await change.db
    .updateTable('savedQueries')
    .set({
      ...columnsOf(content),
      version: sql<number>`version + 1`,
      updatedAt: sql<Date>`clock_timestamp()`,
    })
    .where('id', '=', uuidOf(before.id))
    .returningAll()
    .executeTakeFirstOrThrow();
  return queryOf(row);
}

/** Number of a database's queries, and the IDs of those with this name. */
async function countOf(change: Change, databaseId: string, name: string) {
  const { count, others } = await change.db
    .selectFrom('savedQueries')
    .select(({ fn }) => [
      fn.countAll<string>().as('count'),
      sql<string[]>`coalesce(array_agg(id::text) FILTER (WHERE name = ${name}), '{}')`.as('others'),
    ])
    .where('databaseId', '=', uuidOf(databaseId))
    .executeTakeFirstOrThrow();
  return { count: Number(count), others };
}

export async function deleteSavedQuery(change: Change, id: string): Promise<void> {
  await change.db.deleteFrom('savedQueries').where('id', '=', uuidOf(id)).execute();
}

export async function deleteSavedQueries(change: Change, databaseId: string): Promise<void> {
  await change.db.deleteFrom('savedQueries').where('databaseId', '=', uuidOf(databaseId)).execute();
}

/** By name. */
export async function listSavedQueries(db: Reader, databaseId: string): Promise<SavedQuery[]> {
  const rows = await own(db, databaseId).orderBy('name').orderBy('id').execute();
  return rows.map(queryOf);
}

export async function findSavedQuery(
  db: Reader,
  databaseId: string,
  id: string,
): Promise<SavedQuery | undefined> {
  const row = await own(db, databaseId).where('id', '=', uuidOf(id)).executeTakeFirst();
  return row && queryOf(row);
}

const own = (db: Reader, databaseId: string) =>
  db.selectFrom('savedQueries').selectAll().where('databaseId', '=', uuidOf(databaseId));

const columnsOf = ({ name, operation, filters }: QueryContent) => ({
  name,
  operation,
  filters: JSON.stringify(filters),
});

const queryOf = (row: Selectable<SavedQueriesTable>): SavedQuery => ({
  id: typeIdOfUuid('qry', row.id),
  databaseId: typeIdOfUuid('db', row.databaseId),
  name: row.name,
  operation: row.operation as SavedQuery['operation'],
  filters: row.filters,
  version: row.version,
  createdAt: row.createdAt,
  createdBy: row.createdBy as Actor,
  updatedAt: row.updatedAt,
});
