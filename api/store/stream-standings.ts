/** The states of the change streams of each database, for the status of its resource. */
import { sql, type Selectable } from 'kysely';
import { streamOf } from './change-streams.ts';
import type { ChangeStream } from '../model/change-stream.ts';
import type { ChangeStreamsTable, Reader } from './tables.ts';

export interface StreamsOfDatabase {
  readonly namespace: string;
  readonly name: string;
  /** UID of the resource. */
  readonly uid: string;
  readonly streams: readonly ChangeStream[];
}

/** The streams of all databases that have a resource, and the store's time. */
export async function streamsByDatabase(
  db: Reader,
): Promise<{ readonly databases: readonly StreamsOfDatabase[]; readonly now: Date }> {
  const { rows } = await sql<
    Selectable<ChangeStreamsTable> & { namespace: string; name: string; uid: string }
  >`
    SELECT s.*, d.kubernetes_namespace AS namespace, d.name, d.kubernetes_uid AS uid
    FROM change_streams s JOIN databases d ON d.id = s.database_id
    WHERE d.kubernetes_uid IS NOT NULL AND d.deleted_at IS NULL`.execute(db);
  const { rows: times } = await sql<{ now: Date }>`SELECT clock_timestamp() AS now`.execute(db);
  const found = new Map<string, StreamsOfDatabase & { streams: ChangeStream[] }>();
  for (const { namespace, name, uid, ...row } of rows) {
    const database = found.get(uid) ?? { namespace, name, uid, streams: [] };
    database.streams.push(streamOf(row));
    found.set(uid, database);
  }
  return { databases: [...found.values()], now: times[0]?.now ?? new Date() };
}
