/** Emits events about backups. */
import { aboutDatabase, databaseFact } from '../databases/events.ts';
import { backupFact, notArchivedWords, type Backup } from '../model/backup.ts';
import type { EventType } from '../model/event-types.ts';
import type { FieldChange } from '../model/event.ts';
import type { Change } from '../store/change.ts';
import type { Database } from '../store/database-record.ts';

/** Events of a backup itself. */
export type BackupEvent = Exclude<EventType & `backup.${string}`, 'backup.restore_requested'>;

/** Emits that a new database is begun with a backup, or as this one was at a moment. */
export function tellRestore(
  change: Change,
  database: Database,
  restored: Database,
  backup: Backup | undefined,
): void {
  const moment = restored.restoredFrom?.moment;
  change.emit({
    ...aboutDatabase(database),
    type: 'backup.restore_requested',
    data: {
      database: databaseFact(database),
      ...(backup && { backup: backupFact(backup) }),
      restored: databaseFact(restored),
      ...(moment && { moment }),
    },
  });
}

export function tellBackup(
  change: Change,
  type: BackupEvent,
  database: Database,
  backup: Backup,
  { changes = [] }: { readonly changes?: readonly FieldChange[] } = {},
): void {
  const failed = type === 'backup.failed';
  const { statusReason, facts } = backup;
  const lacking = type === 'backup.log_incomplete' ? facts?.notArchived : undefined;
  change.emit({
    ...aboutDatabase(database),
    type,
    ...(failed && { outcome: 'FAILED' as const }),
    data: {
      database: databaseFact(database),
      backup: backupFact(backup),
      ...(failed && statusReason !== null && { error: statusReason }),
      ...(lacking && { reason: { code: 'log_not_archived', message: notArchivedWords(lacking) } }),
    },
    changes,
  });
}
