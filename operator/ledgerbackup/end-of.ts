/** Decides whether a backup is to be removed, and why. Pure. */
import type {
  LedgerBackup,
  LedgerBackupSchedule,
  LedgerDatabase,
} from '../../domain/custom-resources.ts';
import { kept } from '../ledgerbackupschedule/keep.ts';
import { isBeingRestored } from './restores.ts';
import { askedAtMs, isMadeBy, rankMs, stateOf } from './states.ts';

/** All inputs of that decision. */
export interface Surroundings {
  /** All backups of the namespace. */
  readonly backups: readonly LedgerBackup[];
  /** All schedules of the namespace. */
  readonly schedules: readonly LedgerBackupSchedule[];
  readonly databases: readonly LedgerDatabase[];
  readonly nowMs: number;
}

/** `fromBucket`: its objects are deleted, too. */
export interface End {
  readonly reason: 'asked' | 'expired' | 'not kept';
  readonly fromBucket: boolean;
}

/** The reason to remove a backup now; `undefined`: it stays. */
export function endOf(backup: LedgerBackup, around: Surroundings): End | undefined {
  const { spec } = backup;
  if (staysAnyhow(backup) || isBeingRestored(backup, around)) return undefined;
  if (spec.removeRequested) return { reason: 'asked', fromBucket: true };
  const fromBucket = spec.reclaimPolicy === 'Delete';
  const state = stateOf(backup);
  if (state === 'running') return undefined;
  if (state === 'succeeded' && isOnlyGoodOne(backup, around)) return undefined;
  if (spec.expiresAt !== undefined && Date.parse(spec.expiresAt) <= around.nowMs)
    return { reason: 'expired', fromBucket };
  return isKept(backup, around) ? undefined : { reason: 'not kept', fromBucket };
}

/** Whether the backup stays under all rules. */
const staysAnyhow = ({ spec }: LedgerBackup): boolean => spec.protected || spec.hold !== undefined;

/** The removal may be noted in the bucket although the backup stays, for example because it was protected since. */
const goes = ({ metadata, spec, status }: LedgerBackup): boolean =>
  spec.removeRequested ||
  status?.removalBegunAt !== undefined ||
  metadata.deletionTimestamp !== undefined;

/** Whether its database has no other good backup. Backups that are about to be removed do not count. */
function isOnlyGoodOne(backup: LedgerBackup, { backups, nowMs }: Surroundings): boolean {
  const others = backups.filter(
    (one) =>
      one.metadata.name !== backup.metadata.name &&
      one.spec.database === backup.spec.database &&
      one.status?.databaseId === backup.status?.databaseId,
  );
  return !others.some(
    (one) => !goes(one) && stateOf(one) === 'succeeded' && !isOlder(one, backup, nowMs),
  );
}

/** An older backup does not make a newer one dispensable: it may be about to be removed as well. */
function isOlder(one: LedgerBackup, other: LedgerBackup, nowMs: number): boolean {
  const [oneMs, otherMs] = [rankMs(one, nowMs), rankMs(other, nowMs)];
  return oneMs < otherMs || (oneMs === otherMs && one.metadata.name < other.metadata.name);
}

/** Whether its schedule keeps it. A backup without a schedule is not counted. */
function isKept(backup: LedgerBackup, { backups, schedules, nowMs }: Surroundings): boolean {
  const schedule = schedules.find((one) => isMadeBy(backup, one));
  if (schedule === undefined || schedule.metadata.deletionTimestamp !== undefined) return true;
  const own = backups.filter((one) => isMadeBy(one, schedule) && !goes(one));
  const candidates = own.map((one) => ({
    name: one.metadata.name,
    atMs: askedAtMs(one),
    state: stateOf(one),
    verified: one.status?.lastVerifiedAt !== undefined,
    protected: staysAnyhow(one),
  }));
  return kept(candidates, schedule.spec, nowMs).has(backup.metadata.name);
}
