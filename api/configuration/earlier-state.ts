/**
 * The earlier state to which a database goes back, until another resource of it begins with that: backups of the present state are made first,
 * which may take hours, the replicas stop, and then it has no resource for a moment. The wanted backup must not go meanwhile. The resource
 * of the backup that is made first says so: it is there all the time.
 */
import { ApiError } from '../../base/kube/kube.ts';
import type { OneBackupObject } from '../../domain/custom-resources.ts';
import { annotations } from '../../domain/names.ts';
import { planRestore, rangesOf, whyUnavailable } from '../../domain/recovery.ts';
import { keptMs, returnOf, writtenReturn, type EarlierState } from '../../domain/returning.ts';
import { restorableBackups, targetOf } from '../backups/moments.ts';
import type { BackupPlace, BackupWriter } from '../kubernetes/backup-writer.ts';
import { findArchivedBackup } from '../store/backups.ts';
import type { Database } from '../store/database-record.ts';
import type { Reader } from '../store/tables.ts';

/** What is left of `keptMs` when it is asked for again. */
const renewedMs = 30 * 60_000;

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

/** Asks for that anew where the time is half over. Call it again while no resource of the database begins with the state. */
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

/** Why the state cannot be had any more; `undefined`: as far as is known, it can. */
export async function whyGone(
  db: Reader,
  { id, name, observed }: Pick<Database, 'id' | 'name' | 'observed'>,
  state: EarlierState,
): Promise<string | undefined> {
  if ('backupId' in state) {
    const found = await findArchivedBackup(db, id, state.backupId);
    const isThere = found !== undefined && found.removedAt === null;
    return isThere ? undefined : 'The backup to which it was to go back was removed meanwhile.';
  }
  const window = observed?.recovery ?? undefined;
  // A database that was just replaced does not know yet what its archive has.
  if (window === undefined) return undefined;
  const target = targetOf(state);
  const plan = planRestore(rangesOf(window), await restorableBackups(db, id), target);
  // What the operator tells of the end of the archive is minutes old.
  const isThere = plan.isPossible || plan.reason === 'after_the_window';
  return isThere ? undefined : whyUnavailable(name, target, plan);
}
