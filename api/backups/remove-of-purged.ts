/** Removes the backups of purged organizations from the bucket. Nobody else can: the organization has no members and no keys. */
import { systemAuthor } from '../model/actor.ts';
import { listBackupsOfPurged, lockBackup, updateBackup } from '../store/backups.ts';
import { findAnyDatabase } from '../store/databases.ts';
import { createJob } from '../store/jobs.ts';
import type { Store } from '../store/store.ts';
import { tellBackup } from './backup-events.ts';
import { removingJob } from './backup-jobs.ts';

/** Maximum of such removals that go on at once, so that the jobs of others do not wait for them. */
const atOnce = 20;

/**
 * Queues the removal of some backups. Protected and held ones stay, as do those without a resource, which only a person can remove from the
 * bucket. Returns the number of removals; more may be left.
 */
export async function removeBackupsOfPurged(store: Store): Promise<number> {
  let queued = 0;
  for (const id of await listBackupsOfPurged(store.read, atOnce)) {
    const isQueued = await store.change(systemAuthor('housekeeping'), async (change) => {
      const before = await lockBackup(change, id);
      const isEnded = before?.status === 'SUCCEEDED' || before?.status === 'FAILED';
      // Another process was faster.
      if (!isEnded || before.protected || before.hold !== null || before.removedAt !== null)
        return false;
      await createJob(change, removingJob(before));
      const after = await updateBackup(change, id, { status: 'DELETING' });
      const database = await findAnyDatabase(change.db, after.databaseId);
      if (database !== undefined) tellBackup(change, 'backup.delete_requested', database, after);
      return true;
    });
    if (isQueued) queued += 1;
  }
  return queued;
}
