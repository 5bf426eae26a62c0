/** Removes a backup: the job requests it from the operator, and waits until the resource is gone. */
import { ApiError } from '../../base/kube/kube.ts';
import type { OneBackupObject } from '../../domain/custom-resources.ts';
import type { JobContext, JobHandler, JobOutcome } from '../jobs/handler.ts';
import type { Backup, BackupStatus } from '../model/backup.ts';
import type { Job } from '../model/job.ts';
import type { Change } from '../store/change.ts';
import { findAnyBackup, listRestores, lockBackup, updateBackup } from '../store/backups.ts';
import { findAnyDatabase } from '../store/databases.ts';
import { tellBackup } from './backup-events.ts';
import { backupIdOfJob, statusBefore } from './backup-jobs.ts';
import type { BackupWorld } from './make.ts';
import { toldOf } from './told.ts';

const lookAgainMs = 5_000;
/** Time until the next look after the resource has changed, or while the watch is behind. */
const soonMs = 500;

export const removingHandler = (world: BackupWorld): JobHandler => ({
  async run(context) {
    const backup = await findAnyBackup(world.store.read, backupIdOfJob(context.job));
    if (backup === undefined || backup.removedAt !== null) return done(context);
    const { kubernetesUid: uid, resourceGone } = backup;
    if (uid === null || resourceGone) return withoutResource(context, backup);
    const at = { namespace: backup.kubernetesNamespace, name: backup.resourceName };
    const object = await world.backups.read(at);
    // The watch will report this, too.
    if (object?.metadata.uid !== uid) return { kind: 'again', afterMs: soonMs };
    if (object.spec.protected && !object.spec.removeRequested) {
      return refused('backup_protected', 'The backup was protected in Kubernetes; it stays.');
    }
    if (object.spec.hold !== undefined) {
      return refused('backup_held', `The backup is held by ${object.spec.hold.by}; it stays.`);
    }
    if (!object.spec.removeRequested) {
      try {
        await world.backups.requestRemoval(object);
        // The watch may miss the request: its next observation may be that the resource is gone.
        await context.write((change) => updateBackup(change, backup.id, { removing: true }));
      } catch (error) {
        // 422: it was held meanwhile.
        const isLater = error instanceof ApiError && (error.status === 409 || error.status === 422);
        if (!isLater) throw error;
        return { kind: 'again', afterMs: soonMs };
      }
    }
    await context.step('await_removal', 'RUNNING', {
      percent: 50,
      message: await waitsFor(world, object, backup),
    });
    return { kind: 'again', afterMs: lookAgainMs };
  },

  /** A backup whose removal was refused, or never reached the resource, gets its earlier status back. */
  async ended(change, job) {
    if (job.status !== 'FAILED') return;
    const before = await lockBackup(change, backupIdOfJob(job));
    const isProtected = job.error?.code === 'backup_protected';
    const isRefused =
      isProtected || job.error?.code === 'backup_held' || job.error?.code === 'backup_not_managed';
    if (before?.status !== 'DELETING' || (before.removing && !isRefused)) return;
    await updateBackup(change, before.id, {
      status: statusAgain(before, job),
      ...(isProtected && { protected: true }),
    });
  },
});

/** Status of a backup that stays; it may have ended during the attempt to remove it. */
function statusAgain({ facts, completedAt }: Backup, job: Job): BackupStatus {
  if (facts !== null) return 'SUCCEEDED';
  return completedAt === null ? statusBefore(job) : 'FAILED';
}

/**
 * Without a resource, only backups that never reached the bucket can be removed, and those that the operator had begun to
 * remove from it.
 */
async function withoutResource(context: JobContext, backup: Backup): Promise<JobOutcome> {
  if (backup.facts !== null && !backup.removing) {
    return refused(
      'backup_not_managed',
      'Its resource was deleted in Kubernetes before; the backup stays in the store and can be restored.',
    );
  }
  await context.write((change) => markRemoved(change, backup.id));
  return done(context);
}

/**
 * The reason why a removal waits. Before the operator begins, databases that were begun with the backup must be ready or
 * deleted.
 */
async function waitsFor(
  { store }: BackupWorld,
  { metadata, status }: OneBackupObject,
  { id }: Backup,
): Promise<string> {
  const told = status?.conditions?.find(({ type }) => type === 'Removed');
  if (told !== undefined) return toldOf(told, metadata.name);
  const restores = await listRestores(store.read, [id]);
  return restores.some((one) => one.status === 'FAILED')
    ? 'Waiting for a database that was begun with this backup and has failed; the field restores of the backup names it. Delete that database: then the backup is removed.'
    : 'Waiting until the removal is noted in the store.';
}

async function markRemoved(change: Change, id: string): Promise<void> {
  const before = await lockBackup(change, id);
  if (before === undefined || before.removedAt !== null) return;
  const after = await updateBackup(change, id, { status: 'DELETED' });
  const database = await findAnyDatabase(change.db, after.databaseId);
  if (database !== undefined) tellBackup(change, 'backup.deleted', database, after);
}

async function done(context: JobContext): Promise<JobOutcome> {
  await context.step('await_removal', 'SUCCEEDED', {
    percent: 100,
    message: 'The backup cannot be restored any more; its objects are deleted within two days.',
  });
  return { kind: 'succeeded' };
}

const refused = (code: string, message: string): JobOutcome => ({
  kind: 'failed',
  error: { code, message },
  retryable: false,
});
