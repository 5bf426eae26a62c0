/** Unprovisioning: work of the job that deletes a database. The resource is deleted, the volumes stay. */
import type { DatabaseIdentity, DatabaseWriter } from '../kubernetes/database-writer.ts';
import { labels } from '../../domain/names.ts';
import type { Database } from '../store/database-record.ts';
import type { Look } from './provision.ts';

export interface UnprovisioningWorld {
  readonly writer: DatabaseWriter;
  readonly nowMs: () => number;
  /** Marks the row as DELETED. */
  readonly removed: (database: Database) => Promise<void>;
}

const lookAgainMs = 2_000;
/** Maximum age of a request to the API server that may still create the resource after its worker lost the job. */
const creationMaxMs = 15_000;

export async function unprovision(
  { writer, nowMs, removed }: UnprovisioningWorld,
  database: Database,
  { unprotect }: { readonly unprotect: boolean },
): Promise<Look> {
  if (database.status === 'DELETED') return done;
  const identity: DatabaseIdentity = {
    namespace: database.kubernetesNamespace,
    name: database.name,
    databaseId: database.id,
  };
  const found = await writer.read(identity);
  const uid = found?.metadata.uid;
  // If the process that made the resource died before it recorded the UID, the resource still has the ID as a label.
  const ours =
    uid !== undefined &&
    (uid === database.kubernetesUid || found?.metadata.labels?.[labels.databaseId] === database.id);
  if (!ours && mayStillCome(database, nowMs())) {
    return goingOn('Waiting until no part of the database is still being created.');
  }
  if (!ours) {
    await removed(database);
    return done;
  }
  if (found?.metadata.deletionTimestamp === undefined) {
    // A person protected the resource after the deletion was accepted.
    if (found?.spec.deletionProtection === true && !unprotect) return protectedMeanwhile;
    await writer.delete(identity, uid, { unprotect });
  }
  return goingOn('The replicas are stopping.');
}

/** Whether a request of the cancelled creation may still be under way and make the resource. */
const mayStillCome = ({ kubernetesUid, deletedAt }: Database, nowMs: number): boolean =>
  kubernetesUid === null && deletedAt !== null && nowMs - deletedAt.getTime() < creationMaxMs;

const goingOn = (message: string): Look => ({
  kind: 'going_on',
  step: 'await_removal',
  percent: 50,
  message,
  againInMs: lookAgainMs,
});

const protectedMeanwhile: Look = {
  kind: 'failed',
  code: 'deletion_protected',
  message: 'The database was protected in Kubernetes before it was deleted; nothing was deleted.',
  // The deletion is over: to delete, a person must remove the protection and ask again.
  final: true,
};

const done: Look = {
  kind: 'done',
  message: 'The database is deleted; its volumes stay until they are purged.',
};
