/**
 * Deletes a database. For its users it is gone at once; its data can be restored for a while, or is replaced by a last backup.
 */
import { requireStore } from '../backups/refusal.ts';
import { requireCanBeBackedUp } from '../backups/request-backup.ts';
import { cancelChanges } from '../configuration/kubernetes-changes.ts';
import { Refusal } from '../model/refusal.ts';
import { findApplying } from '../store/configuration-changes.ts';
import {
  findActiveProfile,
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
import { requireDatabase } from './require.ts';
import { retentionMs } from './retention.ts';

interface Deletion {
  /** Version in `If-Match`. */
  readonly ifVersion?: number | undefined;
  /** Whether the volumes are deleted at once, after a backup. */
  readonly finalBackup?: boolean;
  /** Whether the operator has a store for backups. */
  readonly backupStore?: boolean;
}

/** Deletes a database. A repeated request during the deletion gets the same answer. */
export async function deleteDatabase(
  services: DatabaseServices,
  { organization, author }: Caller,
  id: string,
  { ifVersion, finalBackup = false, backupStore = false }: Deletion = {},
): Promise<WithJob> {
  const { store, catalog, isProtected, now } = services;
  const known = await requireDatabase(store.read, organization.id, id);
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
    await refuseWhileReplaced(change, database);
    if (finalBackup) {
      if (database.status !== 'DELETING') {
        await refuseWithoutLast(change, database);
        await requireCanBeBackedUp(change.db, database);
      }
      requireStore(backupStore);
    }
    if (active !== undefined) {
      const why = { code: 'superseded', message: 'The database is being deleted.' };
      await supersedeJob(change, active.id, why);
    }
    const deletedAt = now();
    const keptUntil = new Date(deletedAt.getTime() + retentionMs(catalog()?.spec));
    // With a last backup the volumes are deleted once it exists; that time is not known yet.
    const times = { deletedAt, purgeAt: finalBackup ? null : keptUntil };
    return startDeletion(change, database, times, finalBackup);
  });
}

/** Nothing keeps clients of TigerBeetle from writing behind the last backup. */
async function refuseWithoutLast(change: Change, { id, name }: Database): Promise<void> {
  const { engine } = await profileOf(change, id);
  if (engine === 'Builtin') return;
  throw new Refusal('backups_not_supported', {
    detail: `${name} runs ${engine}, which can still take writes while it is backed up. Make a backup when no client writes any more, then delete the database without a last one.`,
  });
}

/** The data may be in a last backup alone, which a deletion would lose sight of. */
async function refuseWhileReplaced(change: Change, { id, name }: Database): Promise<void> {
  const applying = await findApplying(change.db, id);
  if (applying === undefined || applying.replaced === null) return;
  const active = await findActiveJob(change.db, id);
  throw new Refusal('operation_in_progress', {
    detail: `The replicas of ${name} are being replaced. Delete it when the change ${applying.id} has ended.`,
    ...(active !== undefined && { members: { blockingJobId: active.id } }),
    retryAfterSeconds: 10,
  });
}

async function startDeletion(
  change: Change,
  { id }: Database,
  times: { readonly deletedAt: Date; readonly purgeAt: Date | null },
  finalBackup: boolean,
): Promise<WithJob> {
  const patch = { status: 'DELETING', statusReason: null, ...times } as const;
  const database = await updateDatabase(change, id, patch);
  const profile = await updateActiveProfile(change, id, { status: 'DELETING' });
  await cancelChanges(change, id);
  const job = await createJob(change, deletion(database, finalBackup));
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
