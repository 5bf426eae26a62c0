/** Restores a deleted database from its volumes. */
import { Refusal } from '../model/refusal.ts';
import { lockDatabase, updateActiveProfile, updateDatabase } from '../store/databases.ts';
import type { Database } from '../store/database-record.ts';
import { createJob, findActiveJob, operationInProgress } from '../store/jobs.ts';
import {
  viewOf,
  type Caller,
  type DatabaseServices,
  type WithJob,
  type Within,
} from './database-service.ts';
import { tell } from './events.ts';
import { requireMayRun, requireRoom } from './guards.ts';
import { restoration } from './provisioning-jobs.ts';
import { databaseNotFound } from './refusal.ts';
import { requireDatabase } from './require.ts';

export async function restoreDatabase(
  services: DatabaseServices,
  { organization, author }: Caller,
  id: string,
  newName: string | undefined,
  within: Within<WithJob>,
): Promise<WithJob> {
  const { store, databasesMax, now } = services;
  const known = await requireDatabase(store.read, organization.id, id);
  requireRestorable(known, now());
  await requireMayRun(services, organization);
  return store.change(author, async (change) => {
    // The database is counted already: deleted databases count until they are purged.
    await requireRoom(change, organization.id, databasesMax, 0);
    const deleted = await lockDatabase(change, id);
    if (deleted === undefined) throw databaseNotFound(id);
    requireRestorable(deleted, now());
    const active = await findActiveJob(change.db, id);
    if (active !== undefined) throw operationInProgress(active.id);
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
    const profile = await updateActiveProfile(change, id, { status: 'PROVISIONING' });
    const job = await createJob(change, restoration(database, deleted.purgeAt));
    tell(change, 'database.restore_requested', database, { job });
    const result = viewOf(database, profile, job);
    await within(change, result);
    return result;
  });
}

function requireRestorable(database: Database, now: Date): void {
  if (database.status === 'DELETING') {
    const detail = `${database.name} is still being deleted. Restore it when the deletion has ended.`;
    throw new Refusal('operation_in_progress', { detail, retryAfterSeconds: 2 });
  }
  if (database.status !== 'DELETED') {
    const detail = `${database.name} is not deleted, so it cannot be restored.`;
    throw new Refusal('database_not_deleted', { detail });
  }
  const { purgedAt, purgeAt } = database;
  if (purgedAt === null && purgeAt !== null && purgeAt > now) return;
  const at = purgedAt ?? purgeAt;
  throw new Refusal('database_purged', {
    detail: `${database.name} could be restored until ${at?.toISOString() ?? 'its deletion'}.`,
    members: at === null ? {} : { purgedAt: at.toISOString() },
  });
}
