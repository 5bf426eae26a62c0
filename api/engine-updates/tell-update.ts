/** Emits events about versions of a database's engine that the catalog announces. */
import { aboutDatabase, databaseFact } from '../databases/events.ts';
import type { EventData } from '../model/event-types.ts';
import type { Change } from '../store/change.ts';
import type { Database } from '../store/database-record.ts';

type UpdateEvent =
  | 'engine.update_available'
  | 'engine.deprecation_announced'
  | 'engine.update_announced'
  | 'engine.update_failed';

export function tellUpdate<Type extends UpdateEvent>(
  change: Change,
  type: Type,
  database: Database,
  about: Omit<EventData[Type], 'database'>,
): void {
  change.emit({
    ...aboutDatabase(database),
    type,
    ...(type === 'engine.update_failed' && { outcome: 'FAILED' as const }),
    data: { database: databaseFact(database), ...about } as EventData[Type],
  });
}
