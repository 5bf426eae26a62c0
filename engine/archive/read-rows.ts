/** Reads the rows of a backup, several chunks ahead, each verified. */
import { decodeChunk } from './chunk.ts';
import { chunkKey } from './keys.ts';
import type { ObjectStore } from './object-store.ts';
import type { BackupRecord, StoredChunk, StoredTable } from './record.ts';

/** Chunks that are fetched at a time. */
export const CHUNKS_AHEAD = 8;

export async function fetchChunk(
  store: ObjectStore,
  { databaseId }: Pick<BackupRecord, 'databaseId'>,
  { table, rowSize }: StoredTable,
  chunk: StoredChunk,
): Promise<Uint8Array> {
  const key = chunkKey(databaseId, table, chunk);
  return decodeChunk(key, await store.read(key), { databaseId, table, rowSize, ...chunk });
}

/** Yields the chunks of a table in order. */
export async function* fetchTable(
  store: ObjectStore,
  record: BackupRecord,
  table: StoredTable,
): AsyncGenerator<Uint8Array> {
  const ahead: Promise<Uint8Array>[] = [];
  for (const chunk of table.chunks) {
    const fetched = fetchChunk(store, record, table, chunk);
    // Rejections are seen when their turn comes.
    fetched.catch(() => undefined);
    ahead.push(fetched);
    if (ahead.length === CHUNKS_AHEAD) yield await ahead.shift()!;
  }
  for (const fetched of ahead) yield await fetched;
}
