/** Text of schedules of backups for people. */
import type { BackupSchedule } from '../../gen/api.ts';
import { orDash } from './answer.ts';
import { fields, table } from './table.ts';

export const schedulesText = (rows: readonly BackupSchedule[]): string =>
  rows.length === 0
    ? '(no schedules)\n'
    : table(
        [
          { title: 'ID', cell: ({ id }) => id },
          { title: 'NAME', cell: ({ name }) => name },
          { title: 'CRON', cell: ({ schedule }) => schedule },
          { title: 'ZONE', cell: ({ timeZone }) => timeZone },
          { title: 'STATUS', cell: ({ status }) => status },
          { title: 'NEXT', cell: ({ nextRuns }) => orDash(nextRuns[0]) },
          { title: 'LAST GOOD', cell: ({ lastSucceededAt }) => orDash(lastSucceededAt) },
          { title: 'BACKUPS', cell: ({ backups }) => String(backups), align: 'right' },
        ],
        rows,
      );

export function scheduleText(schedule: BackupSchedule): string {
  const { statusReason, keep } = schedule;
  const kept = Object.entries(keep).filter(([, count]) => count > 0);
  return fields([
    ['id', schedule.id],
    ['name', schedule.name],
    ['database', schedule.databaseId],
    ['cron', `${schedule.schedule} (${schedule.timeZone})`],
    ['jitter', `${schedule.jitterSeconds} s`],
    ['status', schedule.status],
    ...(statusReason === null
      ? []
      : [['reason', `${statusReason.code}: ${statusReason.message}`] as const]),
    ...schedule.nextRuns.map((run) => ['next', run] as const),
    ['keep', kept.map(([rule, count]) => `${rule} ${count}`).join(', ')],
    ['verify', schedule.verify],
    ['last run', orDash(schedule.lastRunAt)],
    ['last good', orDash(schedule.lastSucceededAt)],
    ['last proof', orDash(schedule.lastVerifiedAt)],
    ['backups', String(schedule.backups)],
    ['created', `${schedule.createdAt} by ${schedule.actor.display}`],
  ]);
}
