/** Emits events about backups. */
import { backupFact, type Backup } from '../model/backup.ts';
import type { EventType } from '../model/event-types.ts';
import type { FieldChange } from '../model/event.ts';
import type { Change } from '../store/change.ts';
import type { Database } from '../store/database-record.ts';

export function tellBackup(
  change: Change,
  type: EventType & `backup.${string}`,
  { id, organizationId, name, status }: Database,
  backup: Backup,
  {
    changes = [],
    restored,
  }: { readonly changes?: readonly FieldChange[]; readonly restored?: Database } = {},
): void {
  const failed = type === 'backup.failed';
  const { statusReason } = backup;
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
      ...(restored && {
        restored: { id: restored.id, name: restored.name, status: restored.status },
      }),
    },
    changes,
  });
}
