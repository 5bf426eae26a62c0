/** Refusals that several operations on a backup share. */
import { Refusal } from '../model/refusal.ts';
import type { Backup } from '../model/backup.ts';
import { operationInProgress } from '../store/jobs.ts';

export const backupNotFound = (id: string): Refusal =>
  new Refusal('backup_not_found', { detail: `The database has no backup ${id}.` });

/** Whether its objects are in the bucket, and stay there. One whose removal has begun has its status for some moments more. */
export const isRestorable = ({ status, removing }: Pick<Backup, 'status' | 'removing'>): boolean =>
  status === 'SUCCEEDED' && !removing;

export const backupNotRestorable = ({
  name,
  status,
  removing,
}: Pick<Backup, 'name' | 'status' | 'removing'>): Refusal =>
  new Refusal('backup_not_restorable', {
    detail: removing
      ? `${name} is being removed, and cannot be restored any more.`
      : `${name} is ${status}; only a backup that is SUCCEEDED can be restored.`,
  });

export const backupProtected = ({ name }: Backup): Refusal =>
  new Refusal('backup_protected', {
    detail: `${name} is protected. Set its protected to false first.`,
  });

export const backupNotManaged = ({ name }: Backup): Refusal =>
  new Refusal('backup_not_managed', {
    detail: `The resource of ${name} was deleted in Kubernetes. The backup stays in the store and can be restored.`,
  });

export const backupHeld = ({ name, hold }: Pick<Backup, 'name' | 'hold'>): Refusal =>
  new Refusal('backup_held', {
    detail: `${name} is held by ${hold?.by ?? 'somebody'} since ${hold?.at ?? 'a moment ago'}: ${hold?.reason ?? ''}. Release it first.`,
  });

/** The backup has no resource yet, or another database is being made from it. */
export const backupBusy = ({ jobId }: Pick<Backup, 'jobId'>): Refusal =>
  operationInProgress(jobId ?? undefined);

/** Throws a refusal if the service has no store for backups. */
export function requireStore(configured: boolean): void {
  if (configured) return;
  throw new Refusal('backups_not_configured', {
    detail:
      'No store for backups is configured, so none can be made or restored. The operators of the service must set backups.store of the chart.',
  });
}
