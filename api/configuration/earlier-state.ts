/**
 * The earlier state to which a database goes back, while its resource is still the one before: backups of the present state are made first,
 * which may take hours, and the wanted one must not expire meanwhile.
 */
import type { DatabaseObject } from '../../domain/custom-resources.ts';
import { annotations } from '../../domain/names.ts';
import { planRestore, rangesOf, whyUnavailable } from '../../domain/recovery.ts';
import { returnOf, writtenReturn, type EarlierState } from '../../domain/returning.ts';
import { restorableBackups, targetOf } from '../backups/moments.ts';
import type { DatabaseWriter } from '../kubernetes/database-writer.ts';
import { findArchivedBackup } from '../store/backups.ts';
import type { Database } from '../store/database-record.ts';
import type { Reader } from '../store/tables.ts';

/** Time for which the operator is asked to keep it, and what is left of that when it is asked again. */
const keptMs = 60 * 60_000;
const renewedMs = 30 * 60_000;

/** Has the operator remove no backup that the state needs, for a limited time: call it again while the resource is there. */
export async function keepState(
  writer: Pick<DatabaseWriter, 'annotate'>,
  object: DatabaseObject,
  state: EarlierState,
  nowMs: number,
): Promise<void> {
  const asked = object.metadata.annotations?.[annotations.returnsTo];
  const isTheSame = asked?.split('/')[0] === writtenReturn(state, nowMs).split('/')[0];
  if (isTheSame && (returnOf(object, nowMs)?.leftMs ?? 0) > renewedMs) return;
  await writer.annotate(object, { [annotations.returnsTo]: writtenReturn(state, nowMs + keptMs) });
}

export async function forgetState(writer: DatabaseWriter, object: DatabaseObject): Promise<void> {
  if (object.metadata.annotations?.[annotations.returnsTo] === undefined) return;
  await writer.annotate(object, { [annotations.returnsTo]: null });
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
