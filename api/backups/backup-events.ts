/** Emits events about backups. */
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
  { id, organizationId, name, status }: Database,
  { restoredFrom, ...restored }: Database,
  backup: Backup | undefined,
): void {
  const moment = restoredFrom?.moment;
  change.emit({
    organizationId,
    type: 'backup.restore_requested',
    subject: { type: 'database', id, display: name },
    databaseId: id,
    data: {
      database: { id, name, status },
      ...(backup && { backup: backupFact(backup) }),
      restored: { id: restored.id, name: restored.name, status: restored.status },
      ...(moment && { moment }),
    },
  });
}

export function tellBackup(
  change: Change,
  type: BackupEvent,
  { id, organizationId, name, status }: Database,
  backup: Backup,
  { changes = [] }: { readonly changes?: readonly FieldChange[] } = {},
): void {
  const failed = type === 'backup.failed';
  const { statusReason, facts } = backup;
  const lacking = type === 'backup.log_incomplete' ? facts?.notArchived : undefined;
  change.emit({
    organizationId,
    type,
    subject: { type: 'database', id, display: name },
    databaseId: id,
    ...(failed && { outcome: 'FAILED' as const }),
    data: {
      database: { id, name, status },
      backup: backupFact(backup),
      ...(failed && statusReason !== null && { error: statusReason }),
      ...(lacking && { reason: { code: 'log_not_archived', message: notArchivedWords(lacking) } }),
    },
    changes,
  });
}
