/** Backups that databases are being made from, or go back to: none is removed before these databases have their data, or are gone. Pure. */
import type { LedgerBackup, LedgerDatabase } from '../../domain/custom-resources.ts';
import { hasBegun } from '../../domain/fill.ts';
import { parseTime } from '../../domain/moment.ts';
import type { Target } from '../../domain/recovery.ts';
import { returnOf } from '../../domain/returning.ts';
import { stateOf } from './states.ts';

type Origin = NonNullable<NonNullable<LedgerDatabase['spec']['bootstrap']>['backup']>;

/** The backup or moment from which a database is being made; `undefined` once it has its data. */
export const originInUse = (database: LedgerDatabase | undefined): Origin | undefined =>
  hasBegun(database?.status) ? undefined : database?.spec.bootstrap?.backup;

/** Also by a database that is about to go back. `backups`: all that the backup may be compared with. */
export function isBeingRestored(
  backup: LedgerBackup,
  { backups, databases, nowMs }: Restores,
): boolean {
  const { backupId, databaseId } = backup.status ?? {};
  return databases
    .flatMap((database) => [originInUse(database), returnOf(database, nowMs)?.origin])
    .some((origin) => {
      if (origin === undefined) return false;
      if (origin.backupId !== undefined) return origin.backupId === backupId;
      return origin.databaseId === databaseId && isBase(backup, backups, origin);
    });
}

interface Restores {
  readonly backups: readonly LedgerBackup[];
  readonly databases: readonly LedgerDatabase[];
  readonly nowMs: number;
}

/**
 * Whether a restore to a moment may begin with the backup: with the newest one up to the moment. If that one's removal has begun, the
 * restore may have found it or not, so that those before it count too, down to one that stays.
 */
function isBase(backup: LedgerBackup, backups: readonly LedgerBackup[], origin: Origin): boolean {
  const target = targetOf(origin);
  if (target === undefined || !isUpTo(target, backup)) return false;
  const newest = backups
    .filter((one) => one.status?.databaseId === origin.databaseId && isUpTo(target, one))
    .filter(({ status }) => status?.removalBegunAt === undefined)
    .map(({ status }) => status?.op ?? 0);
  return (backup.status?.op ?? 0) >= Math.max(0, ...newest);
}

function targetOf({ targetOp, targetTimestamp, targetTime }: Origin): Target | undefined {
  if (targetOp !== undefined) return { kind: 'op', op: targetOp };
  const timestamp = targetTimestamp === undefined ? parseTime(targetTime ?? '') : targetTimestamp;
  return timestamp === undefined ? undefined : { kind: 'timestamp', timestamp: BigInt(timestamp) };
}

function isUpTo(target: Target, backup: LedgerBackup): boolean {
  const { op, timestamp } = backup.status ?? {};
  if (stateOf(backup) !== 'succeeded' || op === undefined || timestamp === undefined) return false;
  return target.kind === 'op' ? op <= target.op : BigInt(timestamp) <= target.timestamp;
}
