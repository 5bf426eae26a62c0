/**
 * What a database needs until another resource of it has begun: the earlier state to which it goes back, and its last backup. Backups of the
 * present state are made first, which may take hours, the replicas stop, and then it has no resource for a moment. None of that may go
 * meanwhile. The resource of the backup that is made first says so: it is there all the time.
 */
import { ApiError } from '../../base/kube/kube.ts';
import type { OneBackupObject } from '../../domain/custom-resources.ts';
import { LOG_DAYS, sweptBy } from '../../domain/kept-log.ts';
import { annotations, backupIdOf, uidOf } from '../../domain/names.ts';
import {
  describeTarget,
  nearestTo,
  planRestore,
  rangesOf,
  whyUnavailable,
  written,
  type Target,
} from '../../domain/recovery.ts';
import { keptMs, returnOf, writtenReturn, type EarlierState } from '../../domain/returning.ts';
import { rangesIn, restorableBackups, targetOf, type PossibleRestore } from '../backups/moments.ts';
import type { BackupPlace, BackupWriter } from '../kubernetes/backup-writer.ts';
import type { Backup } from '../model/backup.ts';
import type { ChangeRequest } from '../model/configuration-change.ts';
import { Refusal } from '../model/refusal.ts';
import { findArchivedBackup } from '../store/backups.ts';
import type { Database } from '../store/database-record.ts';
import type { Reader } from '../store/tables.ts';

/** What is left of `keptMs` when it is asked for again: workers may be away for so long, or clocks of API servers differ. */
const renewedMs = 50 * 60_000;

/**
 * The state that the backup which is made first names. A change of shape goes back to nothing earlier, so that the backup names itself: with
 * whatever it names, the operator keeps the last backup, too.
 */
export const stateKept = (
  { restoredTo }: Pick<ChangeRequest, 'restoredTo'>,
  made: OneBackupObject,
): EarlierState => restoredTo ?? { backupId: backupIdOf(uidOf(made)) };

export interface Keeping {
  readonly backups: Pick<BackupWriter, 'annotate' | 'serverTimeMs'>;
  readonly nowMs: () => number;
  /** No longer than this; absent: as long as the work needs. */
  readonly endsAtMs?: number;
}

/** Annotations of the backup that is made first, which have the operator remove no backup that the state needs, for a limited time. */
export function keepingOf(
  { backups, nowMs, endsAtMs = Infinity }: Keeping,
  state: EarlierState,
): Readonly<Record<string, string>> {
  // The operator compares with the same clock. A worker's own may be wrong.
  const fromMs = backups.serverTimeMs() ?? nowMs();
  return { [annotations.returnsTo]: writtenReturn(state, Math.min(fromMs + keptMs, endsAtMs)) };
}

/** Asks for that anew every ten minutes. Call it again while no resource of the database begins with the state. */
export async function keepState(
  keeping: Keeping,
  made: OneBackupObject,
  state: EarlierState,
  mustBeOurs: () => Promise<void>,
): Promise<void> {
  const { backups, nowMs } = keeping;
  const asked = made.metadata.annotations?.[annotations.returnsTo];
  const next = keepingOf(keeping, state);
  const value = next[annotations.returnsTo];
  const isSame = asked?.split('/')[0] === value?.split('/')[0];
  const leftMs = returnOf(made, backups.serverTimeMs() ?? nowMs())?.leftMs ?? 0;
  if (asked === value || (isSame && leftMs > renewedMs)) return;
  await mustBeOurs();
  await backups.annotate(made, next);
}

export async function forgetState(
  backups: Pick<BackupWriter, 'annotate' | 'read'>,
  place: BackupPlace,
): Promise<void> {
  try {
    const found = await backups.read(place);
    if (found?.metadata.annotations?.[annotations.returnsTo] === undefined) return;
    await backups.annotate(found, { [annotations.returnsTo]: null });
  } catch (error) {
    // It ends by itself: nobody's job waits for that.
    if (!(error instanceof ApiError)) throw error;
  }
}

