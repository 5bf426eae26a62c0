/** Events of an organization about its change streams. */
import { aboutDatabase, databaseFact } from '../databases/events.ts';
import { changeStreamFact, type ChangeStream, type StreamError } from '../model/change-stream.ts';
import type { EventType } from '../model/event-types.ts';
import type { FieldChange } from '../model/event.ts';
import type { Change } from '../store/change.ts';
import { findDatabase } from '../store/databases.ts';

type StreamEventType = EventType & `change_stream.${string}`;
type TroubleType = 'change_stream.stalled' | 'change_stream.failed';

export async function tellStream(
  change: Change,
  type: Exclude<StreamEventType, TroubleType>,
  stream: ChangeStream,
  changes: readonly FieldChange[] = [],
): Promise<void> {
  const { data, ...about } = await factsOf(change, stream);
  change.emit({ type, ...about, data, changes });
}

export async function tellTrouble(
  change: Change,
  type: TroubleType,
  stream: ChangeStream,
  reason: Omit<StreamError, 'at'>,
): Promise<void> {
  const { data, ...about } = await factsOf(change, stream);
  change.emit({ type, outcome: 'FAILED', ...about, data: { ...data, reason } });
}

async function factsOf(change: Change, stream: ChangeStream) {
  const { organizationId, databaseId } = stream;
  const database = await findDatabase(change.db, organizationId, databaseId);
  if (database === undefined) throw new Error(`${databaseId} is not there`);
  return {
    ...aboutDatabase(database),
    data: { database: databaseFact(database), changeStream: changeStreamFact(stream) },
  };
}
