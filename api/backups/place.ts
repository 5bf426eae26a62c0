/**
 * Creates the resource of a requested backup, at most once. Its name follows from the ID of the row, so that every worker means the
 * same resource. A worker that was frozen may wake up after the resource was made, used and deleted: it must not make another one.
 */
import type { OneBackupObject } from '../../domain/custom-resources.ts';
import { clusterRefusalOf } from '../jobs/cluster-refusal.ts';
import { mustBeOurs, type JobContext, type JobOutcome } from '../jobs/handler.ts';
import { showStep } from '../jobs/show-step.ts';
import type { Backup } from '../model/backup.ts';
import { findAnyBackup, lockBackup, updateBackup } from '../store/backups.ts';
import type { Database } from '../store/database-record.ts';
import { findAnyDatabase } from '../store/databases.ts';
import { JobLeaseLost } from '../store/job-leases.ts';
import type { BackupWorld } from './make.ts';

const lookAgainMs = 10_000;

/** Creates the resource, or finds the one that a worker made before it died. */
export async function place(
  world: BackupWorld,
  context: JobContext,
  backup: Backup,
): Promise<JobOutcome> {
  const database = await findAnyDatabase(world.store.read, backup.databaseId);
  if (database === undefined || database.deletedAt !== null) {
    return failed('superseded', 'The database was deleted before its backup began.');
  }
  try {
    const found = await world.backups.read(placeOf(backup));
    const made = found ?? (await create(world, context, backup, database));
    // Another process was faster: the next look finds the resource.
    if (made?.metadata.uid === undefined) return { kind: 'again', afterMs: 100 };
    if (made.spec.database !== database.name) {
      const message = `There is a LedgerBackup ${made.metadata.name} of another database.`;
      return failed('name_conflict', message);
    }
    await record(context, backup, made.metadata.uid).catch(async (error: unknown) => {
      if (found === undefined && error instanceof JobLeaseLost) await takeBack(world, backup, made);
      throw error;
    });
  } catch (error) {
    const refusal = clusterRefusalOf(error);
    if (refusal === undefined) throw error;
    return failed(refusal.code, refusal.message);
  }
  await showStep(context, 'take_checkpoint', 30, 'The resource exists; waiting for the operator.');
  return { kind: 'again', afterMs: lookAgainMs };
}

async function create(
  { backups }: BackupWorld,
  context: JobContext,
  backup: Backup,
  database: Database,
): Promise<OneBackupObject | undefined> {
  await mustBeOurs(context);
  return backups.create(placeOf(backup), database.id, {
    database: database.name,
    type: 'Manual',
    ...(backup.method === 'FILES' && { method: 'Files' }),
    protected: backup.protected,
    removeRequested: false,
    reclaimPolicy: 'Delete',
    ...(backup.expiresAt !== null && { expiresAt: backup.expiresAt.toISOString() }),
  });
}

const record = (context: JobContext, { id }: Backup, uid: string): Promise<void> =>
  context.write(async (change) => {
    const before = await lockBackup(change, id);
    if (before?.kubernetesUid === null) await updateBackup(change, id, { kubernetesUid: uid });
  });

/**
 * Deletes a resource that was created after the lease was lost, unless it is the only one: another worker then finds it by its name.
 */
async function takeBack(
  { store, backups }: BackupWorld,
  backup: Backup,
  { metadata: { uid = '' } }: OneBackupObject,
): Promise<void> {
  const now = await findAnyBackup(store.read, backup.id);
  const isAwaited = now?.status === 'QUEUED' && now.kubernetesUid === null;
  if (isAwaited || now?.kubernetesUid === uid) return;
  await backups.delete(placeOf(backup), uid);
}

const placeOf = ({ kubernetesNamespace, resourceName }: Backup) => ({
  namespace: kubernetesNamespace,
  name: resourceName,
});

const failed = (code: string, message: string): JobOutcome => ({
  kind: 'failed',
  error: { code, message },
  retryable: false,
});
