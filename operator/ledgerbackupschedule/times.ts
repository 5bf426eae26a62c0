/** Due times of a schedule's backups: by its cron, and for one missed backup to make up for. */
import { delayMsOf, parseCron, periodsOf } from '../../domain/backup-times.ts';
import { isAhead } from '../../domain/clocks.ts';
import type { LedgerBackupSchedule } from '../../domain/custom-resources.ts';

export interface Times {
  /** The schedule's time whose backup must be made now, in milliseconds since the UNIX epoch. */
  readonly dueMs: number | undefined;
  /** A time that passed without a backup, too long ago to make up for it. */
  readonly missedMs: number | undefined;
  /** Time of the next backup, with the delay. */
  readonly nextMs: number;
}

/**
 * Returns the times of a schedule as of `nowMs`, or its error in words. `lastMs`: the time of the last backup; before the first
 * one, the time of the schedule's creation.
 */
export function timesOf(
  { metadata, spec }: LedgerBackupSchedule,
  lastMs: number,
  nowMs: number,
): Times | { readonly problem: string } {
  const cron = parseCron(spec);
  if ('problem' in cron) return cron;
  const delayMs = delayMsOf(metadata.uid ?? '', spec);
  // A second more, because a time equal to the reference is not a previous one.
  const [previous] = cron.previousRuns(1, new Date(nowMs - delayMs + 1_000));
  const next = cron.nextRun(new Date(nowMs - delayMs));
  if (next === null) return { problem: `"${spec.schedule}" never comes` };
  const nextMs = next.getTime() + delayMs;
  const previousMs = previous?.getTime();
  const isMade = previousMs !== undefined && previousMs <= lastMs && !isAhead(lastMs, nowMs);
  if (previousMs === undefined || isMade || previousMs + delayMs > nowMs)
    return { dueMs: undefined, missedMs: undefined, nextMs };
  const isLate = nowMs - previousMs - delayMs > spec.startingDeadlineSeconds * 1_000;
  return isLate
    ? { dueMs: undefined, missedMs: previousMs, nextMs }
    : { dueMs: previousMs, missedMs: undefined, nextMs };
}

/** Longest time between two of its next backups, in milliseconds; `undefined` if the schedule cannot be followed. */
export function periodMs(spec: LedgerBackupSchedule['spec'], nowMs: number): number | undefined {
  const periods = periodsOf(spec, PERIODS_LOOKED_AT, nowMs);
  return periods.length === 0 ? undefined : Math.max(...periods);
}

/** Enough for a week of daily backups, with its weekend. */
const PERIODS_LOOKED_AT = 7;
