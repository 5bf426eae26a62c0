/** Emits events about changes of a database's configuration. */
import { aboutDatabase, databaseFact } from '../databases/events.ts';
import { backupFact } from '../model/backup.ts';
import {
  changeFact,
  unforeseenOf,
  type ConfigurationChange,
} from '../model/configuration-change.ts';
import type { EventType } from '../model/event-types.ts';
import { findArchivedBackup } from '../store/backups.ts';
import type { Change } from '../store/change.ts';
import type { Database } from '../store/database-record.ts';

export function tellChange(
  change: Change,
  type: EventType & (`configuration.${string}` | 'engine.upgraded'),
  database: Database,
  configurationChange: ConfigurationChange,
): void {
  const { error, diff, jobId } = configurationChange;
  const warnings = unforeseenOf(configurationChange);
  change.emit({
    ...aboutDatabase(database),
    type,
    ...(error !== null && { outcome: 'FAILED' as const }),
    data: {
      database: databaseFact(database),
      change: changeFact(configurationChange),
      ...(warnings.length > 0 && { warnings }),
      ...(jobId !== null && { jobId }),
      ...(error !== null && { error: { code: error.code, message: error.message } }),
    },
    changes: diff,
  });
}

/** Emits who sets a database back to which state of its ledger: the events of its change leave that to the audit log. */
export async function tellReturn(
  change: Change,
  type: 'database.restore_in_place_requested' | 'database.restored_in_place',
  database: Database,
  applied: ConfigurationChange,
): Promise<void> {
  const { jobId, actor } = applied;
  const { restoredTo } = applied.request;
  const isBackup = restoredTo !== undefined && 'backupId' in restoredTo;
  const backup = isBackup
    ? await findArchivedBackup(change.db, database.id, restoredTo.backupId)
    : undefined;
  change.emit({
    ...aboutDatabase(database),
    type,
    data: {
      database: databaseFact(database),
      ...(backup && { backup: backupFact(backup) }),
      ...(!isBackup && restoredTo && { moment: restoredTo }),
      change: changeFact(applied),
      ...(jobId !== null && { jobId }),
      requestedBy: actor,
    },
  });
}
