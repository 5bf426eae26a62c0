/** Purges deleted databases whose retention is over: from then on, none of them is shown as restorable. */
import { systemAuthor } from '../model/actor.ts';
import { deleteChangeStreams } from '../store/change-streams.ts';
import type { Database } from '../store/database-record.ts';
import { listDatabasesToPurge, lockDatabase, updateDatabase } from '../store/databases.ts';
import { deleteSavedQueries } from '../store/saved-queries.ts';
import type { Store } from '../store/store.ts';
import { storeTime } from '../store/time.ts';
import { tell } from './events.ts';

const atOnce = 100;

/**
 * Marks databases as purged. The operator deletes their volumes at the time noted on them. Returns the number; more may be
 * left.
 */
export async function markPurged(store: Store): Promise<number> {
  const over = await listDatabasesToPurge(store.read, atOnce);
  for (const { id } of over) {
    await store.change(systemAuthor('housekeeping'), async (change) => {
      const database = await lockDatabase(change, id);
      // Another process was faster, or it was restored and deleted again since it was found to be due.
      if (database === undefined || !isOver(database, await storeTime(change.db))) return;
      const purged = await updateDatabase(change, id, { purgedAt: database.purgeAt });
      await deleteChangeStreams(change, id);
      await deleteSavedQueries(change, id);
      tell(change, 'database.purged', purged);
    });
  }
  return over.length;
}

const isOver = ({ status, purgeAt, purgedAt }: Database, now: Date): boolean =>
  status === 'DELETED' && purgedAt === null && purgeAt !== null && purgeAt <= now;
