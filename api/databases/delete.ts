/** Deletes a database: at once for its users, softly for its data. */
import { Refusal } from '../model/refusal.ts';
import {
  findActiveProfile,
  findDatabase,
  lockDatabase,
  updateActiveProfile,
  updateDatabase,
} from '../store/databases.ts';
import type { Change } from '../store/change.ts';
import type { Database, Profile } from '../store/database-record.ts';
import { createJob, findActiveJob, supersedeJob } from '../store/jobs.ts';
import { viewOf, type Caller, type DatabaseServices, type WithJob } from './database-service.ts';
import { tell } from './events.ts';
import { deletion } from './provisioning-jobs.ts';
import { changedMeanwhile, databaseNotFound, deletedAlready } from './refusal.ts';
import { retentionMs } from './retention.ts';

/** Deletes a database. A repeated request during the deletion gets the same answer. `ifVersion`: version in `If-Match`. */
export async function deleteDatabase(
  services: DatabaseServices,
  { organization, author }: Caller,
  id: string,
  ifVersion: number | undefined,
): Promise<WithJob> {
  const { store, catalog, isProtected, now } = services;
  const known = await findDatabase(store.read, organization.id, id);
  if (known === undefined) throw databaseNotFound(id);
  // Protection that was just set in Kubernetes may not have reached the row yet.
  if (known.deletedAt === null && (await isProtected(known))) throw deletionProtected(known);
  return store.change(author, async (change) => {
    const database = await lockDatabase(change, id);
    if (database === undefined) throw databaseNotFound(id);
    if (database.status === 'DELETED') throw deletedAlready(database);
    const active = await findActiveJob(change.db, id);
    if (database.status === 'DELETING' && active !== undefined) {
      return viewOf(database, await profileOf(change, id), active);
    }
    if (ifVersion !== undefined && database.version !== ifVersion) throw changedMeanwhile();
    if (database.deletionProtection) {
      throw deletionProtected(database);
    }
    if (active !== undefined) {
      const why = { code: 'superseded', message: 'The database is being deleted.' };
      await supersedeJob(change, active.id, why);
    }
    const deletedAt = now();
    return startDeletion(change, database, {
      deletedAt,
      purgeAt: new Date(deletedAt.getTime() + retentionMs(catalog()?.spec)),
    });
  });
}

async function startDeletion(
  change: Change,
  { id }: Database,
  times: { readonly deletedAt: Date; readonly purgeAt: Date },
): Promise<WithJob> {
  const patch = { status: 'DELETING', statusReason: null, ...times } as const;
  const database = await updateDatabase(change, id, patch);
  const profile = await updateActiveProfile(change, id, { status: 'DELETING' });
  const job = await createJob(change, deletion(database));
  tell(change, 'database.delete_requested', database, { job });
  return viewOf(database, profile, job);
}

const deletionProtected = ({ name }: Database): Refusal =>
  new Refusal('deletion_protected', {
    detail: `${name} is protected. Set deletionProtection to false first.`,
  });

export async function profileOf(change: Change, id: string): Promise<Profile> {
  const profile = await findActiveProfile(change.db, id);
  if (profile === undefined) throw new Error(`${id} has no active profile`);
  return profile;
}
