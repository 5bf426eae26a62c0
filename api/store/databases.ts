/** Creates, changes and finds databases. Callers emit the events, because they know why a change is made. */
import { sql, type Updateable } from 'kysely';
import pg from 'pg';
import type { MaintenanceWindow } from '../../domain/maintenance-window.ts';
import { newTypeId } from '../../domain/type-id.ts';
import type { DatabaseHealth, DatabaseStatus, Explanation } from '../model/database-standing.ts';
import { Refusal } from '../model/refusal.ts';
import type { Change } from './change.ts';
import {
  databaseOf,
  profileOf,
  type Database,
  type ImportedFrom,
  type ObservedDatabase,
  type Profile,
  type ProfileChoice,
  type RestoredFrom,
} from './database-record.ts';
import { uuidOf } from './ids.ts';
import { choiceColumns } from './profile-revisions.ts';
import type { DatabasesTable, Reader } from './tables.ts';

export interface NewDatabase {
  /** ID of a database whose applied resource already has one; made here if absent. */
  readonly id?: string;
  readonly organizationId: string;
  readonly name: string;
  readonly mode: Database['mode'];
  readonly deletionProtection: boolean;
  readonly labels: Readonly<Record<string, string>>;
  readonly kubernetesNamespace: string;
  readonly kubernetesUid?: string;
  readonly adopted?: boolean;
  readonly clusterId?: string;
  readonly restoredFrom?: RestoredFrom | null;
  readonly importedFrom?: ImportedFrom | null;
}

