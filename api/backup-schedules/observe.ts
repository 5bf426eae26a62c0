/** The state of a LedgerBackupSchedule in the form that the store keeps. Pure. */
import type { ScheduleObject } from '../../domain/custom-resources.ts';
import { timeOf } from '../backups/observe.ts';
import type { BackupScheduleState } from '../model/backup-schedule.ts';
import type { SchedulePatch } from '../store/backup-schedules.ts';

/** The row's fields that depend on its resource. */
export const observeSchedule = ({
  metadata,
  spec,
  status,
}: ScheduleObject): Omit<SchedulePatch, 'databaseId'> => ({
  resourceVersion: metadata.resourceVersion ?? '',
  spec,
  state: stateOf(metadata.generation, spec, status),
});

function stateOf(
  generation: number | undefined,
  spec: ScheduleObject['spec'],
  status: ScheduleObject['status'] = {},
): BackupScheduleState {
  const active = status.conditions?.find(({ type }) => type === 'Active');
  // The operator has not seen the last change yet: its condition is about the schedule before.
  const isNew = active === undefined || status.observedGeneration !== generation;
  const told = isNew ? 'PENDING' : active.status === 'True' ? 'ACTIVE' : 'STOPPED';
  const word = spec.suspend ? 'SUSPENDED' : told;
  return {
    status: word,
    statusReason:
      word === 'STOPPED' && active !== undefined
        ? { code: active.reason, message: active.message }
        : null,
    lastRunAt: timeOf(status.lastScheduleTime),
    lastSucceededAt: timeOf(status.lastSuccessfulTime),
    lastVerifiedAt: timeOf(status.lastVerifiedAt),
    backups: status.backups ?? 0,
  };
}
