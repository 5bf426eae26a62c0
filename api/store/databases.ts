/** Databases: made, changed, found. Events are told by those who know why a change is made. */
import { sql, type Updateable } from 'kysely';
import pg from 'pg';
import { newTypeId } from '../../domain/type-id.ts';
import type { DatabaseHealth, DatabaseStatus, Explanation } from '../model/database-standing.ts';
import type { Change } from './change.ts';
import {
  databaseOf,
  profileOf,
  type Database,
  type ObservedDatabase,
  type Profile,
  type ProfileChoice,
} from './database-record.ts';
import { uuidOf } from './ids.ts';
import type { DatabasesTable, Reader } from './tables.ts';

export interface NewDatabase {
  /** Of one that was applied to the cluster and has an ID by that; made here when absent. */
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
}

/** `name_taken`: the organization has another of that name that is not deleted. Of two at once, one is told so. */
export async function createDatabase(
  change: Change,
  database: NewDatabase,
  choice: ProfileChoice,
): Promise<{ database: Database; profile: Profile } | { taken: 'name'; existingId: string }> {
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
      createdBy: JSON.stringify(change.author.actor),
    })
    .onConflict((conflict) =>
      conflict.columns(['organizationId', 'name']).where('deletedAt', 'is', null).doNothing(),
    )
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) {
    const other = await findDatabaseByName(change.db, database.organizationId, database.name);
    // Deleted between the two statements: what was taken then is told, and trying again works.
    return { taken: 'name', existingId: other?.id ?? '' };
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
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return { database: databaseOf(row), profile: profileOf(profile) };
}

const choiceColumns = ({ parameters, price, ...choice }: ProfileChoice) => ({
  ...choice,
  parameters: JSON.stringify(parameters),
  price: price === null ? null : JSON.stringify(price),
});

/** What of a database may change. */
export interface DatabasePatch {
  readonly name?: string;
  readonly status?: DatabaseStatus;
  readonly statusReason?: Explanation | null;
  readonly health?: DatabaseHealth;
  readonly clusterId?: string;
  readonly deletionProtection?: boolean;
  readonly labels?: Readonly<Record<string, string>>;
  readonly observed?: ObservedDatabase | null;
  readonly kubernetesUid?: string | null;
  readonly readyAt?: Date;
  readonly deletedAt?: Date | null;
  readonly purgeAt?: Date | null;
  readonly purgedAt?: Date | null;
}

/**
 * Counts the version up. `stale`: the version is not `ifVersion` (of `If-Match`) any more. `name_taken`: by another that is not
 * deleted; nothing is changed, and the change it is part of can go on.
 */
export async function updateDatabase(
  change: Change,
  id: string,
  patch: DatabasePatch,
  ifVersion?: number,
): Promise<Database | 'stale' | 'name_taken'> {
  let query = change.db
    .updateTable('databases')
    .set(columnsOf(patch))
    .set({ version: sql<number>`version + 1`, updatedAt: sql<Date>`clock_timestamp()` })
    .where('id', '=', uuidOf(id));
  if (ifVersion !== undefined) query = query.where('version', '=', ifVersion);
  const update = () => query.returningAll().executeTakeFirst();
  const claimsName = patch.name !== undefined || patch.deletedAt === null;
  const row = claimsName ? await unlessNameTaken(change, update) : await update();
  if (row === 'name_taken') return row;
  return row === undefined ? 'stale' : databaseOf(row);
}

/** The index decides, not a look beforehand. What it refuses would end the whole transaction, but for the savepoint. */
async function unlessNameTaken<T>(
  { db }: Change,
  update: () => Promise<T>,
): Promise<T | 'name_taken'> {
  await sql`SAVEPOINT name`.execute(db);
  try {
    const result = await update();
    await sql`RELEASE SAVEPOINT name`.execute(db);
    return result;
  } catch (error) {
    if (!(error instanceof pg.DatabaseError) || error.constraint !== 'databases_name_taken') {
      throw error;
    }
    await sql`ROLLBACK TO SAVEPOINT name`.execute(db);
    return 'name_taken';
  }
}

function columnsOf({ statusReason, labels, observed, kubernetesUid, ...rest }: DatabasePatch) {
  const columns: Updateable<DatabasesTable> = { ...rest };
  if (statusReason !== undefined) columns.statusReason = jsonOrNull(statusReason);
  if (labels !== undefined) columns.labels = JSON.stringify(labels);
  if (observed !== undefined) columns.observed = jsonOrNull(observed);
  if (kubernetesUid !== undefined) columns.kubernetesUid = kubernetesUid;
  return columns;
}

const jsonOrNull = (value: object | null) => (value === null ? null : JSON.stringify(value));

/** Locks it until the commit. `undefined`: there is none. */
export async function lockDatabase(change: Change, id: string): Promise<Database | undefined> {
  const row = await change.db
    .selectFrom('databases')
    .selectAll()
    .where('id', '=', uuidOf(id))
    .forUpdate()
    .executeTakeFirst();
  return row && databaseOf(row);
}

/** Deleted ones too. `undefined`: there is none, or it is another organization's. */
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

/** For the service itself, which serves all organizations. */
export async function findAnyDatabase(db: Reader, id: string): Promise<Database | undefined> {
  const row = await db
    .selectFrom('databases')
    .selectAll()
    .where('id', '=', uuidOf(id))
    .executeTakeFirst();
  return row && databaseOf(row);
}

/** By the uid of its resource. */
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

/** For quotas: those that are not deleted. */
export async function countDatabases(db: Reader, organizationId: string): Promise<number> {
  const { count } = await db
    .selectFrom('databases')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('organizationId', '=', uuidOf(organizationId))
    .where('deletedAt', 'is', null)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Deleted ones whose time is over; the volumes are the operator's to purge. */
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

/** The revision in force. */
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

export interface ProfilePatch {
  readonly status?: Profile['status'];
  readonly error?: Explanation | null;
  readonly readyAt?: Date;
  readonly engineVersion?: string;
}

/** Of the revision in force. */
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