/**
 * UIDs of the backups of a namespace whose removal the operator has begun: the bucket may have been told of it. One that is kept, and is not
 * among them, is not removed: before the operator tells the bucket, it looks again at what keeps the backup.
 */
export async function goingIn(
  backups: Pick<BackupWriter, 'list'>,
  namespace: string,
): Promise<ReadonlySet<string>> {
  const all = await backups.list(namespace);
  const going = all.filter(({ status }) => status?.removalBegunAt !== undefined);
  return new Set(going.map(({ metadata: { uid = '' } }) => uid));
}

/**
 * Time that a database needs to go back from the stop of its replicas on: its last backup, and the hour that its next replicas are given to read
 * the log.
 */
const readWithinMs = 3 * 3_600_000;
/** The same from the request on: the backup before is made and tested. A moment of the promised days has a day. */
const readFromRequestMs = 12 * 3_600_000;

/** Throws a refusal if the log that leads to a moment may be deleted before the database has gone back. */
export async function requireLogStays(
  { db, nowMs }: { readonly db: Reader; readonly nowMs: number },
  { id, name }: Pick<Database, 'id' | 'name'>,
  target: Target,
  { plan }: PossibleRestore,
): Promise<void> {
  const backups = await restorableBackups(db, id, { alsoAskedToGo: true });
  const swept = sweptBy(nowMs + readFromRequestMs, backups, plan);
  if (swept === undefined) return;
  throw new Refusal('moment_unavailable', {
    detail: `${name} cannot go back to ${describeTarget(target)} in place. ${logGoes}`,
    members: { moments: { reason: 'before_the_window', before: null, after: written(swept) } },
  });
}

const logGoes = `The log that leads there is older than the ${LOG_DAYS} days of which every moment is kept, and may be deleted before the database has read it. Restore into a new database instead, which reads it at once.`;

/**
 * Why the state cannot be had any more; `undefined`: as far as is known, it can. A backup whose removal was only asked for is kept. `going`:
 * backups that do not count, since their removal has begun.
 */
export async function whyGone(
  { db, nowMs }: { readonly db: Reader; readonly nowMs: number },
  { id, name, observed }: Pick<Database, 'id' | 'name' | 'observed'>,
  state: EarlierState,
  going: ReadonlySet<string> = new Set(),
): Promise<string | undefined> {
  const goes = (backup: Backup) => going.has(backup.kubernetesUid ?? '');
  if ('backupId' in state) {
    const found = await findArchivedBackup(db, id, state.backupId);
    const isThere = found !== undefined && found.removedAt === null && !goes(found);
    return isThere ? undefined : 'The backup to which it was to go back was removed meanwhile.';
  }
  const window = observed?.recovery ?? undefined;
  const target = targetOf(state);
  const all = await restorableBackups(db, id, { alsoAskedToGo: true });
  const stay = all.filter(({ backup }) => !goes(backup));
  const left = await rangesIn(db, id, window, {
    stay,
    going: all.filter(({ backup }) => goes(backup)),
  });
  const plan = planRestore(left, stay, target);
  if (plan.isPossible)
    return sweptBy(nowMs + readWithinMs, stay, plan) === undefined ? undefined : logGoes;
  const before = planRestore(window === undefined ? [] : rangesOf(window), all, target);
  if (before.isPossible)
    return 'The backup with which the way back was to begin was removed meanwhile.';
  // One that archives its log, and was just replaced, does not know yet what its archive has.
  if (window === undefined && (observed === null || isArchived(observed))) return undefined;
  // What the operator tells of the end of an archive that goes on is minutes old, and older than the backup that is made first.
  const ends =
    window === undefined
      ? []
      : rangesOf(window)
          .slice(-1)
          .map(({ to }) => to);
  const isLater = isArchived(observed) && nearestTo(ends, target).before !== undefined;
  return isLater ? undefined : whyUnavailable(name, target, plan);
}

const isArchived = (observed: Database['observed']): boolean =>
  (observed?.archiving ?? null) !== null;
