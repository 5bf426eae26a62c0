/** Converts schedules of backups to the contract's shape. */
import type { z } from 'zod';
import { nextRunsOf } from '../../domain/backup-times.ts';
import { uuidOfTypeId } from '../../domain/type-id.ts';
import type { Immutable } from '../contract/route.ts';
import type { backupSchedule as scheduleSchema } from '../contract/schemas/backup-schedule.ts';
import type { BackupSchedule } from '../model/backup-schedule.ts';
import { verifyPeriodOf } from './spec.ts';

type ShownSchedule = Immutable<z.input<typeof scheduleSchema>>;

/** Number of next runs that are shown. */
const runsTold = 3;

export function shownSchedule(schedule: BackupSchedule, now: Date): ShownSchedule {
  const { id, spec, state } = schedule;
  const runs = state.status === 'ACTIVE' || state.status === 'PENDING' ? runsTold : 0;
  const next = nextRunsOf(uuidOfTypeId('bks', id) ?? '', spec, runs, now.getTime());
  return {
    id,
    databaseId: schedule.databaseId,
    name: schedule.name,
    schedule: spec.schedule,
    timeZone: spec.timeZone,
    jitterSeconds: spec.jitterSeconds,
    keep: {
      last: spec.keepLast,
      hourly: spec.keepHourly ?? 0,
      daily: spec.keepDaily ?? 0,
      weekly: spec.keepWeekly ?? 0,
      monthly: spec.keepMonthly ?? 0,
      yearly: spec.keepYearly ?? 0,
      withinDays: spec.keepWithinDays ?? 0,
      failed: spec.keepFailed,
    },
    verify: verifyPeriodOf(spec.verify),
    suspended: spec.suspend,
    ...state,
    nextRuns: next.map((run) => run.toISOString()),
    actor: schedule.actor,
    createdAt: schedule.createdAt.toISOString(),
    updatedAt: schedule.updatedAt.toISOString(),
  };
}
