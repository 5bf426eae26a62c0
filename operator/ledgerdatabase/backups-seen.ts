/** The backups of a database and their schedules, for an observation. */
import type { Cache, KubeObject } from '../../base/kube/kube.ts';
import type {
  DatabaseObject,
  LedgerBackup,
  LedgerBackupSchedule,
} from '../../domain/custom-resources.ts';
import { finalBackupName } from '../../domain/names.ts';

export interface BackupsSeen {
  readonly backups: readonly LedgerBackup[];
  readonly schedules: readonly LedgerBackupSchedule[];
  /** A backup of another database under the name that this one's last backup needs. */
  readonly inTheWay?: LedgerBackup;
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
  const all = caches.backups.list();
  const last = status?.workload === undefined ? undefined : finalBackupName(status.workload);
  const inTheWay = all.find(
    (one) =>
      one.metadata.name === last && one.metadata.namespace === metadata.namespace && !isOf(one),
  );
  return {
    backups: all.filter((one) => isOf(one) && isOwn(one)),
    schedules: caches.schedules.list().filter(isOf),
    ...(inTheWay !== undefined && { inTheWay }),
  };
}