/** Throws the `Refusal` `database_name_taken` if another database of the organization has the name and is not deleted. */
export async function createDatabase(
  change: Change,
  database: NewDatabase,
  choice: ProfileChoice,
): Promise<{ readonly database: Database; readonly profile: Profile }> {
  const id = uuidOf(database.id ?? newTypeId('db'));
  const row = await change.db
    .insertInto('databases')
    .values({
      id,
      organizationId: uuidOf(database.organizationId),
      name: database.name,
      mode: database.mode,
      status: 'PROVISIONING',
      deletionProtection: database.deletionProtection,
      labels: JSON.stringify(database.labels),
      kubernetesNamespace: database.kubernetesNamespace,
      kubernetesUid: database.kubernetesUid ?? null,
      adopted: database.adopted ?? false,
      clusterId: database.clusterId ?? null,
      restoredFrom: jsonOrNull(database.restoredFrom ?? null),
      importedFrom: jsonOrNull(database.importedFrom ?? null),
      createdBy: JSON.stringify(change.author.actor),
    })
    .onConflict((conflict) =>
      conflict.columns(['organizationId', 'name']).where('deletedAt', 'is', null).doNothing(),
    )
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) {
    const other = await findDatabaseByName(change.db, database.organizationId, database.name);
    // The other database may have been deleted between the two statements; a retry succeeds then.
    throw nameTaken(database.name, other?.id);
  }
  const profile = await change.db
    .insertInto('profiles')
    .values({
      ...choiceColumns(choice),
      id: uuidOf(newTypeId('prf')),
      databaseId: id,
      revision: 1,
      active: true,
      status: 'PROVISIONING',
      actor: JSON.stringify(change.author.actor),
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return { database: databaseOf(row), profile: profileOf(profile) };
}

/** Fields of a database that may change. */
export interface DatabasePatch {
  readonly name?: string;
  readonly status?: DatabaseStatus;
  readonly statusReason?: Explanation | null;
  readonly health?: DatabaseHealth;
  readonly clusterId?: string;
  readonly deletionProtection?: boolean;
  readonly labels?: Readonly<Record<string, string>>;
  readonly observed?: ObservedDatabase | null;
  readonly maintenanceWindow?: MaintenanceWindow | null;
  readonly kubernetesUid?: string | null;
  readonly readyAt?: Date;
  readonly deletedAt?: Date | null;
  readonly purgeAt?: Date | null;
  readonly purgedAt?: Date | null;
}

/**
 * Changes a database and increments its version. The caller has locked the database or knows that it exists. Throws the `Refusal`
 * `database_name_taken` if another database that is not deleted has the name.
 */
export async function updateDatabase(
  change: Change,
  id: string,
  patch: DatabasePatch,
): Promise<Database> {
  const query = change.db
    .updateTable('databases')
    .set(columnsOf(patch))
    .set({ version: sql<number>`version + 1`, updatedAt: sql<Date>`clock_timestamp()` })
    .where('id', '=', uuidOf(id));
  try {
    return databaseOf(await query.returningAll().executeTakeFirstOrThrow());
  } catch (error) {
    // The unique index decides; an earlier check could be outdated.
    if (!(error instanceof pg.DatabaseError) || error.constraint !== 'databases_name_taken') {
      throw error;
    }
    throw nameTaken(patch.name, undefined);
  }
}

export const nameTaken = (
  name: string | undefined,
  existingDatabaseId: string | undefined,
): Refusal =>
  new Refusal('database_name_taken', {
    detail: `The organization already has a database ${name ?? 'with that name'}. Choose another name.`,
    ...(existingDatabaseId !== undefined && { members: { existingDatabaseId } }),
  });

function columnsOf({
  statusReason,
  labels,
  observed,
  maintenanceWindow,
  kubernetesUid,
  ...rest
}: DatabasePatch) {
  const columns: Updateable<DatabasesTable> = { ...rest };
  if (statusReason !== undefined) columns.statusReason = jsonOrNull(statusReason);
  if (labels !== undefined) columns.labels = JSON.stringify(labels);
  if (observed !== undefined) columns.observed = jsonOrNull(observed);
  if (maintenanceWindow !== undefined) columns.maintenanceWindow = jsonOrNull(maintenanceWindow);
  if (kubernetesUid !== undefined) columns.kubernetesUid = kubernetesUid;
  return columns;
}

const jsonOrNull = (value: object | null) => (value === null ? null : JSON.stringify(value));

/** Locks a database until the commit. Returns `undefined` if there is none. */
export async function lockDatabase(change: Change, id: string): Promise<Database | undefined> {
  const row = await change.db
    .selectFrom('databases')
    .selectAll()
    .where('id', '=', uuidOf(id))
    .forUpdate()
    .executeTakeFirst();
  return row && databaseOf(row);
}

/** Returns a database, even a deleted one. Returns `undefined` if the organization has no such database. */
export async function findDatabase(
  db: Reader,
  organizationId: string,
  id: string,
): Promise<Database | undefined> {
  const row = await db
    .selectFrom('databases')
    .selectAll()
    .where('id', '=', uuidOf(id))
    .where('organizationId', '=', uuidOf(organizationId))
    .executeTakeFirst();
  return row && databaseOf(row);
}

/** Returns a database of any organization; for the service itself. */
export async function findAnyDatabase(db: Reader, id: string): Promise<Database | undefined> {
  const row = await db
    .selectFrom('databases')
    .selectAll()
    .where('id', '=', uuidOf(id))
    .executeTakeFirst();
  return row && databaseOf(row);
}

/** Finds a database by the UID of its resource. */
export async function findDatabaseByKubernetesUid(
  db: Reader,
  uid: string,
): Promise<Database | undefined> {
  const row = await db
    .selectFrom('databases')
    .selectAll()
    .where('kubernetesUid', '=', uid)
    .executeTakeFirst();
  return row && databaseOf(row);
}

export async function findDatabaseByName(
  db: Reader,
  organizationId: string,
  name: string,
): Promise<Database | undefined> {
  const row = await db
    .selectFrom('databases')
    .selectAll()
    .where('organizationId', '=', uuidOf(organizationId))
    .where('name', '=', name)
    .where('deletedAt', 'is', null)
    .executeTakeFirst();
  return row && databaseOf(row);
}

/** Numbers of databases, for quotas. `deleted`: deleted databases whose volumes may still be kept. */
export async function countDatabases(
  db: Reader,
  organizationId: string,
): Promise<{ readonly living: number; readonly deleted: number }> {
  const { living, deleted } = await db
    .selectFrom('databases')
    .select(({ fn }) => [
      fn.countAll<string>().filterWhere('deletedAt', 'is', null).as('living'),
      fn.countAll<string>().filterWhere('deletedAt', 'is not', null).as('deleted'),
    ])
    .where('organizationId', '=', uuidOf(organizationId))
    .where('purgedAt', 'is', null)
    .where((where) =>
      where.or([where('purgeAt', 'is', null), where('purgeAt', '>', sql<Date>`clock_timestamp()`)]),
    )
    .executeTakeFirstOrThrow();
  return { living: Number(living), deleted: Number(deleted) };
}

/** Deleted databases whose retention is over. The operator purges their volumes. */
export async function listDatabasesToPurge(db: Reader, limit: number): Promise<Database[]> {
  const rows = await db
    .selectFrom('databases')
    .selectAll()
    .where('purgeAt', '<=', sql<Date>`clock_timestamp()`)
    .where('purgedAt', 'is', null)
    .where('status', '=', 'DELETED')
    .orderBy('purgeAt')
    .limit(limit)
    .execute();
  return rows.map(databaseOf);
}

/** Returns the active profile. */
export async function findActiveProfile(
  db: Reader,
  databaseId: string,
): Promise<Profile | undefined> {
  const row = await db
    .selectFrom('profiles')
    .selectAll()
    .where('databaseId', '=', uuidOf(databaseId))
    .where('active', '=', true)
    .executeTakeFirst();
  return row && profileOf(row);
}

interface ProfilePatch {
  readonly status?: Profile['status'];
  readonly error?: Explanation | null;
  readonly readyAt?: Date;
  readonly engineVersion?: string;
}

/** Changes the active profile. */
export async function updateActiveProfile(
  change: Change,
  databaseId: string,
  { error, ...patch }: ProfilePatch,
): Promise<Profile> {
  const row = await change.db
    .updateTable('profiles')
    .set({ ...patch, ...(error === undefined ? {} : { error: jsonOrNull(error) }) })
    .where('databaseId', '=', uuidOf(databaseId))
    .where('active', '=', true)
    .returningAll()
    .executeTakeFirstOrThrow();
  return profileOf(row);
}
