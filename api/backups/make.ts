/**
 * Makes a backup: the job creates the resource and waits for the operator's result, which the watch writes into the row. It
 * finds and continues work that any process began before.
 */
import { sentence } from '../../base/sentence.ts';
import { BackupReason } from '../../domain/conditions.ts';
import type { JobContext, JobHandler, JobOutcome } from '../jobs/handler.ts';
import { showStep } from '../jobs/show-step.ts';
import type { BackupWriter } from '../kubernetes/backup-writer.ts';
import type { Backup } from '../model/backup.ts';
import type { JobError } from '../model/job.ts';
import { findAnyBackup, lockBackup, updateBackup } from '../store/backups.ts';
import type { Change } from '../store/change.ts';
import { findAnyDatabase } from '../store/databases.ts';
import type { Store } from '../store/store.ts';
import { tellBackup } from './backup-events.ts';
import { backupIdOfJob } from './backup-jobs.ts';
import { place } from './place.ts';

export interface BackupWorld {
  readonly store: Store;
  readonly backups: BackupWriter;
  readonly nowMs: () => number;
}

const lookAgainMs = 10_000;
/** Time for the operator to begin: a database that is not ready for this long must be repaired first. */
const beginMaxMs = 30 * 60_000;

export const makingHandler = (world: BackupWorld): JobHandler => ({
  async run(context) {
    const backup = await findAnyBackup(world.store.read, backupIdOfJob(context.job));
    if (backup === undefined || backup.removedAt !== null || backup.status === 'DELETING') {
      return failed('superseded', 'The backup was deleted.');
    }
    if (backup.status === 'SUCCEEDED') {
      await context.step('copy', 'SUCCEEDED', { percent: 100, message: 'The backup is made.' });
      return { kind: 'succeeded' };
    }
    if (backup.status === 'FAILED') return hasFailed(world, backup);
    if (backup.kubernetesUid === null) return place(world, context, backup);
    return (await giveUp(world, context, backup)) ?? goOn(context, backup);
  },

  /** A backup that the job gave up has failed. A backup with a resource goes on, whatever the job's end. */
  async ended(change, job) {
    if (job.status !== 'FAILED' || job.error === null) return;
    const before = await lockBackup(change, backupIdOfJob(job));
    if (before?.status !== 'QUEUED') return;
    if (before.kubernetesUid !== null && job.error.code === 'job_deadline_exceeded') return;
    await fail(change, before, job.error);
  },
});

async function fail(change: Change, { id }: Backup, { code, message }: JobError): Promise<Backup> {
  const after = await updateBackup(change, id, {
    status: 'FAILED',
    statusReason: { code, message },
    completedAt: new Date(),
  });
  const database = await findAnyDatabase(change.db, after.databaseId);
  if (database !== undefined) tellBackup(change, 'backup.failed', database, after);
  return after;
}

/**
 * Ends a backup that would wait for a person, or for too long. It is marked as failed before its resource is deleted, so that
 * observers of the deletion keep the reason.
 */
async function giveUp(
  world: BackupWorld,
  context: JobContext,
  backup: Backup,
): Promise<JobOutcome | undefined> {
  const { id, status, statusReason, createdAt } = backup;
  const { kubernetesUid, kubernetesNamespace, resourceName } = backup;
  if (status !== 'QUEUED' || kubernetesUid === null) return undefined;
  const withoutStore = statusReason?.code === BackupReason.StoreNotConfigured;
  // A worker makes the resource; the operator could not begin before a worker took the job.
  const since = context.job.startedAt ?? createdAt;
  const late = world.nowMs() - since.getTime() > beginMaxMs;
  if (!withoutStore && !late) return undefined;
  // A worker that has just begun to watch may know less than the resource.
  const object = await world.backups.read({ namespace: kubernetesNamespace, name: resourceName });
  const { startedAt, completedAt } = object?.status ?? {};
  const isBegun = startedAt !== undefined || completedAt !== undefined;
  if (object?.metadata.uid === kubernetesUid && isBegun) return undefined;
  const message = sentence(statusReason?.message ?? 'the operator did not report it');
  const reason = withoutStore
    ? { code: 'backups_not_configured', message }
    : {
        code: 'backup_not_begun',
        message: `The backup did not begin within half an hour. ${message}`,
      };
  const given = await context.write(async (change) => {
    const before = await lockBackup(change, id);
    return before?.status === 'QUEUED' ? fail(change, before, reason) : undefined;
  });
  return given === undefined ? { kind: 'again', afterMs: 100 } : hasFailed(world, given);
}

const givenUp: ReadonlySet<string> = new Set(['backups_not_configured', 'backup_not_begun']);

/** Deletes the resource of a backup that was given up, so that it does not begin when nobody expects it. */
async function hasFailed(
  { backups }: BackupWorld,
  { statusReason, kubernetesUid, resourceGone, kubernetesNamespace, resourceName }: Backup,
): Promise<JobOutcome> {
  const { code, message } = statusReason ?? { code: '', message: 'The backup failed.' };
  if (!givenUp.has(code)) return failed('backup_failed', message);
  if (kubernetesUid !== null && !resourceGone) {
    await backups.delete({ namespace: kubernetesNamespace, name: resourceName }, kubernetesUid);
  }
  return failed(code, message);
}

async function goOn(context: JobContext, { status, statusReason }: Backup): Promise<JobOutcome> {
  const why = statusReason === null ? '' : ` ${sentence(statusReason.message)}`;
  await (status === 'RUNNING'
    ? showStep(context, 'copy', 60, `Copying new data into the store.${why}`)
    : showStep(context, 'take_checkpoint', 30, `Waiting for a replica.${why}`));
  return { kind: 'again', afterMs: lookAgainMs };
}

const failed = (code: string, message: string): JobOutcome => ({
  kind: 'failed',
  error: { code, message },
  retryable: false,
});
