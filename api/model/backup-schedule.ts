/** Types of schedules of backups. */
import type { LedgerBackupSchedule } from '../../domain/custom-resources.ts';
import type { Actor } from './actor.ts';
import type { Explanation } from './database-standing.ts';

export const backupScheduleStatuses = ['PENDING', 'ACTIVE', 'SUSPENDED', 'STOPPED'] as const;
type BackupScheduleStatus = (typeof backupScheduleStatuses)[number];

export const verifyPeriods = ['EVERY', 'DAILY', 'WEEKLY', 'NEVER'] as const;
export type VerifyPeriod = (typeof verifyPeriods)[number];

type Spec = LedgerBackupSchedule['spec'];

/** The operator’s state of a schedule. Times are RFC 3339. */
export interface BackupScheduleState {
  readonly status: BackupScheduleStatus;
  /** The reason why it makes no backups. */
  readonly statusReason: Explanation | null;
  /** The schedule's time of its last backup. */
  readonly lastRunAt: string | null;
  /** End of its last backup that succeeded. */
  readonly lastSucceededAt: string | null;
  /** End of the last test restore that found one of its backups good. */
  readonly lastVerifiedAt: string | null;
  /** Number of its backups. */
  readonly backups: number;
}

export interface BackupSchedule {
  /** TypeID `bks_…`, made from the UID of its resource. */
  readonly id: string;
  readonly organizationId: string;
  readonly databaseId: string;
  /** Name of its resource, unique in the namespace. */
  readonly name: string;
  readonly kubernetesNamespace: string;
  /** Version of the resource that the row shows. */
  readonly resourceVersion: string;
  readonly spec: Spec;
  readonly state: BackupScheduleState;
  readonly actor: Actor;
  readonly version: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export const backupScheduleFact = ({ id, name, spec }: BackupSchedule) => ({
  id,
  name,
  schedule: spec.schedule,
  timeZone: spec.timeZone,
});
