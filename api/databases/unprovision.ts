/**
 * Unprovisioning: work of the job that deletes a database. The resource is deleted; the volumes stay, or are deleted after a
 * last backup.
 */
import { observe } from '../backups/observe.ts';
import type { BackupWriter } from '../kubernetes/backup-writer.ts';
import type { DatabaseIdentity, DatabaseWriter } from '../kubernetes/database-writer.ts';
import { StallReason } from '../../domain/conditions.ts';
import type { DatabaseObject, DatabaseSpec } from '../../domain/custom-resources.ts';
import { labels, volumesFinalizer } from '../../domain/names.ts';
import type { Database } from '../store/database-record.ts';
import type { Look } from './provision.ts';

interface UnprovisioningWorld {
  readonly writer: DatabaseWriter;
  readonly nowMs: () => number;
  /** Marks the row as DELETED. */
  readonly removed: (database: Database) => Promise<void>;
  /** Whether the store has a last backup of the database that ended then or later. */
  readonly hasLastBackup: (database: Database, since: Date) => Promise<boolean>;
  readonly backups: Pick<BackupWriter, 'list'>;
  /** Records that the volumes are gone, so that nobody is told to restore from them. */
  readonly purged: (database: Database) => Promise<void>;
}

const lookAgainMs = 2_000;
/** Maximum age of a request to the API server that may still create the resource after its worker lost the job. */
const creationMaxMs = 15_000;
/**
 * Maximum time between the end of the last backup and the request for the deletion: somebody may have deleted the resource in Kubernetes
 * before. Each change of shape has left a backup of that type, too, and so may have a deletion that was taken back.
 */
const lastBackupMaxMs = 24 * 3_600_000;

interface UnprovisioningOptions {
  readonly unprotect: boolean;
  /** Whether the volumes are deleted, after a backup. */
  readonly finalBackup: boolean;
}

export async function unprovision(
  world: UnprovisioningWorld,
  database: Database,
  { unprotect, finalBackup }: UnprovisioningOptions,
): Promise<Look> {
  const { writer, nowMs, removed } = world;
  if (database.status === 'DELETED') return afterwards(world, database, finalBackup);
  const identity: DatabaseIdentity = {
    namespace: database.kubernetesNamespace,
    name: database.name,
    databaseId: database.id,
  };
  const found = await writer.read(identity);
  const uid = found?.metadata.uid;
  // If the process that made the resource died before it recorded the UID, the resource still has the ID as a label.
  const ours =
    uid !== undefined &&
    (uid === database.kubernetesUid || found?.metadata.labels?.[labels.databaseId] === database.id);
  if (!ours && mayStillCome(database, nowMs())) {
    return goingOn('Waiting until no part of the database is still being created.');
  }
  if (!ours || found === undefined) {
    await removed(database);
    if (finalBackup) return goingOn('The database is gone; looking for its last backup.');
    return afterwards(world, database, finalBackup);
  }
  const change = (deletionPolicy: DatabaseSpec['deletionPolicy']) =>
    writer.change(identity, uid, { deletionPolicy });
  if (found.metadata.deletionTimestamp === undefined) {
    // A person protected the resource after the deletion was accepted.
    if (found.spec.deletionProtection && !unprotect) {
      // Its volumes must not go when somebody deletes it later.
      if (finalBackup && found.spec.deletionPolicy === 'BackupThenDelete') await change('Retain');
      return protectedMeanwhile;
    }
    if (finalBackup && !isHeld(found)) {
      await change('BackupThenDelete');
      return goingOn('Waiting until the operator holds the volumes for the last backup.');
    }
    const deletionPolicy = finalBackup ? 'BackupThenDelete' : 'Retain';
    await writer.delete(identity, uid, { unprotect, deletionPolicy });
  } else if (!finalBackup && found.spec.deletionPolicy !== 'Retain') {
    // An earlier deletion with a last backup is in progress, or waits for an impossible backup. This one keeps the volumes.
    await change('Retain');
  }
  const trouble = troubleOfBackup(found);
  if (trouble !== undefined && finalBackup) return withoutBackup(trouble);
  return goingOn(finalBackup ? 'The last backup is made.' : 'The replicas are stopping.');
}

