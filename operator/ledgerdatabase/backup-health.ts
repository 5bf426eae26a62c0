/** Whether a database could be restored: the age of its newest good backup, and of the last proof that one is good. Pure. */
import { isAhead } from '../../domain/clocks.ts';
import type { ReasonOf } from '../../domain/conditions.ts';
import type { Condition, DatabaseStatus, LedgerBackup } from '../../domain/custom-resources.ts';
import { stateOf } from '../ledgerbackup/states.ts';
import { verifyPeriodMs } from '../ledgerbackup/verify-due.ts';
import { periodMs } from '../ledgerbackupschedule/times.ts';
import type { BackupsSeen } from './backups-seen.ts';

type Verdict = readonly [Condition['status'], ReasonOf<'BackupHealthy'>, string];

/** Time that a backup and its test may take, besides the periods. */
const SLACK_MS = 3_600_000;

export function backupHealth(
  { backups, schedules }: BackupsSeen = { backups: [], schedules: [] },
  nowMs: number,
  told: DatabaseStatus = {},
): Verdict {
  const followed = schedules.filter(({ spec }) => !spec.suspend);
  const isPast = (timeMs: number) => !isAhead(timeMs, nowMs);
  const damaged =
    newestTested(backups.filter((one) => isPast(testedMs(one)))) ?? newestTested(backups);
  if (damaged?.status?.verification?.passed === false) {
    const words = damaged.status.conditions?.find(({ type }) => type === 'Verified')?.message;
    return ['False', 'Damaged', `the test restore of ${damaged.metadata.name} failed: ${words}`];
  }
  if (followed.length === 0) {
    return ['Unknown', 'NotConfigured', 'no LedgerBackupSchedule makes backups of this database'];
  }
  const good = newestGood(backups.filter((one) => isPast(completedMs(one))));
  const goodMs = Date.parse(good?.status?.completedAt ?? '');
  const proven = backups.filter((one) => isPast(verifiedMs(one)));
  const provenMs = Date.parse(lastVerifiedAt(proven) ?? '');
  const unreplayed = whatIsNotReplayed(backups, nowMs, told);
  for (const { metadata, spec } of followed) {
    const period = periodMs(spec, nowMs);
    const sinceMs = Date.parse(metadata.creationTimestamp ?? '');
    if (period === undefined) continue;
    const isLate = (lastMs: number, everyMs: number) =>
      nowMs - (Number.isNaN(lastMs) ? sinceMs : lastMs) > 2 * everyMs + SLACK_MS;
    if (isLate(goodMs, period)) {
      const newest = good === undefined ? 'there is none' : `it is of ${good.status?.completedAt}`;
      return [
        'False',
        'Overdue',
        `the newest good backup is older than two periods of schedule ${metadata.name}: ${newest}${lastFailure(backups)}`,
      ];
    }
    if (isLate(provenMs, Math.max(period, verifyPeriodMs(spec.verify)))) {
      return [
        'False',
        'Unproven',
        `no test restore has passed for two periods of schedule ${metadata.name}`,
      ];
    }
    const everyMs = Math.max(period, verifyPeriodMs(spec.verify));
    if (unreplayed !== undefined && isLate(Math.max(unreplayed.sinceMs, sinceMs), everyMs)) {
      return [
        'False',
        'Unreplayed',
        `no test restore has replayed the archived log for two periods of schedule ${metadata.name}: ${unreplayed.why}`,
      ];
    }
  }
  if (good === undefined) return ['Unknown', 'NotYet', 'the first backup is still to come'];
  return ['True', 'Healthy', `backups are made and proven as their schedules say`];
}

/**
 * Why the last test restore did not replay the log, and since when none has, if the window of the archive says that there is a log before
 * that backup. While the archive is not well, its own condition says so; afterwards, a replay has time.
 */
function whatIsNotReplayed(
  backups: readonly LedgerBackup[],
  nowMs: number,
  { conditions = [], recovery, backup }: DatabaseStatus,
): { readonly sinceMs: number; readonly why: string } | undefined {
  const archiving = conditions.find(({ type }) => type === 'ContinuousArchiving');
  const past = backups.filter((one) => !isAhead(testedMs(one), nowMs));
  const tested = newestTested(past)?.status;
  const rowsOnly = tested?.verification?.rowsOnly;
  if (archiving?.status !== 'True' || recovery === undefined || rowsOnly === undefined)
    return undefined;
  if ((tested?.op ?? 0) <= recovery.earliest.op) return undefined;
  const lastMs = Date.parse(lastReplay(backups, nowMs, backup).lastReplayedAt ?? '') || 0;
  return {
    sinceMs: Math.max(Date.parse(archiving.lastTransitionTime), lastMs),
    why: `${rowsOnly.reason}: ${rowsOnly.message}`,
  };
}

