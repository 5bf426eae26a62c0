/** The state of a LedgerBackup, in words that decisions use. */
import type { LedgerBackup, LedgerBackupSchedule } from '../../domain/custom-resources.ts';
import { isAhead } from '../../domain/clocks.ts';
import { labels } from '../../domain/names.ts';

type BackupState = 'running' | 'succeeded' | 'failed';

export function stateOf({ status }: LedgerBackup): BackupState {
  if (status?.completedAt === undefined) return 'running';
  const row = status.conditions?.find(({ type }) => type === 'Succeeded');
  return row?.status === 'True' ? 'succeeded' : 'failed';
}

/** Time of the request by the API server's clock. The backup contains everything that was answered before. */
export const askedAtMs = ({ metadata }: LedgerBackup): number =>
  Date.parse(metadata.creationTimestamp ?? '');

/** Orders backups by that time. One of the future is the oldest: it must not pass for newer than those that come after it. */
export function rankMs(backup: LedgerBackup, nowMs: number): number {
  const ms = askedAtMs(backup);
  return isAhead(ms, nowMs) ? -Infinity : ms;
}

/** Name of the schedule that made it. */
export const scheduleOf = ({ metadata, spec }: LedgerBackup): string | undefined =>
  spec.type === 'Scheduled' ? metadata.labels?.[labels.schedule] : undefined;

/** Whether it belongs to a schedule: the label alone proves nothing, a backup of another database could have it. */
export const isMadeBy = (
  backup: LedgerBackup,
  { metadata, spec }: Pick<LedgerBackupSchedule, 'metadata' | 'spec'>,
): boolean => scheduleOf(backup) === metadata.name && backup.spec.database === spec.database;
