/** Looks after one backup: it is made once, proven now and then, and removed when it is due. */
import { cutText } from '../../base/cut-text.ts';
import type { Key, Outcome } from '../runtime/controller.ts';
import { sameStatus, setConditions, type NextCondition } from '../runtime/conditions.ts';
import { resources } from '../../domain/kinds.ts';
import { backupIdOf, uidOf } from '../../domain/names.ts';
import { statusManager } from '../field-managers.ts';
import { endOf } from './end-of.ts';
import type { BackupEnvironment, BackupObject, BackupStatus, Verdict } from './environment.ts';
import { make } from './make.ts';
import { deleteJob, jobsOf } from './own-jobs.ts';
import { remove } from './remove.ts';
import { keptForMs } from './restores.ts';
import { stateOf } from './states.ts';
import { surroundingsOf } from './surroundings.ts';
import { verify } from './verify.ts';

/** What was kept for a database that goes back is looked at when that time is over, and in between like everything else. */
const LOOK_WHILE_KEPT_MS = 600_000;

export async function reconcileBackup(environment: BackupEnvironment, key: Key): Promise<Outcome> {
  const backup = environment.backups.get(key.namespace, key.name);
  if (backup === undefined || backup.metadata.deletionTimestamp !== undefined) return {};
  const around = surroundingsOf(environment, backup);
  const end = endOf(backup, around);
  if (end !== undefined) {
    const verdict = await remove(environment, backup, end);
    return verdict === undefined ? {} : tell(environment, backup, 'Removed', verdict);
  }
  const state = stateOf(backup);
  if (state === 'running') {
    const database = environment.databases.get(key.namespace, backup.spec.database);
    return tell(environment, backup, 'Succeeded', await make(environment, backup, database));
  }
  const verdict = state === 'succeeded' ? await verify(environment, backup) : undefined;
  if (verdict !== undefined) {
    const outcome = await tell(environment, backup, 'Verified', verdict);
    if (outcome.requeueAfterMs !== undefined) return outcome;
  }
  for (const job of jobsOf(environment, backup)) await deleteJob(environment, job);
  const keptMs = keptForMs(backup, around);
  return keptMs === undefined ? {} : { requeueAfterMs: Math.min(keptMs, LOOK_WHILE_KEPT_MS) };
}

type ConditionType = 'Succeeded' | 'Verified' | 'Removed';
const order: readonly ConditionType[] = ['Succeeded', 'Verified', 'Removed'];

async function tell(
  environment: BackupEnvironment,
  backup: BackupObject,
  type: ConditionType,
  { status, reason, message, facts = {}, requeueAfterMs }: Verdict<string>,
): Promise<Outcome> {
  const now: NextCondition = { type, status, reason, message: cutText(message, 1_024) };
  await writeStatus(environment, backup, now, facts);
  return requeueAfterMs === undefined ? {} : { requeueAfterMs };
}

async function writeStatus(
  { kube, nowMs }: BackupEnvironment,
  backup: BackupObject,
  now: NextCondition,
  facts: Partial<BackupStatus>,
): Promise<void> {
  const { apiVersion, kind, metadata } = backup;
  const { conditions: before = [], ...known } = backup.status ?? {};
  const observedGeneration = metadata.generation ?? 0;
  const next = order.flatMap((type) =>
    type === now.type ? [now] : before.filter((one) => one.type === type),
  );
  const status = {
    ...known,
    backupId: backupIdOf(uidOf(backup)),
    ...facts,
    observedGeneration,
    conditions: setConditions(before, next, { observedGeneration, nowMs: nowMs() }),
  };
  if (sameStatus(status, backup.status)) return;
  const { name, namespace, resourceVersion } = metadata;
  await kube.apply(
    resources.backup,
    {
      apiVersion,
      kind,
      metadata: { name, namespace, resourceVersion },
      status,
    } as unknown as BackupObject,
    { fieldManager: statusManager, force: true, subresource: 'status' },
  );
}
