/** Holds backups, and releases them. The resource counts: the operator removes nothing that has a hold. */
import { ApiError } from '../../base/kube/kube.ts';
import type { Caller } from '../databases/database-service.ts';
import { requireDatabase } from '../databases/require.ts';
import { orChanged } from '../kubernetes/or-changed.ts';
import type { OneBackupObject } from '../../domain/custom-resources.ts';
import type { Author } from '../model/actor.ts';
import type { Backup } from '../model/backup.ts';
import { findBackup, lockBackup } from '../store/backups.ts';
import { wakeJobOf } from '../store/jobs.ts';
import { backupBusy, backupHeld, backupNotFound, backupNotManaged } from './refusal.ts';
import type { BackupServices } from './request-backup.ts';
import { takeObservation, watchAuthor } from './take-observation.ts';

interface Place {
  readonly databaseId: string;
  readonly backupId: string;
}

const byMax = 256;

export async function holdBackup(
  services: BackupServices,
  caller: Caller,
  place: Place,
  reason: string,
): Promise<Backup> {
  const backup = await found(services, caller, place);
  const { backups, now } = services;
  const hold = {
    reason,
    by: caller.author.actor.display.slice(0, byMax),
    at: now().toISOString(),
  };
  const object = await resourceOf(services, backup);
  if (object.spec.hold !== undefined)
    throw backupHeld({ name: backup.name, hold: object.spec.hold });
  // A removal that is under way may have reached the bucket.
  const isGoing = object.spec.removeRequested || object.status?.removalBegunAt !== undefined;
  if (isGoing || backup.status === 'DELETING') throw backupBusy(backup);
  await noted(services, watchAuthor, backup, object);
  const held = await orChanged(backup.name, () =>
    backups.hold(object, hold).catch((error: unknown) => {
      // Its removal began since it was read.
      if (error instanceof ApiError && error.status === 422) throw backupBusy(backup);
      throw error;
    }),
  );
  return noted(services, caller.author, backup, held);
}

export async function releaseBackup(
  services: BackupServices,
  caller: Caller,
  place: Place,
): Promise<Backup> {
  const backup = await found(services, caller, place);
  const object = await resourceOf(services, backup);
  const seen = await noted(services, watchAuthor, backup, object);
  if (object.spec.hold === undefined) return seen;
  const released = await orChanged(backup.name, () => services.backups.hold(object, null));
  return noted(services, caller.author, backup, released);
}

async function found(
  { store }: BackupServices,
  { organization }: Caller,
  { databaseId, backupId }: Place,
): Promise<Backup> {
  await requireDatabase(store.read, organization.id, databaseId);
  const backup = await findBackup(store.read, databaseId, backupId);
  if (backup === undefined || backup.removedAt !== null) throw backupNotFound(backupId);
  return backup;
}

/** The resource from the API server. */
async function resourceOf({ backups }: BackupServices, backup: Backup): Promise<OneBackupObject> {
  const { kubernetesUid, kubernetesNamespace: namespace, resourceName: name } = backup;
  if (backup.resourceGone) throw backupNotManaged(backup);
  if (kubernetesUid === null) throw backupBusy(backup);
  const object = await backups.read({ namespace, name });
  if (object?.metadata.uid !== kubernetesUid) throw backupNotManaged(backup);
  return object;
}

/**
 * Writes the resource into the row as it is now, unless the watch has seen this or a later version: what is released meanwhile is not
 * held again, and an older version that the watch has yet to write releases nothing.
 */
async function noted(
  { store }: BackupServices,
  author: Author,
  { id }: Backup,
  object: OneBackupObject,
): Promise<Backup> {
  const after = await store.change(author, async (change) => {
    const before = await lockBackup(change, id);
    if (before === undefined) throw backupNotFound(id);
    return (await takeObservation(change, before, object)) ?? before;
  });
  // The watch leaves out what it finds written.
  await wakeJobOf(store.read, after.databaseId);
  return after;
}
