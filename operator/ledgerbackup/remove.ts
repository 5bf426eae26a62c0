/**
 * Removes a backup: stops its Jobs, notes its removal in the bucket if its objects are to be deleted, and deletes the resource.
 * The sweep deletes the objects; no namespace of a database ever has its credentials.
 */
import { ApiError } from '../../base/kube/kube.ts';
import type { LedgerBackup } from '../../domain/custom-resources.ts';
import { BackupReason } from '../../domain/conditions.ts';
import { resources } from '../../domain/kinds.ts';
import { backupIdOf, backupWorkName, uidOf } from '../../domain/names.ts';
import { hasDoneItsWork, hasFailed, jobTrouble } from '../ledgerdatabase/jobs.ts';
import { statusManager } from '../field-managers.ts';
import { lendStore } from '../store/lend.ts';
import { borrowerOf } from './borrower.ts';
import { endOf, type End } from './end-of.ts';
import {
  LOOK_AGAIN_MS,
  timeOf,
  type BackupEnvironment,
  type BackupObject,
  type Verdict,
} from './environment.ts';
import { deleteJob, jobsOf, podsOfJob, startJob } from './own-jobs.ts';
import { failureOf } from './result.ts';
import { liveSurroundings } from './surroundings.ts';
import { buildWorkJob } from './work-job.ts';

/** Memory for writing a note: that of Node. */
const MEMORY_MIB = 192;
const DEADLINE_SECONDS = 1_800;
const AGAIN_AFTER_FAILURE_MS = 600_000;

/** Returns `undefined` once the resource is deleted, or if it stays after all. */
export async function remove(
  environment: BackupEnvironment,
  backup: BackupObject,
  { fromBucket }: End,
): Promise<Verdict<string> | undefined> {
  const { kube } = environment;
  // The caches may be old, and this cannot be undone.
  const live = await liveSurroundings(environment, backup);
  const now = live.backups.find(({ metadata }) => metadata.uid === uidOf(backup));
  if (now === undefined || endOf(now, live) === undefined) return undefined;
  if (now.status?.removalBegunAt === undefined) {
    // The watch brings the next look.
    await noteBeginning(environment, now);
    return undefined;
  }
  const isMade = now.status?.databaseId !== undefined;
  if (fromBucket && isMade) {
    const verdict = await removeFromBucket(environment, backup);
    if (verdict !== undefined) return verdict;
  }
  const { namespace, name } = backup.metadata;
  await kube.delete(
    { resource: resources.backup, namespace, name },
    { uid: uidOf(backup), propagationPolicy: 'Background' },
  );
  return undefined;
}

/**
 * Notes in the resource that its removal begins, before anything is done. The API server takes either this or a hold, whichever comes
 * first; what came first brings the next look.
 */
async function noteBeginning(
  { kube, nowMs }: BackupEnvironment,
  { metadata }: LedgerBackup,
): Promise<void> {
  const { namespace = '', name, uid, resourceVersion } = metadata;
  try {
    await kube.mergePatch(
      { resource: resources.backup, namespace, name },
      { metadata: { uid, resourceVersion }, status: { removalBegunAt: timeOf({ nowMs }) } },
      { fieldManager: statusManager, subresource: 'status' },
    );
  } catch (error) {
    if (!(error instanceof ApiError) || (error.status !== 409 && error.status !== 422)) throw error;
  }
}

/** Returns `undefined` once the removal is noted. */
async function removeFromBucket(
  environment: BackupEnvironment,
  backup: BackupObject,
): Promise<Verdict<string> | undefined> {
  const { options, kube } = environment;
  const { store } = options;
  if (store === undefined) {
    return waits(
      BackupReason.StoreNotConfigured,
      'the operator knows no bucket for backups: set backups.store of its chart',
    );
  }
  const borrower = borrowerOf(environment, backup);
  if ('problem' in borrower) return waits(BackupReason.Running, borrower.problem);
  const { subject, owner } = borrower;
  const name = backupWorkName(subject.workload, 'remove', uidOf(backup));
  const jobs = jobsOf(environment, backup);
  // No other Job may go on making or reading it.
  for (const other of jobs.filter(({ metadata }) => metadata.name !== name))
    await deleteJob(environment, other);
  const job = jobs.find(({ metadata }) => metadata.name === name);
  if (job === undefined) {
    const waiting = waitAfterFailure(environment, backup);
    if (waiting !== undefined) return waiting;
    const args = ['remove-backup', `--backup=${backupIdOf(uidOf(backup))}`];
    const made = buildWorkJob({
      backup,
      subject,
      store,
      work: 'remove',
      name,
      args,
      memoryMib: MEMORY_MIB,
      deadlineSeconds: DEADLINE_SECONDS,
    });
    const refusal = await startJob(environment, backup, made, () =>
      lendStore(kube, subject, store, owner),
    );
    if (refusal !== undefined) return waits(BackupReason.Delayed, refusal);
    return waits(BackupReason.Running, `Job ${name} notes in the bucket that it is removed`);
  }
  const pods = podsOfJob(environment, job);
  if (hasDoneItsWork(job, pods)) return undefined;
  const trouble = jobTrouble(job, pods);
  if (!hasFailed(job)) {
    return trouble === undefined
      ? waits(BackupReason.Running, `Job ${name} notes in the bucket that it is removed`)
      : waits(BackupReason.Delayed, trouble);
  }
  if (toldFailure(backup) !== undefined) {
    await deleteJob(environment, job);
    return (
      waitAfterFailure(environment, backup) ?? waits(BackupReason.Running, 'it is tried again')
    );
  }
  // The Job stays until its result is in the status, which is not always written at the first try.
  const { reason, message } = failureOf(pods, trouble ?? `Job ${name} failed without a message`);
  return {
    status: 'False',
    reason,
    message: `${message}; it is tried again in ten minutes`,
    requeueAfterMs: AGAIN_AFTER_FAILURE_MS,
  };
}

/** The result of the last removal if it failed; while one runs, `Removed` is unknown. */
const toldFailure = ({ status }: BackupObject) =>
  status?.conditions?.find((row) => row.type === 'Removed' && row.status === 'False');

/** The result of a failed removal, until it is tried again. */
function waitAfterFailure(
  { nowMs }: BackupEnvironment,
  backup: BackupObject,
): Verdict<string> | undefined {
  const told = toldFailure(backup);
  if (told === undefined) return undefined;
  const leftMs = Date.parse(told.lastTransitionTime) + AGAIN_AFTER_FAILURE_MS - nowMs();
  // More than all: a clock was wrong.
  if (leftMs <= 0 || leftMs > AGAIN_AFTER_FAILURE_MS) return undefined;
  const { reason, message } = told;
  return { status: 'False', reason, message, requeueAfterMs: leftMs };
}

const waits = (reason: BackupReason, message: string): Verdict => ({
  status: 'Unknown',
  reason,
  message,
  requeueAfterMs: LOOK_AGAIN_MS,
});
