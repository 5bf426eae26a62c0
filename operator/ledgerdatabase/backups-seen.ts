/** The backups of a database and their schedules, for an observation. */
import type { Cache, KubeObject } from '../../base/kube/kube.ts';
import type {
  DatabaseObject,
  LedgerBackup,
  LedgerBackupSchedule,
} from '../../domain/custom-resources.ts';

export interface BackupsSeen {
  readonly backups: readonly LedgerBackup[];
  readonly schedules: readonly LedgerBackupSchedule[];
}

/** Backups of an earlier database of the same name do not count. */
export function backupsOf(
  caches: {
    readonly backups: Cache<LedgerBackup & KubeObject>;
    readonly schedules: Cache<LedgerBackupSchedule & KubeObject>;
  },
  { metadata, status }: DatabaseObject,
): BackupsSeen {
  const isOf = (one: LedgerBackup | LedgerBackupSchedule) =>
    one.metadata.namespace === metadata.namespace && one.spec.database === metadata.name;
  const isOwn = ({ status: made }: LedgerBackup) =>
    made?.databaseId === undefined || made.databaseId === status?.databaseId;
  return {
    backups: caches.backups.list().filter((one) => isOf(one) && isOwn(one)),
    schedules: caches.schedules.list().filter(isOf),
  };
}
