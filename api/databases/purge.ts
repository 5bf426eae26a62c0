/** Purges deleted databases whose retention is over: from then on, none of them is shown as restorable. */
import { systemAuthor } from '../model/actor.ts';
import { deleteChangeStreams } from '../store/change-streams.ts';
import { listDatabasesToPurge, lockDatabase, updateDatabase } from '../store/databases.ts';
import { deleteSavedQueries } from '../store/saved-queries.ts';
import type { Store } from '../store/store.ts';
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
      // Another process was faster.
      if (database === undefined || database.purgedAt !== null || database.purgeAt === null) return;
      const purged = await updateDatabase(change, id, { purgedAt: database.purgeAt });
      await deleteChangeStreams(change, id);
      await deleteSavedQueries(change, id);
      tell(change, 'database.purged', purged);
    });
  }
  return over.length;
}
