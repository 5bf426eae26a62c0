/** Backups of databases: makes, finds, lists and updates them. Callers emit the events. */
import { sql, type Selectable } from 'kysely';
import { newTypeId, typeIdOfUuid } from '../../domain/type-id.ts';
import type { Actor } from '../model/actor.ts';
import type {
  Backup,
  BackupFacts,
  BackupHold,
  BackupMethod,
  BackupStatus,
  BackupType,
  Verification,
} from '../model/backup.ts';
import type { DatabaseStatus, Explanation } from '../model/database-standing.ts';
import type { PlacedResource } from '../model/placed-resource.ts';
import type { Change } from './change.ts';
import { typeIdOrNull, uuidOf } from './ids.ts';
import { beyond, pageOf, type Page } from './page.ts';
import { sweepRows } from './sweeping.ts';
import type { BackupsTable, Reader } from './tables.ts';

const now = sql<Date>`clock_timestamp()`;

export type NewBackup = Pick<
  Backup,
  | 'organizationId'
  | 'databaseId'
  | 'name'
  | 'type'
  | 'protected'
  | 'expiresAt'
  | 'schedule'
  | 'kubernetesNamespace'
  | 'resourceName'
> & {
  /** `ROWS` when absent. */
  readonly method?: BackupMethod;
  /** ID of a backup whose resource was found in the cluster; made here when absent. */
  readonly id?: string;
  readonly kubernetesUid?: string;
  readonly actor: Actor;
  /** Time of its resource's making. */
  readonly createdAt?: Date;
};

/** Returns `undefined` if a backup with this resource exists. */
export async function createBackup(
  change: Change,
  { id = newTypeId('bkp'), actor, ...rest }: NewBackup,
): Promise<Backup | undefined> {
  const row = await change.db
    .insertInto('backups')
    .values({
      ...rest,
      id: uuidOf(id),
      organizationId: uuidOf(rest.organizationId),
      databaseId: uuidOf(rest.databaseId),
      status: 'QUEUED',
      actor: JSON.stringify(actor),
    })
    .onConflict((conflict) => conflict.column('kubernetesUid').doNothing())
    .returningAll()
    .executeTakeFirst();
  return row && backupOf(row);
}

export interface BackupPatch {
  readonly name?: string;
  readonly status?: BackupStatus;
  readonly statusReason?: Explanation | null;
  readonly protected?: boolean;
  readonly hold?: BackupHold | null;
  readonly expiresAt?: Date | null;
  readonly kubernetesUid?: string;
  readonly resourceVersion?: string;
  readonly resourceGone?: boolean;
  readonly removing?: boolean;
  readonly jobId?: string;
  readonly facts?: BackupFacts | null;
  readonly verification?: Verification | null;
  readonly startedAt?: Date | null;
  readonly completedAt?: Date | null;
}

/** Changes a backup and increments its version. */
export async function updateBackup(
  change: Change,
  id: string,
  { statusReason, jobId, facts, verification, hold, ...plain }: BackupPatch,
): Promise<Backup> {
  const { status } = plain;
  const row = await change.db
    .updateTable('backups')
    .set({
      ...plain,
      version: sql<number>`version + 1`,
      updatedAt: now,
      ...(statusReason !== undefined && { statusReason: jsonOrNull(statusReason) }),
      ...(jobId !== undefined && { jobId: uuidOf(jobId) }),
      ...(hold !== undefined && { hold: jsonOrNull(hold) }),
      ...(facts !== undefined && { facts: jsonOrNull(facts) }),
      ...(verification !== undefined && { verification: jsonOrNull(verification) }),
      ...((status === 'DELETED' || status === 'EXPIRED') && { removedAt: now }),
    })
    .where('id', '=', uuidOf(id))
    .returningAll()
    .executeTakeFirstOrThrow();
  return backupOf(row);
}

/** Returns a backup of a database. Callers that serve a client must have checked whose database it is. */
export async function findBackup(
  db: Reader,
  databaseId: string,
  id: string,
): Promise<Backup | undefined> {
  const row = await db
    .selectFrom('backups')
    .selectAll()
    .where('id', '=', uuidOf(id))
    .where('databaseId', '=', uuidOf(databaseId))
    .executeTakeFirst();
  return row && backupOf(row);
}

/** Returns a backup of any organization; for the service itself. */
export async function findAnyBackup(db: Reader, id: string): Promise<Backup | undefined> {
  const row = await db
    .selectFrom('backups')
    .selectAll()
    .where('id', '=', uuidOf(id))
    .executeTakeFirst();
  return row && backupOf(row);
}

const restorableMax = 1_000;

/**
 * Backups of a database that can be restored and that a log can be replayed on, the newest first. Callers must have checked whose database
 * it is. `alsoAskedToGo`: also those that are to be removed and are there still.
 */
