/**
 * Makes, changes and deletes schedules of backups. The resource is written during the request, and the row follows it: after a
 * crash in between, the watch brings the row in line with the resource.
 */
import { aboutDatabase, databaseFact } from '../databases/events.ts';
import { ApiError } from '../../base/kube/kube.ts';
import type { ScheduleObject } from '../../domain/custom-resources.ts';
import { apiName, labels, scheduleIdOf, uidOf } from '../../domain/names.ts';
import { uuidOfTypeId } from '../../domain/type-id.ts';
import { requireStore } from '../backups/refusal.ts';
import { requireCanBeBackedUp } from '../backups/request-backup.ts';
import type { Caller, DatabaseServices } from '../databases/database-service.ts';
import { databaseNotFound } from '../databases/refusal.ts';
import { requireDatabase } from '../databases/require.ts';
import { checkMatch, settingsTag } from '../http/conditional.ts';
import { orChanged } from '../kubernetes/or-changed.ts';
import type { ScheduleWriter } from '../kubernetes/schedule-writer.ts';
import { backupScheduleFact, type BackupSchedule } from '../model/backup-schedule.ts';
import type { EventType } from '../model/event-types.ts';
import type { FieldChange } from '../model/event.ts';
import { Refusal } from '../model/refusal.ts';
import {
  createSchedule,
  deleteSchedule,
  findAnySchedule,
  findSchedule,
  listSchedules,
  lockSchedule,
} from '../store/backup-schedules.ts';
import type { Change } from '../store/change.ts';
import type { Database } from '../store/database-record.ts';
import { lockDatabase } from '../store/databases.ts';
import type { Reader } from '../store/tables.ts';
import { observeSchedule } from './observe.ts';
import { changesOf, requireTimes, specOf, type ScheduleRequest } from './spec.ts';
import { writeObserved } from './sync.ts';

export type ScheduleServices = DatabaseServices & {
  readonly schedules: ScheduleWriter;
  /** Whether the operator has a store for backups. */
  readonly backupStore: boolean;
};

type Spec = ScheduleObject['spec'];

type CreateRequest = ScheduleRequest & {
  readonly name?: string | undefined;
  readonly immediate: boolean;
};

/** A database with this many schedules gets no more over HTTP. */
const schedulesMax = 10;

export async function requestSchedule(
  services: ScheduleServices,
  { organization, author }: Caller,
  databaseId: string,
  request: CreateRequest,
  within: (change: Change, made: BackupSchedule) => Promise<void>,
): Promise<BackupSchedule> {
  const { store, schedules, backupStore, now } = services;
  const database = await requireDatabase(store.read, organization.id, databaseId);
  const wanted = specOf(request) as Spec;
  requireTimes(wanted, now().getTime());
  await requireCanBeBackedUp(store.read, database);
  requireStore(backupStore);
  const name = request.name ?? `${database.name}-scheduled`;
  if (await hasTooMany(store.read, databaseId, name)) throw tooMany(database);
  const { object, isNew } = await place(services, database, { ...request, name }, wanted);
  const id = scheduleIdOf(uidOf(object));
  const row = await store.change(author, async (change) => {
    if ((await lockDatabase(change, databaseId)) === undefined) throw databaseNotFound(databaseId);
    // Concurrent requests saw the same others before. None of them may count this one, which the watch may have seen.
    if (await hasTooMany(change.db, databaseId, name)) {
      if (isNew) await deleteSchedule(change, id);
      return undefined;
    }
    const made = await createSchedule(change, {
      id,
      organizationId: organization.id,
      databaseId,
      name: object.metadata.name,
      kubernetesNamespace: database.kubernetesNamespace,
      ...observeSchedule(object),
      actor: author.actor,
    });
    tell(change, 'backup_schedule.created', database, made);
    await within(change, made);
    return made;
  });
  if (row !== undefined) return row;
  if (isNew)
    await schedules.delete({ namespace: database.kubernetesNamespace, name }, uidOf(object));
  throw tooMany(database);
}

/** Whether there is no room for a schedule. A schedule of its name is itself, made by an earlier try. */
async function hasTooMany(db: Reader, databaseId: string, name: string): Promise<boolean> {
  const others = (await listSchedules(db, databaseId)).filter((one) => one.name !== name);
  return others.length >= schedulesMax;
}

interface Placed {
  readonly object: ScheduleObject;
  /** Whether this request made it. */
  readonly isNew: boolean;
}

