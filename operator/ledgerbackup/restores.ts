/** Backups that databases are being made from, or go back to or on with: none is removed before these databases have their data, or are gone. Pure. */
import type { LedgerBackup, LedgerDatabase } from '../../domain/custom-resources.ts';
import { hasBegun } from '../../domain/fill.ts';
import { parseTime } from '../../domain/moment.ts';
import { annotations } from '../../domain/names.ts';
import type { Target } from '../../domain/recovery.ts';
import { returnOf } from '../../domain/returning.ts';
import { stateOf } from './states.ts';

type Origin = NonNullable<NonNullable<LedgerDatabase['spec']['bootstrap']>['backup']>;

/** The backup or moment from which a database is being made; `undefined` once it has its data. */
export const originInUse = (database: LedgerDatabase | undefined): Origin | undefined =>
  hasBegun(database?.status) ? undefined : database?.spec.bootstrap?.backup;

interface Restores {
  /** All backups of the namespace. */
  readonly backups: readonly LedgerBackup[];
  readonly databases: readonly LedgerDatabase[];
  readonly nowMs: number;
}

/** Also for a database that is about to go back, or to change its shape. */
export function isBeingRestored(backup: LedgerBackup, around: Restores): boolean {
  if (keptForMs(backup, around) !== undefined) return true;
  return around.databases.some((database) => {
    const origin = originInUse(database);
    return origin !== undefined && isNeeded(backup, around.backups, origin);
  });
}

/**
 * Time for which the backup is kept for a database that is about to go back, or to change its shape; `undefined`: for none. Only a backup of the
 * same namespace can say so. The one that says it stays, too: it may be all that does. So does the last one: nothing else may be able to bring
 * the database back.
 */
export function keptForMs(
  backup: LedgerBackup,
  { backups, nowMs }: Pick<Restores, 'backups' | 'nowMs'>,
): number | undefined {
  const left = backups.flatMap((one) => {
    const found = returnOf(one, nowMs);
    if (found === undefined) return [];
    const isItself = one.metadata.name === backup.metadata.name;
    return isItself || isLastOf(one, backup) || isNeeded(backup, backups, found.origin)
      ? [found.leftMs]
      : [];
  });
  return left.length === 0 ? undefined : Math.max(...left);
}

/** Whether a backup may be the last one of the database, with which that comes back if it cannot go back. Clocks do not tell it from earlier ones. */
const isLastOf = (before: LedgerBackup, { spec }: LedgerBackup): boolean =>
  spec.type === 'Final' && spec.database === before.spec.database;

/** Whether a backup keeps none of those any more that it kept for a database that was about to go back. */
export function letsGo(before: LedgerBackup | undefined, after: LedgerBackup | undefined): boolean {
  const [was, is] = [before, after].map(
    (one) => one?.metadata.annotations?.[annotations.returnsTo],
  );
  return was !== undefined && was.split('/')[0] !== is?.split('/')[0];
}

/** By a restore from the origin. */
function isNeeded(backup: LedgerBackup, backups: readonly LedgerBackup[], origin: Origin): boolean {
  const { backupId, databaseId } = backup.status ?? {};
  if (origin.databaseId !== databaseId) return false;
  return origin.backupId === undefined
    ? isBase(backup, backups, origin)
    : origin.backupId === backupId;
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
