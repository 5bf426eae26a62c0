/** Holds backups, and releases them. The resource counts: the operator removes nothing that has a hold. */
import { ApiError } from '../../base/kube/kube.ts';
import type { Caller } from '../databases/database-service.ts';
import { requireDatabase } from '../databases/require.ts';
import { orChanged } from '../kubernetes/or-changed.ts';
import type { OneBackupObject } from '../../domain/custom-resources.ts';
import type { Backup, BackupHold } from '../model/backup.ts';
import type { FieldChange } from '../model/event.ts';
import { canonicalJson } from '../model/canonical-json.ts';
import { findBackup, lockBackup, updateBackup } from '../store/backups.ts';
import type { Database } from '../store/database-record.ts';
import { tellBackup } from './backup-events.ts';
import { backupBusy, backupHeld, backupNotFound, backupNotManaged } from './refusal.ts';
import type { BackupServices } from './request-backup.ts';

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
  const { database, backup } = await found(services, caller, place);
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
  await orChanged(backup.name, () =>
    backups.hold(object, hold).catch((error: unknown) => {
      // Its removal began since it was read.
      if (error instanceof ApiError && error.status === 422) throw backupBusy(backup);
      throw error;
    }),
  );
  return noted(services, caller, database, backup, hold);
}

export async function releaseBackup(
  services: BackupServices,
  caller: Caller,
  place: Place,
): Promise<Backup> {
  const { database, backup } = await found(services, caller, place);
  const object = await resourceOf(services, backup);
  if (object.spec.hold !== undefined) {
    await orChanged(backup.name, () => services.backups.hold(object, null));
  }
  return noted(services, caller, database, backup, null);
}

async function found(
  { store }: BackupServices,
  { organization }: Caller,
  { databaseId, backupId }: Place,
): Promise<{ readonly database: Database; readonly backup: Backup }> {
  const database = await requireDatabase(store.read, organization.id, databaseId);
  const backup = await findBackup(store.read, databaseId, backupId);
  if (backup === undefined || backup.removedAt !== null) throw backupNotFound(backupId);
  return { database, backup };
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

/** The event is told once: here, or by the watch if it saw the resource first. */
async function noted(
  { store }: BackupServices,
  { author }: Caller,
  database: Database,
  { id }: Backup,
  hold: BackupHold | null,
): Promise<Backup> {
  return store.change(author, async (change) => {
    const before = await lockBackup(change, id);
    if (before === undefined) throw backupNotFound(id);
    const changes = holdChange(before.hold, hold);
    if (changes.length === 0) return before;
    const after = await updateBackup(change, id, { hold });
    const type = hold === null ? 'backup.released' : 'backup.held';
    tellBackup(change, type, database, after, { changes });
    return after;
  });
}

export const holdChange = (
  from: BackupHold | null,
  to: BackupHold | null,
): readonly FieldChange[] =>
  canonicalJson(from) === canonicalJson(to) ? [] : [{ path: '/hold', from, to }];
