/** Keeps the rows of schedules in line with their resources, and takes over resources that somebody applied. */
import { isOlder } from '../../base/kube/resource-version.ts';
import type { ScheduleObject } from '../../domain/custom-resources.ts';
import { scheduleIdOf, uidOf } from '../../domain/names.ts';
import { lockOrganizationOf, makerOf } from '../backups/taking-over.ts';
import type { FollowedKind } from '../kubernetes/resource-follower.ts';
import type { ScheduleWriter } from '../kubernetes/schedule-writer.ts';
import { kubernetesAuthor, systemAuthor } from '../model/actor.ts';
import type { BackupSchedule } from '../model/backup-schedule.ts';
import {
  adoptSchedule,
  deleteSchedule,
  findAnySchedule,
  listPlacedSchedules,
  lockSchedule,
  updateSchedule,
} from '../store/backup-schedules.ts';
import type { Change } from '../store/change.ts';
import { findDatabaseByName } from '../store/databases.ts';
import type { Store } from '../store/store.ts';
import { observeSchedule } from './observe.ts';

interface ScheduleSyncOptions {
  readonly store: Store;
  readonly view: FollowedKind<ScheduleObject>['view'];
  readonly read: ScheduleWriter['read'];
}

const author = systemAuthor('watch');

/** Options of the follower of LedgerBackupSchedules. */
export function followedSchedules(options: ScheduleSyncOptions): FollowedKind<ScheduleObject> {
  const { store, view, read } = options;
  return {
    noun: 'schedule of backups',
    view,
    read,
    placed: () => listPlacedSchedules(store.read),
    take: (object) => take(options, object),
    markGone: ({ uid }) =>
      store.change(
        author,
        async (change) => void (await deleteSchedule(change, scheduleIdOf(uid))),
      ),
  };
}

async function take(options: ScheduleSyncOptions, object: ScheduleObject): Promise<void> {
  const { store } = options;
  const known = await findAnySchedule(store.read, scheduleIdOf(uidOf(object)));
  if (known?.resourceVersion === object.metadata.resourceVersion) return;
  const maker = known === undefined ? await makerOf(options, object) : undefined;
  await store.change(author, async (change) => {
    if (known === undefined) return adopt(change, object, maker);
    const before = await lockSchedule(change, known.id);
    if (before === undefined) return;
    await writeObserved(change, before, object, await databaseIdOf(change, before, object));
  });
}

/** The database that has the name in the schedule; if none has it now, the last one that had it. */
async function databaseIdOf(
  change: Change,
  { organizationId, databaseId, kubernetesNamespace }: BackupSchedule,
  { spec }: ScheduleObject,
): Promise<string> {
  const found = await findDatabaseByName(change.db, organizationId, spec.database);
  return found?.kubernetesNamespace === kubernetesNamespace ? found.id : databaseId;
}

async function adopt(
  change: Change,
  object: ScheduleObject,
  maker: string | undefined,
): Promise<void> {
  if (maker === undefined) return;
  const { namespace = '', name } = object.metadata;
  const organization = await lockOrganizationOf(change, namespace);
  if (organization === undefined) return;
  const database = await findDatabaseByName(change.db, organization.id, object.spec.database);
  if (database?.kubernetesNamespace !== namespace) return;
  await adoptSchedule(change, {
    id: scheduleIdOf(uidOf(object)),
    organizationId: organization.id,
    databaseId: database.id,
    name,
    kubernetesNamespace: namespace,
    ...observeSchedule(object),
    actor: kubernetesAuthor(maker).actor,
  });
}

/** Writes an observation of a locked row. Returns `undefined` if it is not new. */
export async function writeObserved(
  change: Change,
  before: BackupSchedule,
  object: ScheduleObject,
  databaseId: string,
): Promise<BackupSchedule | undefined> {
  const observed = observeSchedule(object);
  const isNew = isOlder(before.resourceVersion, observed.resourceVersion);
  if (!isNew && databaseId === before.databaseId) return undefined;
  return updateSchedule(change, before.id, { ...observed, databaseId });
}