export async function listRestorable(
  db: Reader,
  databaseId: string,
  { alsoAskedToGo = false }: { readonly alsoAskedToGo?: boolean } = {},
): Promise<readonly Backup[]> {
  const rows = await db
    .selectFrom('backups')
    .selectAll()
    .where('databaseId', '=', uuidOf(databaseId))
    .where('status', 'in', alsoAskedToGo ? ['SUCCEEDED', 'DELETING'] : ['SUCCEEDED'])
    .where('removing', 'in', alsoAskedToGo ? [true, false] : [false])
    .where('method', '=', 'ROWS')
    .where('kubernetesUid', 'is not', null)
    .where('facts', 'is not', null)
    .orderBy('completedAt', 'desc')
    .orderBy('id')
    .limit(restorableMax)
    .execute();
  return rows.map(backupOf);
}

/** Those of some ops of which a database has a backup that is to be removed, or was. */
export async function listGoneAt(
  db: Reader,
  databaseId: string,
  ops: readonly number[],
): Promise<readonly number[]> {
  if (ops.length === 0) return [];
  const op = sql<string>`facts ->> 'op'`;
  const rows = await db
    .selectFrom('backups')
    .select(op.as('op'))
    .where('databaseId', '=', uuidOf(databaseId))
    .where('method', '=', 'ROWS')
    .where(op, 'in', ops.map(String))
    .where((where) =>
      where.or([
        where('removing', '=', true),
        where('status', 'in', ['DELETING', 'DELETED', 'EXPIRED']),
      ]),
    )
    .execute();
  return rows.map((row) => Number(row.op));
}

/** Returns the backup of a database that has this ID in the bucket. Returns `undefined` if there is no record of it any more. */
export async function findArchivedBackup(
  db: Reader,
  databaseId: string,
  archiveId: string,
): Promise<Backup | undefined> {
  const row = await db
    .selectFrom('backups')
    .selectAll()
    .where('kubernetesUid', '=', uuidOf(archiveId))
    .where('databaseId', '=', uuidOf(databaseId))
    .executeTakeFirst();
  return row && backupOf(row);
}

/** Locks a backup until the commit. Returns `undefined` if there is none. */
export async function lockBackup(change: Change, id: string): Promise<Backup | undefined> {
  const row = await change.db
    .selectFrom('backups')
    .selectAll()
    .where('id', '=', uuidOf(id))
    .forUpdate()
    .executeTakeFirst();
  return row && backupOf(row);
}

/** Finds the backup that a resource belongs to: by its UID, or by its name if its worker died before it recorded the UID. */
export async function findBackupOfResource(
  db: Reader,
  {
    uid,
    namespace,
    name,
  }: { readonly uid: string; readonly namespace: string; readonly name: string },
): Promise<Backup | undefined> {
  const row = await db
    .selectFrom('backups')
    .selectAll()
    .where((where) =>
      where.or([
        where('kubernetesUid', '=', uid),
        where.and([
          where('kubernetesUid', 'is', null),
          where('kubernetesNamespace', '=', namespace),
          where('resourceName', '=', name),
          where('status', '=', 'QUEUED'),
        ]),
      ]),
    )
    .orderBy(sql`kubernetes_uid IS NULL`)
    .executeTakeFirst();
  return row && backupOf(row);
}

/** Lists the resources of backups that exist according to the store. */
export async function listPlacedBackups(db: Reader): Promise<readonly PlacedResource[]> {
  const rows = await db
    .selectFrom('backups')
    .select(['kubernetesUid', 'kubernetesNamespace', 'resourceName'])
    .where('kubernetesUid', 'is not', null)
    .where('removedAt', 'is', null)
    .where('resourceGone', '=', false)
    .execute();
  return rows.map(({ kubernetesUid, kubernetesNamespace, resourceName }) => ({
    uid: kubernetesUid ?? '',
    namespace: kubernetesNamespace,
    name: resourceName,
  }));
}

