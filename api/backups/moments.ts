/** The moments to which a database can be restored, and the backup and log that a restore to one of them uses. For preview and restore. */
import type { MadeMoment } from '../../domain/kept-log.ts';
import { parseTime } from '../../domain/moment.ts';
import {
  extendedBy,
  planRestore,
  rangesLeft,
  rangesOf,
  whyUnavailable,
  windowOfRanges,
  written,
  type Moment,
  type MomentRange,
  type RecoveryWindow,
  type RestorePlan,
  type Target,
} from '../../domain/recovery.ts';
import type { Backup } from '../model/backup.ts';
import { Refusal } from '../model/refusal.ts';
import { listGoneAt, listRestorable } from '../store/backups.ts';
import type { Database, RestoredMoment } from '../store/database-record.ts';
import type { Reader } from '../store/tables.ts';
import type { ArchiveEnds } from './archive-ends.ts';

/** A target as requests have it: one of the three. */
export interface TargetRequest {
  readonly targetTime?: string | undefined;
  readonly targetTimestamp?: string | undefined;
  readonly targetOp?: number | undefined;
}

export function targetOf({ targetTime, targetTimestamp, targetOp }: TargetRequest): Target {
  if (targetOp !== undefined) return { kind: 'op', op: targetOp };
  const timestamp =
    targetTimestamp === undefined ? parseTime(targetTime ?? '') : BigInt(targetTimestamp);
  if (timestamp === undefined)
    throw new Error('the contract lets no request without a target pass');
  return { kind: 'timestamp', timestamp };
}

/** The target in the words of a resource. */
export const momentOf = (target: Target): RestoredMoment =>
  target.kind === 'op' ? { targetOp: target.op } : { targetTimestamp: String(target.timestamp) };

/** The window of a database: as the operator told it, up to where its engines say that the archive is by now. */
export async function windowOfDatabase(
  archives: ArchiveEnds,
  database: Database,
): Promise<RecoveryWindow | undefined> {
  return extendedBy(database.observed?.recovery ?? undefined, await archives.of(database));
}

export interface RestorableBackup extends MadeMoment {
  readonly backup: Backup;
}

export interface PossibleRestore {
  readonly window: RecoveryWindow | undefined;
  readonly plan: Extract<RestorePlan<RestorableBackup>, { isPossible: true }>;
}

/** The backups of a database that a log can be replayed on, with their moments. */
export async function restorableBackups(
  db: Reader,
  databaseId: string,
  which: Parameters<typeof listRestorable>[2] = {},
): Promise<readonly RestorableBackup[]> {
  return (await listRestorable(db, databaseId, which)).flatMap((backup) => {
    const { op, timestamp } = backup.facts ?? {};
    return op === undefined || timestamp === undefined
      ? []
      : [{ op, timestamp: BigInt(timestamp), madeMs: madeMsOf(backup), backup }];
  });
}

/** None is older than its resource, whatever the clock of its Job says. */
const madeMsOf = ({ createdAt, completedAt }: Backup): number =>
  Math.max(createdAt.getTime(), completedAt?.getTime() ?? 0);

/**
 * The runs of a window without what began with a backup that has gone, or is going: the window may have been told before. `going`: those of which
 * the store may not know it yet.
 */
export async function rangesIn(
  db: Reader,
  databaseId: string,
  window: RecoveryWindow | undefined,
  { stay, going = [] }: { readonly stay: readonly Moment[]; readonly going?: readonly Moment[] },
): Promise<readonly MomentRange[]> {
  const ranges = window === undefined ? [] : rangesOf(window);
  const gone = await goneIn(db, databaseId, ranges);
  return rangesLeft(ranges, new Set([...gone, ...going.map(({ op }) => op)]), stay);
}

const goneIn = (db: Reader, databaseId: string, ranges: readonly MomentRange[]) =>
  listGoneAt(
    db,
    databaseId,
    ranges.map(({ from }) => from.op).filter((op) => op > 0),
  );

/** The window of a database, as a preview and a restore take it: without what began with a backup that has gone, or is going. */
export async function windowLeft(
  db: Reader,
  archives: ArchiveEnds,
  database: Database,
): Promise<RecoveryWindow | undefined> {
  const window = await windowOfDatabase(archives, database);
  if (window === undefined) return undefined;
  const ranges = rangesOf(window);
  const gone = await goneIn(db, database.id, ranges);
  if (gone.length === 0) return window;
  return windowOfRanges(
    rangesLeft(ranges, new Set(gone), await restorableBackups(db, database.id)),
  );
}

/** Throws a refusal that names the nearest moments if this one cannot be restored. */
export async function requirePossible(
  { db, archives }: { readonly db: Reader; readonly archives: ArchiveEnds },
  database: Database,
  target: Target,
): Promise<PossibleRestore> {
  const window = await windowOfDatabase(archives, database);
  const backups = await restorableBackups(db, database.id);
  const ranges = await rangesIn(db, database.id, window, { stay: backups });
  const plan = planRestore(ranges, backups, target);
  if (plan.isPossible) return { window, plan };
  throw momentUnavailable({ database, window }, target, plan);
}

/**
 * The operation that a possible restore reaches, with its time. Kept only if it lies where the plan does: what an engine says decides
 * nothing. `undefined` if nobody can be asked.
 */
export async function reachedBy(
  archives: ArchiveEnds,
  database: Database,
  target: Target,
  { plan: { op, begins, operationsMax } }: PossibleRestore,
): Promise<Moment | undefined> {
  if (begins.op === op) return begins;
  const asked = await archives.momentAt(database, target);
  if (asked === undefined) return undefined;
  const isInPlan = asked.op >= begins.op && asked.op <= begins.op + operationsMax;
  const isAtTarget =
    target.kind === 'op' ? asked.op === target.op : asked.timestamp <= target.timestamp;
  return isInPlan && isAtTarget ? asked : undefined;
}

/**
 * A database that has just been replaced or restored does not know what its archive has, until its archiver has looked. What lies before is
 * there all the same.
 */
export function momentUnavailable(
  {
    database: { name, observed },
    window,
  }: { readonly database: Database; readonly window: RecoveryWindow | undefined },
  target: Target,
  plan: Extract<RestorePlan<Moment>, { isPossible: false }>,
): Refusal {
  const { reason, before, after } = plan;
  const archived = observed?.archiving !== undefined && observed.archiving !== null;
  const more =
    window === undefined && archived
      ? ' What else its archive has is not known yet: ask again in a minute.'
      : '';
  return new Refusal('moment_unavailable', {
    detail: `${whyUnavailable(name, target, plan)}${more}`,
    members: {
      moments: {
        reason,
        before: before === undefined ? null : written(before),
        after: after === undefined ? null : written(after),
      },
    },
  });
}