/** Creates the resource, or finds the one that an earlier try of this request made. */
async function place(
  { store, schedules }: ScheduleServices,
  database: Database,
  { name, immediate }: CreateRequest & { readonly name: string },
  wanted: Spec,
): Promise<Placed> {
  const at = { namespace: database.kubernetesNamespace, name };
  const spec = { ...wanted, database: database.name, immediate, reclaimPolicy: 'Delete' as const };
  const made = await schedules.create(at, database.id, spec);
  if (made !== undefined) return { object: made, isNew: true };
  const found = await schedules.read(at);
  const own = found?.metadata.labels ?? {};
  const isOurs = own[labels.managedBy] === apiName && own[labels.databaseId] === database.id;
  if (found === undefined || !isOurs || changesOf(found.spec, spec).length > 0) {
    throw nameTaken(name, found !== undefined && (await isListed(store, found)));
  }
  return { object: found, isNew: false };
}

const isListed = async (store: ScheduleServices['store'], object: ScheduleObject) =>
  (await findAnySchedule(store.read, scheduleIdOf(uidOf(object)))) !== undefined;

/** `isListed`: the schedule is listed over HTTP, and can be deleted there. */
function nameTaken(name: string, isListed: boolean): Refusal {
  const where = isListed
    ? `There is another schedule ${name} in the organization. Choose another name, or delete that one.`
    : `Kubernetes has a LedgerBackupSchedule ${name} that belongs to no database here. Choose another name, or ask an administrator to delete it with kubectl.`;
  return new Refusal('backup_schedule_name_taken', { detail: where });
}

const tooMany = ({ name }: Database): Refusal =>
  new Refusal('quota_exceeded', {
    detail: `${name} has ${schedulesMax} schedules of backups, the maximum. Delete one first.`,
  });

export async function changeSchedule(
  { store, schedules, now }: ScheduleServices,
  { organization, author }: Caller,
  { databaseId, scheduleId }: { readonly databaseId: string; readonly scheduleId: string },
  request: ScheduleRequest,
  ifMatch: string | undefined,
): Promise<BackupSchedule> {
  const database = await requireDatabase(store.read, organization.id, databaseId);
  const known = await findSchedule(store.read, databaseId, scheduleId);
  if (known === undefined) throw scheduleNotFound(scheduleId);
  const wanted = specOf(request);
  if (wanted.schedule !== undefined || wanted.timeZone !== undefined) {
    requireTimes({ ...known.spec, ...wanted }, now().getTime());
  }
  const object = await orChanged(known.name, () =>
    schedules.change(
      placeOf(known),
      uuidOf(scheduleId),
      wanted,
      ifMatch === undefined
        ? undefined
        : ({ spec }) => checkMatch(ifMatch, scheduleTag(scheduleId, spec)),
    ),
  );
  // The watch removes the row.
  if (object === undefined) throw scheduleNotFound(scheduleId);
  return store.change(author, async (change) => {
    const before = await lockSchedule(change, scheduleId);
    if (before === undefined) throw scheduleNotFound(scheduleId);
    const after = (await writeObserved(change, before, object, databaseId)) ?? before;
    // Compared with the earlier state: the watch may have written it meanwhile.
    const changes = changesOf(known.spec, wanted);
    if (changes.length > 0) tell(change, 'backup_schedule.changed', database, after, changes);
    return after;
  });
}

export async function removeSchedule(
  { store, schedules }: ScheduleServices,
  { organization, author }: Caller,
  { databaseId, scheduleId }: { readonly databaseId: string; readonly scheduleId: string },
): Promise<void> {
  const database = await requireDatabase(store.read, organization.id, databaseId);
  const known = await findSchedule(store.read, databaseId, scheduleId);
  if (known === undefined) throw scheduleNotFound(scheduleId);
  await orNotFound(scheduleId, () => schedules.delete(placeOf(known), uuidOf(scheduleId)));
  await store.change(author, async (change) => {
    await deleteSchedule(change, scheduleId);
    tell(change, 'backup_schedule.deleted', database, known);
  });
}

/** The resource is gone, or another one has its name: the watch removes the row. */
async function orNotFound<T>(id: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    const isGone = error instanceof ApiError && (error.status === 404 || error.status === 409);
    throw isGone ? scheduleNotFound(id) : error;
  }
}

/** The tag of what people set, by HTTP or kubectl. */
export const scheduleTag = (id: string, spec: Spec): string => settingsTag(id, spec);

export const scheduleNotFound = (id: string): Refusal =>
  new Refusal('backup_schedule_not_found', { detail: `The database has no schedule ${id}.` });

const placeOf = ({ kubernetesNamespace: namespace, name }: BackupSchedule) => ({ namespace, name });
const uuidOf = (id: string): string => uuidOfTypeId('bks', id) ?? '';

function tell(
  change: Change,
  type: EventType & `backup_schedule.${string}`,
  database: Database,
  schedule: BackupSchedule,
  changes: readonly FieldChange[] = [],
): void {
  change.emit({
    ...aboutDatabase(database),
    type,
    data: { database: databaseFact(database), backupSchedule: backupScheduleFact(schedule) },
    changes,
  });
}