/** Whether a last backup of the database has succeeded since then. */
export async function hasLastBackup(db: Reader, databaseId: string, since: Date): Promise<boolean> {
  const found = await db
    .selectFrom('backups')
    .select('id')
    .where('databaseId', '=', uuidOf(databaseId))
    .where('type', '=', 'FINAL')
    .where('status', '=', 'SUCCEEDED')
    .where('completedAt', '>=', since)
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

/** Lists the backups of a database, newest first. */
export async function listBackups(
  db: Reader,
  databaseId: string,
  page: {
    readonly limit: number;
    readonly statuses: readonly BackupStatus[];
    readonly types?: readonly BackupType[] | undefined;
    readonly position?: readonly [string, string];
  },
): Promise<Page<Backup, [string, string]>> {
  let query = db
    .selectFrom('backups')
    .selectAll()
    .where('databaseId', '=', uuidOf(databaseId))
    .where('status', 'in', page.statuses)
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(page.limit + 1);
  if (page.types !== undefined) query = query.where('type', 'in', page.types);
  if (page.position !== undefined) {
    query = query.where(beyond(['createdAt', 'id'], '<', page.position));
  }
  return pageOf(await query.execute(), page.limit, backupOf, (row) => [
    row.createdAt.toISOString(),
    row.id,
  ]);
}

/** Counts the backups of a database that were requested here and exist; also returns the job of one in progress. */
export async function countRequested(
  db: Reader,
  databaseId: string,
): Promise<{ readonly count: number; readonly unfinishedJobId: string | undefined }> {
  const rows = await db
    .selectFrom('backups')
    .select(['status', 'jobId'])
    .where('databaseId', '=', uuidOf(databaseId))
    .where('jobId', 'is not', null)
    .where('removedAt', 'is', null)
    .execute();
  const unfinished = rows.find(({ status }) => status === 'QUEUED' || status === 'RUNNING');
  const unfinishedJobId = typeIdOrNull('job', unfinished?.jobId ?? null) ?? undefined;
  return { count: rows.length, unfinishedJobId };
}

/** Completion time of the newest backup of each of these databases that can be restored; by the database's ID. */
export async function newestBackups(
  db: Reader,
  databaseIds: readonly string[],
): Promise<ReadonlyMap<string, Date>> {
  if (databaseIds.length === 0) return new Map();
  // One look into the index for each database, however many backups it has.
  const { rows } = await sql<{ databaseId: string; at: Date | null }>`
    SELECT id AS "databaseId",
      (SELECT max(completed_at) FROM backups WHERE database_id = id_of.id AND status = 'SUCCEEDED') AS at
    FROM unnest(${databaseIds.map(uuidOf)}::uuid[]) AS id_of (id)
  `.execute(db);
  return new Map(
    rows.flatMap((row) => (row.at ? [[typeIdOfUuid('db', row.databaseId), row.at]] : [])),
  );
}

interface Restore {
  readonly backupId: string;
  readonly databaseId: string;
  readonly status: DatabaseStatus;
}

/** Databases that began with one of these backups. */
export async function listRestores(
  db: Reader,
  backupIds: readonly string[],
): Promise<readonly Restore[]> {
  if (backupIds.length === 0) return [];
  const backupId = sql<string>`restored_from ->> 'backupId'`;
  const rows = await db
    .selectFrom('databases')
    .select(['id', 'status', backupId.as('backupId')])
    .where('restoredFrom', 'is not', null)
    .where(backupId, 'in', backupIds)
    .orderBy('createdAt')
    .execute();
  return rows.map((row) => ({
    backupId: row.backupId,
    databaseId: typeIdOfUuid('db', row.id),
    status: row.status as DatabaseStatus,
  }));
}

const ofPurged = sql<boolean>`organization_id IN (SELECT id FROM organizations WHERE purged_at IS NOT NULL)`;
/** A backup in the bucket whose resource was deleted can no longer be removed through it. */
const canBeRemoved = sql<boolean>`NOT protected AND hold IS NULL AND NOT (resource_gone AND facts IS NOT NULL)`;

/**
 * IDs of backups of purged organizations that are to be removed, while fewer than `most` jobs remove such backups. A removal
 * whose job has ended may go on for ever, and stops no other one. Backups whose removal was tried before come last.
 */
export async function listBackupsOfPurged(db: Reader, most: number): Promise<readonly string[]> {
  const going = await db
    .selectFrom('jobs')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('type', '=', 'backup.delete')
    .where('finishedAt', 'is', null)
    .where(ofPurged)
    .executeTakeFirstOrThrow();
  const rows = await db
    .selectFrom('backups')
    .select('id')
    .where('status', 'in', ['SUCCEEDED', 'FAILED'])
    .where('removedAt', 'is', null)
    .where(ofPurged)
    .where(canBeRemoved)
    .orderBy('updatedAt')
    .limit(Math.max(0, most - Number(going.count)))
    .execute();
  return rows.map(({ id }) => typeIdOfUuid('bkp', id));
}

/** Number of backups in the bucket that stay there when the organization is purged. */
export async function countRetained(db: Reader, organizationId: string): Promise<number> {
  const { count } = await db
    .selectFrom('backups')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('organizationId', '=', uuidOf(organizationId))
    .where('removedAt', 'is', null)
    .where('facts', 'is not', null)
    .where(sql<boolean>`NOT (${canBeRemoved})`)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Deletes rows of backups that were removed three months ago. */
export const sweepBackups = (db: Reader): Promise<number> =>
  sweepRows(db, 'backups', sql`removed_at < clock_timestamp() - interval '90 days'`);

const jsonOrNull = (value: object | null) => (value === null ? null : JSON.stringify(value));

const backupOf = (row: Selectable<BackupsTable>): Backup => ({
  ...row,
  id: typeIdOfUuid('bkp', row.id),
  organizationId: typeIdOfUuid('org', row.organizationId),
  databaseId: typeIdOfUuid('db', row.databaseId),
  type: row.type as BackupType,
  method: row.method as BackupMethod,
  status: row.status as BackupStatus,
  statusReason: row.statusReason as Explanation | null,
  jobId: typeIdOrNull('job', row.jobId),
  hold: row.hold as BackupHold | null,
  facts: row.facts as BackupFacts | null,
  verification: row.verification as Verification | null,
  actor: row.actor as Actor,
});