const completedMs = ({ status }: LedgerBackup): number => Date.parse(status?.completedAt ?? '');
const verifiedMs = ({ status }: LedgerBackup): number => Date.parse(status?.lastVerifiedAt ?? '');
const testedMs = ({ status }: LedgerBackup): number =>
  Date.parse(status?.verification?.completedAt ?? '');

/** The newest good backup, for the status; one of the future only if there is no other. */
export function lastBackup(
  { backups }: BackupsSeen,
  nowMs: number,
  told?: DatabaseStatus['backup'],
): DatabaseStatus['backup'] {
  const isPast = (timeMs: number) => !isAhead(timeMs, nowMs);
  const good = newestGood(backups.filter((one) => isPast(completedMs(one)))) ?? newestGood(backups);
  if (good?.status === undefined) return undefined;
  const { backupId, completedAt } = good.status;
  const tested = lastBy(
    backups.filter((one) => isPast(verifiedMs(one))),
    ({ status }) => status?.lastVerifiedAt,
  )?.status;
  const testSeconds = tested?.verification?.seconds;
  return {
    name: good.metadata.name,
    ...(backupId === undefined ? {} : { backupId }),
    ...(completedAt === undefined ? {} : { completedAt }),
    ...(tested?.lastVerifiedAt !== undefined && { lastVerifiedAt: tested.lastVerifiedAt }),
    ...(testSeconds !== undefined && { testSeconds }),
    ...lastReplay(backups, nowMs, told),
  };
}

type Replay = Pick<NonNullable<DatabaseStatus['backup']>, 'lastReplayedAt' | 'replaySeconds'>;

/** The last replay of the log. It stays known when its backup goes. */
function lastReplay(
  backups: readonly LedgerBackup[],
  nowMs: number,
  told: DatabaseStatus['backup'],
): Replay {
  const known = backups.map(({ status }) => ({
    lastReplayedAt: status?.lastReplayedAt,
    replaySeconds: status?.verification?.replaySeconds,
  }));
  const past = [...known, ...(told === undefined ? [] : [told])].filter(
    (one) => !isAhead(Date.parse(one.lastReplayedAt ?? ''), nowMs),
  );
  const { lastReplayedAt, replaySeconds } = lastBy(past, (one) => one.lastReplayedAt) ?? {};
  return {
    ...(lastReplayedAt !== undefined && { lastReplayedAt }),
    ...(replaySeconds !== undefined && { replaySeconds }),
  };
}

/** One whose removal has begun may be gone from the bucket. */
const newestGood = (backups: readonly LedgerBackup[]): LedgerBackup | undefined =>
  lastBy(
    backups.filter(
      (one) => stateOf(one) === 'succeeded' && one.status?.removalBegunAt === undefined,
    ),
    ({ status }) => status?.completedAt,
  );

/** The backup whose test ended last with a finding. */
const newestTested = (backups: readonly LedgerBackup[]): LedgerBackup | undefined =>
  lastBy(
    backups.filter(({ status }) => status?.verification?.passed !== undefined),
    ({ status }) => status?.verification?.completedAt,
  );

const lastVerifiedAt = (backups: readonly LedgerBackup[]): string | undefined =>
  lastBy(backups, ({ status }) => status?.lastVerifiedAt)?.status?.lastVerifiedAt;

/** Times are RFC 3339 in UTC with whole seconds, so text order is time order. */
function lastBy<One>(
  all: readonly One[],
  timeOf: (one: One) => string | undefined,
): One | undefined {
  const timed = all.filter((one) => timeOf(one) !== undefined);
  return timed
    .toSorted((one, other) => (timeOf(one) ?? '').localeCompare(timeOf(other) ?? ''))
    .at(-1);
}

function lastFailure(backups: readonly LedgerBackup[]): string {
  const failed = lastBy(
    backups.filter((one) => stateOf(one) === 'failed'),
    ({ status }) => status?.completedAt,
  );
  const row = failed?.status?.conditions?.find(({ type }) => type === 'Succeeded');
  return row === undefined
    ? ''
    : `; ${failed?.metadata.name} failed: ${row.reason}: ${row.message}`;
}
