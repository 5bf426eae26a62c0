/** Deleted databases whose time is over: from here on nobody is told that they could come back. */
import { systemAuthor } from '../model/actor.ts';
import { listDatabasesToPurge, lockDatabase, updateDatabase } from '../store/databases.ts';
import type { Store } from '../store/store.ts';
import { tell } from './events.ts';

const atOnce = 100;

/** Their volumes are the operator's to delete, by the time on them. Gives how many; more may be left. */
export async function markPurged(store: Store): Promise<number> {
  const over = await listDatabasesToPurge(store.read, atOnce);
  for (const { id } of over) {
    await store.change(systemAuthor('housekeeping'), async (change) => {
      const database = await lockDatabase(change, id);
      // Another process was first.
      if (database === undefined || database.purgedAt !== null || database.purgeAt === null) return;
      const purged = await updateDatabase(change, id, { purgedAt: database.purgeAt });
      tell(change, 'database.purged', purged);
    });
  }
  return over.length;
}
