/** The two backups of a change of shape: one while the database serves, and its last one, which the operator makes. */
import { sentence } from '../../base/sentence.ts';
import { finalBackupName } from '../../domain/names.ts';
import { observe } from '../backups/observe.ts';
import type { JobContext, JobOutcome } from '../jobs/handler.ts';
import { showStep } from '../jobs/show-step.ts';
import type { BackupWriter } from '../kubernetes/backup-writer.ts';
import type { ConfigurationChange } from '../model/configuration-change.ts';
import type { Database } from '../store/database-record.ts';

interface BackingUp {
  readonly backups: BackupWriter;
  readonly nowMs: () => number;
}

const soonMs = 1_000;
/** The last backup has everything that this one has. */
const keptMs = 7 * 24 * 3_600_000;
/** Time for the operator to begin. */
const beginMaxMs = 30 * 60_000;

/**
 * A backup while the database serves: it shows that the store takes what the change needs, and leaves little for the last one, for
 * which everybody waits. `made`: it has succeeded.
 */
export async function backUpFirst(
  { backups, nowMs }: BackingUp,
  context: JobContext,
  { change, database }: { readonly change: ConfigurationChange; readonly database: Database },
): Promise<'made' | JobOutcome> {
  const place = { namespace: database.kubernetesNamespace, name: nameOf(change) };
  const known = await backups.read(place);
  if (known !== undefined && observe(known).status === 'SUCCEEDED') return 'made';
  await showStep(context, 'back_up', 10, 'A backup is made while the database serves.');
  const found =
    known ??
    (await backups.create(place, database.id, {
      database: database.name,
      type: 'PreChange',
      protected: false,
      reclaimPolicy: 'Delete',
      expiresAt: new Date(nowMs() + keptMs).toISOString(),
      removeRequested: false,
    }));
  if (found === undefined) return { kind: 'again', afterMs: soonMs };
  const { status, statusReason } = observe(found);
  const why = statusReason?.message ?? '';
  if (status !== 'QUEUED' && status !== 'RUNNING') return withoutBackup(why);
  const ageMs = nowMs() - Date.parse(found.metadata.creationTimestamp ?? '');
  const isIdle = status === 'QUEUED' && ageMs > beginMaxMs;
  if (isIdle || statusReason?.code === 'StoreNotConfigured') {
    // It must not begin when nobody expects it.
    await backups.delete(place, found.metadata.uid ?? '');
    return withoutBackup(why === '' ? 'it did not begin within half an hour' : why);
  }
  const message = `A backup is made while the database serves. ${sentence(why)}`.trim();
  await showStep(context, 'back_up', 15, message);
  return { kind: 'again', afterMs: soonMs };
}

/** It follows from the change, so that every worker means the same one. */
const nameOf = ({ id }: ConfigurationChange): string => `shape-${id.slice(id.indexOf('_') + 1)}`;

const withoutBackup = (why: string): JobOutcome => ({
  kind: 'failed',
  error: { code: 'backup_failed', message: `No backup could be made. ${sentence(why)}`.trim() },
  retryable: false,
});

interface LastBackup {
  /** `queued`: it has not begun, and never does once its database is gone. */
  readonly state: 'queued' | 'running' | 'succeeded' | 'failed';
  readonly uid: string;
  /** When it ended; `undefined` while it has not. */
  readonly completedAt: Date | undefined;
  readonly message: string | undefined;
}

export async function lastBackupOf(
  backups: BackupWriter,
  { kubernetesNamespace: namespace, id }: Pick<Database, 'kubernetesNamespace' | 'id'>,
  workload: string,
): Promise<LastBackup | undefined> {
  const found = await backups.read({ namespace, name: finalBackupName(workload) });
  if (found === undefined || found.spec.type !== 'Final') return undefined;
  const { status, statusReason } = observe(found);
  const isOurs = found.status?.databaseId === id;
  const ended = status === 'SUCCEEDED' && isOurs ? 'succeeded' : 'failed';
  const state = status === 'QUEUED' ? 'queued' : status === 'RUNNING' ? 'running' : ended;
  const at = found.status?.completedAt;
  const completedAt = at === undefined ? undefined : new Date(at);
  const uid = found.metadata.uid ?? '';
  return { state, uid, completedAt, message: statusReason?.message };
}

/**
 * Removes the resource of a last backup that has not succeeded: the operator would take it for that of the next change of shape, and its
 * Job, if it still runs, has the volume open. Returns why another one is in the way.
 */
export async function removeUnfinished(
  backups: BackupWriter,
  { kubernetesNamespace: namespace }: Pick<Database, 'kubernetesNamespace'>,
  workload: string,
): Promise<string | undefined> {
  const place = { namespace, name: finalBackupName(workload) };
  const found = await backups.read(place);
  if (found === undefined) return undefined;
  if (observe(found).status === 'SUCCEEDED')
    return `the name of the last backup is taken: delete LedgerBackup ${place.name} in Kubernetes`;
  await backups.delete(place, found.metadata.uid ?? '');
  return undefined;
}
