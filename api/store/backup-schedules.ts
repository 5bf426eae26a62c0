/** Schedules of backups. Each row follows a LedgerBackupSchedule in Kubernetes. */
import { sql, type Selectable } from 'kysely';
import { typeIdOfUuid } from '../../domain/type-id.ts';
import type { Actor } from '../model/actor.ts';
import type { BackupSchedule, BackupScheduleState } from '../model/backup-schedule.ts';
import type { PlacedResource } from '../model/placed-resource.ts';
import type { Change } from './change.ts';
import { uuidOf } from './ids.ts';
import type { BackupSchedulesTable, Reader } from './tables.ts';

type Written = Pick<
  BackupSchedule,
  | 'id'
  | 'organizationId'
  | 'databaseId'
  | 'name'
  | 'kubernetesNamespace'
  | 'resourceVersion'
  | 'spec'
  | 'state'
  | 'actor'
>;

/** Adds a schedule that was requested and whose resource exists. If the watch was faster, overwrites its maker. */
export async function createSchedule(change: Change, schedule: Written): Promise<BackupSchedule> {
  const values = valuesOf(schedule);
  const row = await change.db
    .insertInto('backupSchedules')
    .values(values)
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ actor: values.actor }))
    .returningAll()
    .executeTakeFirstOrThrow();
  return scheduleOf(row);
}

/** Adds a schedule that was found in the cluster, unless it exists. */
export async function adoptSchedule(change: Change, schedule: Written): Promise<void> {
  await change.db
    .insertInto('backupSchedules')
    .values(valuesOf(schedule))
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
}

const valuesOf = (schedule: Written) => ({
  ...schedule,
  id: uuidOf(schedule.id),
  organizationId: uuidOf(schedule.organizationId),
  databaseId: uuidOf(schedule.databaseId),
  spec: JSON.stringify(schedule.spec),
  state: JSON.stringify(schedule.state),
  actor: JSON.stringify(schedule.actor),
});

export type SchedulePatch = Pick<
  BackupSchedule,
  'databaseId' | 'resourceVersion' | 'spec' | 'state'
>;

/** Writes the present state of a resource, and increments the version. */
export async function updateSchedule(
  change: Change,
  id: string,
  { databaseId, resourceVersion, spec, state }: SchedulePatch,
): Promise<BackupSchedule> {
  const row = await change.db
    .updateTable('backupSchedules')
    .set({
      databaseId: uuidOf(databaseId),
      resourceVersion,
      spec: JSON.stringify(spec),
      state: JSON.stringify(state),
      version: sql<number>`version + 1`,
      updatedAt: sql<Date>`clock_timestamp()`,
    })
    .where('id', '=', uuidOf(id))
    .returningAll()
    .executeTakeFirstOrThrow();
  return scheduleOf(row);
}

/** Deletes a schedule whose resource is gone. Returns `undefined` if there was none. */
export async function deleteSchedule(
  change: Change,
  id: string,
): Promise<BackupSchedule | undefined> {
  const row = await change.db
    .deleteFrom('backupSchedules')
    .where('id', '=', uuidOf(id))
    .returningAll()
    .executeTakeFirst();
  return row && scheduleOf(row);
}

/** Returns a schedule of a database. Callers that serve a client must have checked whose database it is. */
export async function findSchedule(
  db: Reader,
  databaseId: string,
  id: string,
): Promise<BackupSchedule | undefined> {
  const row = await db
    .selectFrom('backupSchedules')
    .selectAll()
    .where('id', '=', uuidOf(id))
    .where('databaseId', '=', uuidOf(databaseId))
    .executeTakeFirst();
  return row && scheduleOf(row);
}

/** Returns a schedule of any organization; for the service itself. */
export async function findAnySchedule(db: Reader, id: string): Promise<BackupSchedule | undefined> {
  const row = await db
    .selectFrom('backupSchedules')
    .selectAll()
    .where('id', '=', uuidOf(id))
    .executeTakeFirst();
  return row && scheduleOf(row);
}

/** Locks a schedule until the commit. */
export async function lockSchedule(
  change: Change,
  id: string,
): Promise<BackupSchedule | undefined> {
  const row = await change.db
    .selectFrom('backupSchedules')
    .selectAll()
    .where('id', '=', uuidOf(id))
    .forUpdate()
    .executeTakeFirst();
  return row && scheduleOf(row);
}

/** Maximum shown; more schedules of one database can be made only in Kubernetes. */
const listedMax = 100;

/** Lists the schedules of a database by name. */
export async function listSchedules(
  db: Reader,
  databaseId: string,
): Promise<readonly BackupSchedule[]> {
  const rows = await db
    .selectFrom('backupSchedules')
    .selectAll()
    .where('databaseId', '=', uuidOf(databaseId))
    .orderBy('name')
    .orderBy('id')
    .limit(listedMax)
    .execute();
  return rows.map(scheduleOf);
}

/** Lists the resources of schedules that exist according to the store. */
export async function listPlacedSchedules(db: Reader): Promise<readonly PlacedResource[]> {
  const rows = await db
    .selectFrom('backupSchedules')
    .select(['id', 'kubernetesNamespace', 'name'])
    .execute();
  return rows.map(({ id, kubernetesNamespace, name }) => ({
    namespace: kubernetesNamespace,
    name,
    uid: id,
  }));
}

const idOf = (uuid: string): string => typeIdOfUuid('bks', uuid);

const scheduleOf = (row: Selectable<BackupSchedulesTable>): BackupSchedule => ({
  ...row,
  id: idOf(row.id),
  organizationId: typeIdOfUuid('org', row.organizationId),
  databaseId: typeIdOfUuid('db', row.databaseId),
  spec: row.spec as BackupSchedule['spec'],
  state: row.state as BackupScheduleState,
  actor: row.actor as Actor,
});
