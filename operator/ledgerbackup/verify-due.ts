/** Whether a backup is to be tested now. Pure. */
import type { LedgerBackup, LedgerBackupSchedule } from '../../domain/custom-resources.ts';
import { isAhead } from '../../domain/clocks.ts';
import type { Surroundings } from './end-of.ts';
import { isMadeBy, rankMs, stateOf } from './states.ts';

const DAY_MS = 86_400_000;
const periodsMs = { Every: 0, Daily: DAY_MS, Weekly: 7 * DAY_MS, Never: Infinity } as const;
/** Minimum time between two tests of a schedule's backups, besides the time between its backups. */
export const verifyPeriodMs = (verify: keyof typeof periodsMs): number => periodsMs[verify];
/** Wait after a test that could not be made, for example because the store did not answer. */
const AGAIN_MS = 3_600_000;

/** Whether to test a good backup now, given that its test does not run. */
export function isVerificationDue(backup: LedgerBackup, around: Surroundings): boolean {
  const { spec, status } = backup;
  const last = status?.verification;
  const askedMs = Date.parse(spec.verifyRequestedAt ?? '');
  // One that was asked for in the future would be due again after each test.
  if (startedMs(backup, around.nowMs) < askedMs && !isAhead(askedMs, around.nowMs)) return true;
  // The bucket may have been told of its removal: a test would find that, and nothing new.
  if (status?.removalBegunAt !== undefined) return false;
  const couldNotBeMade = last?.completedAt !== undefined && last.passed === undefined;
  if (couldNotBeMade) return isOver(Date.parse(last.completedAt), AGAIN_MS, around.nowMs);
  const schedule = around.schedules.find((one) => isMadeBy(backup, one));
  return schedule !== undefined && isScheduled(backup, schedule, around);
}

function isScheduled(
  backup: LedgerBackup,
  schedule: LedgerBackupSchedule,
  { backups, nowMs }: Surroundings,
): boolean {
  const { verify } = schedule.spec;
  if (verify === 'Never') return false;
  if (verify === 'Every') return backup.status?.verification === undefined;
  const good = backups.filter((one) => isMadeBy(one, schedule) && stateOf(one) === 'succeeded');
  const isNewest = good.every((one) => rankMs(one, nowMs) <= rankMs(backup, nowMs));
  const lastMs = Math.max(...good.map((one) => startedMs(one, nowMs)));
  return isNewest && nowMs - lastMs >= verifyPeriodMs(verify);
}

const isOver = (sinceMs: number, periodMs: number, nowMs: number): boolean =>
  nowMs - sinceMs >= periodMs || isAhead(sinceMs, nowMs);

/** Start of its last test; long ago if it had none, or only one whose time has not come. */
function startedMs({ status }: LedgerBackup, nowMs: number): number {
  const ms = Date.parse(status?.verification?.startedAt ?? '');
  return Number.isNaN(ms) || isAhead(ms, nowMs) ? -Infinity : ms;
}
