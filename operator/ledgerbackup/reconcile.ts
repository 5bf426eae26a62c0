/** Backups cannot be made yet; the status of a requested one says so at once. */
import type { Key, Outcome } from '../runtime/controller.ts';
import { sameStatus, setConditions } from '../runtime/conditions.ts';
import type { Cache, Kube, Resource } from '../../base/kube/kube.ts';
import type { BackupObject } from '../../domain/custom-objects.ts';
import { BackupReason } from '../../domain/conditions.ts';
import { statusManager } from '../field-managers.ts';

/** The condition that reports the state of each of the two kinds. */
const conditionOf: Readonly<Record<BackupObject['kind'], string>> = {
  LedgerBackup: 'Succeeded',
  LedgerBackupSchedule: 'Active',
};

export async function reconcileBackup<T extends BackupObject>(
  kube: Kube,
  resource: Resource,
  cache: Cache<T>,
  key: Key,
  nowMs: number,
): Promise<Outcome> {
  const object = cache.get(key.namespace, key.name);
  if (object === undefined) return {};
  const { apiVersion, kind, metadata } = object;
  const observedGeneration = metadata.generation ?? 0;
  const condition = {
    type: conditionOf[kind],
    status: 'False',
    reason: BackupReason.notSupportedYet,
    message:
      'this version makes no backups; copy a database with `ledger-engine export`: docs/operating/disaster-recovery.md',
  } as const;
  const conditions = setConditions(object.status?.conditions ?? [], [condition], {
    observedGeneration,
    nowMs,
  });
  const status = { observedGeneration, conditions };
  if (sameStatus(status, object.status)) return {};
  const { name, namespace } = metadata;
  await kube.apply(
    resource,
    { apiVersion, kind, metadata: { name, namespace }, status } as unknown as BackupObject,
    { fieldManager: statusManager, force: true, subresource: 'status' },
  );
  return {};
}
