/** Guard of retries: whether a failed job is still useful for its database. */
import type { DatabaseStatus } from '../model/database-standing.ts';
import type { Job, JobType } from '../model/job.ts';
import { Refusal } from '../model/refusal.ts';
import type { Change } from '../store/change.ts';
import { lockDatabase } from '../store/databases.ts';

const retryableIn: Readonly<Record<JobType, readonly DatabaseStatus[]>> = {
  'database.create': ['PROVISIONING', 'FAILED'],
  'database.restore_deleted': ['PROVISIONING', 'FAILED'],
  'database.delete': ['DELETING'],
  'database.change': ['READY', 'SUSPENDED'],
  // A new backup is a new request.
  'backup.create': [],
  'backup.delete': [],
  'backup.verify': [],
};

/**
 * Throws a `Refusal` if the database has moved on since the job failed: an old deletion would delete a restored database, and an
 * old creation, cancelled, would remove one that serves. Locks the database until the commit.
 */
export async function requireOfUse(change: Change, { id, type, databaseId }: Job): Promise<void> {
  const database = databaseId === null ? undefined : await lockDatabase(change, databaseId);
  if (database === undefined || retryableIn[type].includes(database.status)) return;
  throw new Refusal('not_retryable', {
    detail: `${id} cannot be retried: the database ${database.name} is ${database.status}.`,
  });
}
