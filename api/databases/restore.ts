/** Bringing a deleted database back from the volumes that it left. */
import {
  countDatabases,
  findDatabase,
  lockDatabase,
  updateActiveProfile,
  updateDatabase,
} from '../store/databases.ts';
import type { Database } from '../store/database-record.ts';
import { createJob, findActiveJob } from '../store/jobs.ts';
import { nameTaken, tooMany } from './create.ts';
import {
  viewOf,
  type Caller,
  type DatabaseServices,
  type WithJob,
  type Within,
} from './database-service.ts';
import { tell } from './events.ts';
import { restoration } from './provisioning-jobs.ts';
import { databaseNotFound, type Refusal } from './refusal.ts';

export async function restoreDatabase(
  { store, databasesMax, now }: DatabaseServices,
  { organization, author }: Caller,
  id: string,
  newName: string | undefined,
  within: Within<WithJob>,
): Promise<WithJob | Refusal> {
  if ((await findDatabase(store.read, organization.id, id)) === undefined) {
    return databaseNotFound(id);
  }
  return store.change(author, async (change) => {
    const deleted = await lockDatabase(change, id);
    if (deleted === undefined) return databaseNotFound(id);
    const refusal = notRestorable(deleted, now());
    if (refusal !== undefined) return refusal;
    const active = await findActiveJob(change.db, id);
    if (active !== undefined) return busy(active.id);
    if ((await countDatabases(change.db, organization.id)) >= databasesMax) {
      return tooMany(databasesMax);
    }
    const name = newName ?? deleted.name;
    const database = await updateDatabase(change, id, {
      name,
      status: 'PROVISIONING',
      statusReason: null,
      health: 'UNKNOWN',
      observed: null,
      kubernetesUid: null,
      deletedAt: null,
      purgeAt: null,
    });
    if (database === 'name_taken') return nameTaken(name, '');
    if (database === 'stale') throw new Error('it is locked, and yet stale');
    const profile = await updateActiveProfile(change, id, { status: 'PROVISIONING' });
    const job = await createJob(change, restoration(database));
    if ('inProgress' in job) return busy(job.inProgress);
    tell(change, 'database.restore_requested', database, { job });
    const result = viewOf(database, profile, job);
    await within(change, result);
    return result;
  });
}

function notRestorable(database: Database, now: Date): Refusal | undefined {
  if (database.status === 'DELETING') {
    const detail = `${database.name} is still being deleted; it can be restored when that is done.`;
    return { refused: 'operation_in_progress', detail, retryAfterSeconds: 2 };
  }
  if (database.status !== 'DELETED') {
    const detail = `${database.name} is not deleted: there is nothing to restore.`;
    return { refused: 'database_not_deleted', detail };
  }
  const { purgedAt, purgeAt } = database;
  if (purgedAt === null && purgeAt !== null && purgeAt > now) return undefined;
  const at = purgedAt ?? purgeAt;
  return {
    refused: 'database_purged',
    detail: `${database.name} could be restored until ${at?.toISOString() ?? 'its deletion'}.`,
    members: at === null ? {} : { purgedAt: at.toISOString() },
  };
}

const busy = (blockingJobId: string): Refusal => ({
  refused: 'operation_in_progress',
  detail: 'Another job works on this database; wait for it.',
  members: { blockingJobId },
  retryAfterSeconds: 2,
});
