/** Emits events about changes of a database's configuration. */
import {
  changeFact,
  unforeseenOf,
  type ConfigurationChange,
} from '../model/configuration-change.ts';
import type { EventType } from '../model/event-types.ts';
import type { Change } from '../store/change.ts';
import type { Database } from '../store/database-record.ts';

export function tellChange(
  change: Change,
  type: EventType & (`configuration.${string}` | 'engine.upgraded'),
  { id, organizationId, name, status }: Database,
  configurationChange: ConfigurationChange,
): void {
  const { error, diff, jobId } = configurationChange;
  const warnings = unforeseenOf(configurationChange);
  change.emit({
    organizationId,
    type,
    subject: { type: 'database', id, display: name },
    databaseId: id,
    ...(error !== null && { outcome: 'FAILED' as const }),
    data: {
      database: { id, name, status },
      change: changeFact(configurationChange),
      ...(warnings.length > 0 && { warnings }),
      ...(jobId !== null && { jobId }),
      ...(error !== null && { error: { code: error.code, message: error.message } }),
    },
    changes: diff,
  });
}