/** Without the finalizer, the resource would be gone before its backup. */
const isHeld = ({ metadata, spec }: DatabaseObject): boolean =>
  spec.deletionPolicy === 'BackupThenDelete' &&
  metadata.finalizers?.includes(volumesFinalizer) === true;

/** The reason why the operator cannot make the backup that the volumes wait for. */
const troubleOfBackup = ({ status }: DatabaseObject): string | undefined =>
  status?.conditions?.find(
    ({ type, status: is, reason }) =>
      type === 'Stalled' && is === 'True' && reason === StallReason.BackupsUnavailable,
  )?.message;

/** Whether a request of the cancelled creation may still be under way and make the resource. */
const mayStillCome = ({ kubernetesUid, deletedAt }: Database, nowMs: number): boolean =>
  kubernetesUid === null && deletedAt !== null && nowMs - deletedAt.getTime() < creationMaxMs;

const goingOn = (message: string): Look => ({
  kind: 'going_on',
  step: 'await_removal',
  percent: 50,
  message,
  againInMs: lookAgainMs,
});

const protectedMeanwhile: Look = {
  kind: 'failed',
  code: 'deletion_protected',
  message: 'The database was protected in Kubernetes before it was deleted; nothing was deleted.',
  // The deletion is over: to delete, a person must remove the protection and request it again.
  final: true,
};

const withoutBackup = (why: string): Look => ({
  kind: 'failed',
  code: 'final_backup_failed',
  message: `The last backup could not be made, and no data are lost. Retry this job when the cause is gone, or delete the database again without finalBackup. The operator says: ${why}`,
});

/** A missing resource does not prove a backup: somebody may have removed the resource without one. */
async function afterwards(
  world: UnprovisioningWorld,
  database: Database,
  finalBackup: boolean,
): Promise<Look> {
  const since = new Date((database.deletedAt?.getTime() ?? 0) - lastBackupMaxMs);
  const isBackedUp =
    (await world.hasLastBackup(database, since)) || (await isMade(world, database, since));
  // The operator may have begun to delete the volumes before it was told to keep them.
  if (!finalBackup) return isBackedUp ? doneLate : done;
  if (isBackedUp) {
    await world.purged(database);
    return doneWithBackup;
  }
  return {
    kind: 'failed',
    code: 'final_backup_failed',
    message: `The database is gone, and no last backup of it has succeeded. What is left of its volumes can be restored until ${database.purgeAt?.toISOString() ?? 'they are purged'}.`,
    // There is nothing left to delete.
    final: true,
  };
}

/**
 * Rows follow the resources by a watch, which may be late. The operator reports a last backup before it lets the database go.
 */
const isMade = async (
  { backups }: UnprovisioningWorld,
  { id, kubernetesNamespace }: Database,
  since: Date,
): Promise<boolean> =>
  (await backups.list(kubernetesNamespace)).some(
    (one) =>
      one.spec.type === 'Final' &&
      one.status?.databaseId === id &&
      Date.parse(one.status.completedAt ?? '') >= since.getTime() &&
      observe(one).status === 'SUCCEEDED',
  );

const done: Look = {
  kind: 'done',
  message: 'The database is deleted; its volumes stay until they are purged.',
};

const doneLate: Look = {
  kind: 'done',
  message:
    'The database is deleted. It has a last backup, and the operator may have begun to delete its volumes before it was told to keep them: what is left of them stays until it is purged. A new database can begin with the backup.',
};

const doneWithBackup: Look = {
  kind: 'done',
  message: 'The database is deleted with its volumes; a new one can begin with its last backup.',
};
