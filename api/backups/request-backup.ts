/** Accepts requests to make, change, test and remove backups. Jobs and the operator do the work. */
import { isOlder } from '../../base/kube/resource-version.ts';
import { replicasOf } from '../../domain/catalog/topologies.ts';
import type { TopologyName } from '../../domain/custom-resources.ts';
import { newTypeId } from '../../domain/type-id.ts';
import type { Caller, DatabaseServices } from '../databases/database-service.ts';
import { databaseNotFound, deletedAlready } from '../databases/refusal.ts';
import { requireDatabase } from '../databases/require.ts';
import { orChanged } from '../kubernetes/or-changed.ts';
import type { BackupWriter } from '../kubernetes/backup-writer.ts';
import type { Backup, BackupMethod } from '../model/backup.ts';
import type { FieldChange } from '../model/event.ts';
import type { Job } from '../model/job.ts';
import { Refusal } from '../model/refusal.ts';
import {
  countRequested,
  createBackup,
  findBackup,
  listRestores,
  lockBackup,
  updateBackup,
} from '../store/backups.ts';
import type { Change } from '../store/change.ts';
import type { Database, Profile } from '../store/database-record.ts';
import { findActiveProfile, lockDatabase } from '../store/databases.ts';
import { createJob, findBackupJob, operationInProgress } from '../store/jobs.ts';
import type { Reader } from '../store/tables.ts';
import { tellBackup } from './backup-events.ts';
import { makingJob, removingJob, verifyingJob } from './backup-jobs.ts';
import {
  backupBusy,
  backupHeld,
  backupNotFound,
  backupNotManaged,
  backupProtected,
  requireStore,
} from './refusal.ts';

export type BackupServices = DatabaseServices & {
  readonly backups: BackupWriter;
  /** Whether the operator has a store for backups. */
  readonly backupStore: boolean;
};

export interface AcceptedBackup {
  readonly backup: Backup;
  readonly job: Job;
}

interface CreateRequest {
  readonly name?: string | undefined;
  readonly retentionDays?: number | undefined;
  readonly protected: boolean;
  readonly method: BackupMethod;
}

type Within = (change: Change, accepted: AcceptedBackup) => Promise<void>;

/** Maximum number of a database's requested backups that are not removed. Those of schedules have their own rules. */
const requestedMax = 200;
const dayMs = 86_400_000;

export async function requestBackup(
  { store, backupStore, now }: BackupServices,
  { organization, author }: Caller,
  databaseId: string,
  request: CreateRequest,
  within: Within,
): Promise<AcceptedBackup> {
  await requireDatabase(store.read, organization.id, databaseId);
  return store.change(author, async (change) => {
    const database = await lockDatabase(change, databaseId);
    if (database === undefined) throw databaseNotFound(databaseId);
    await requireCanBeBackedUp(change.db, database, request.method);
    requireStore(backupStore);
    const { count, unfinishedJobId } = await countRequested(change.db, databaseId);
    if (unfinishedJobId !== undefined) throw operationInProgress(unfinishedJobId);
    if (count >= requestedMax) throw tooMany(database);
    const { name, retentionDays } = request;
    const id = newTypeId('bkp');
    const at = now();
    const made = await createBackup(change, {
      id,
      organizationId: organization.id,
      databaseId,
      name: name ?? at.toISOString(),
      type: 'MANUAL',
      method: request.method,
      protected: request.protected,
      expiresAt: retentionDays === undefined ? null : wholeSecond(at, retentionDays),
      schedule: null,
      kubernetesNamespace: database.kubernetesNamespace,
      resourceName: resourceNameOf(database, id),
      actor: author.actor,
    });
    if (made === undefined) throw new Error(`${id} exists already`);
    const job = await createJob(change, makingJob(made));
    const backup = await updateBackup(change, id, { jobId: job.id });
    tellBackup(change, 'backup.requested', database, backup);
    const accepted = { backup, job };
    await within(change, accepted);
    return accepted;
  });
}

/** Throws a refusal if no backup of the database can be made. */
export async function requireCanBeBackedUp(
  db: Reader,
  database: Database,
  method: BackupMethod = 'ROWS',
): Promise<void> {
  if (database.deletedAt !== null) throw deletedAlready(database);
  const profile = await findActiveProfile(db, database.id);
  const why = method === 'FILES' ? whyNoFiles(database, profile) : whyNoBackup(database, profile);
  if (why !== undefined) throw why;
}

/** Returns the reason why a living database cannot be backed up now, or `undefined` if it can. */
export function whyNoBackup(
  { name, status }: Pick<Database, 'name' | 'status'>,
  profile: Pick<Profile, 'engine' | 'clusterConfiguration'> | undefined,
): Refusal | undefined {
  if (status === 'READY') return undefined;
  const isSingle = replicasOf[profile?.clusterConfiguration as TopologyName] === 1;
  // Its one file has everything. TigerBeetle is read through its protocol.
  const isReadAtRest = isSingle && profile?.engine === 'Builtin';
  if (status === 'SUSPENDED' && isReadAtRest) return undefined;
  const detail =
    status === 'SUSPENDED'
      ? `${name} is suspended. ${profile?.engine === 'Builtin' ? 'Of several replicas only one' : 'A cluster of TigerBeetle is read through its protocol, so that only one'} that runs can be backed up: resume the database first${profile?.engine === 'TigerBeetle' ? ', or back up its data files (method FILES)' : ''}.`
      : `${name} is ${status}; it has no data to back up.`;
  return new Refusal('database_not_ready', {
    detail,
    members: { databaseStatus: status },
    ...(status === 'PROVISIONING' && { retryAfterSeconds: 5 }),
  });
}

/** Returns the reason why the data files of a living database cannot be backed up now. */
export function whyNoFiles(
  { name, status }: Pick<Database, 'name' | 'status'>,
  profile: Pick<Profile, 'engine'> | undefined,
): Refusal | undefined {
  const members = { databaseStatus: status };
  if (profile?.engine !== 'TigerBeetle') {
    const detail = `${name} runs the built-in engine, whose backups have rows: leave method out. Only data files of TigerBeetle are backed up as they are.`;
    return new Refusal('database_not_ready', { detail, members });
  }
  if (status === 'SUSPENDED') return undefined;
  const detail = `${name} is ${status}. Data files are copied while no replica runs: suspend the database first.`;
  return new Refusal('database_not_ready', { detail, members });
}

const tooMany = ({ name }: Database): Refusal =>
  new Refusal('quota_exceeded', {
    detail: `${name} has ${requestedMax} backups that were requested; that is the maximum. Remove one, or let them expire (retentionDays).`,
  });

/** Kubernetes keeps whole seconds. */
const wholeSecond = (at: Date, days: number): Date =>
  new Date(Math.ceil((at.getTime() + days * dayMs) / 1_000) * 1_000);

/** At most 40 + 1 + 20 characters; the end of an ID is random. */
const resourceNameOf = ({ name }: Database, id: string): string => `${name}-${id.slice(-20)}`;

interface UpdateRequest {
  readonly name?: string | undefined;
  readonly protected?: boolean | undefined;
}

/** Changes the name in the row, but the protection first in the resource: only the operator's view of it counts. */
export async function changeBackup(
  { store, backups }: BackupServices,
  { organization, author }: Caller,
  databaseId: string,
  id: string,
  request: UpdateRequest,
): Promise<Backup> {
  const database = await requireDatabase(store.read, organization.id, databaseId);
  const known = await findBackup(store.read, databaseId, id);
  if (known === undefined || known.removedAt !== null) throw backupNotFound(id);
  const written =
    request.protected === undefined ? undefined : await protect(backups, known, request.protected);
  return store.change(author, async (change) => {
    const before = await lockBackup(change, id);
    if (before === undefined) throw backupNotFound(id);
    // Compared with the earlier state: the watch may have written the protection meanwhile.
    const changes = changesOf({ ...before, protected: known.protected }, request);
    if (changes.length === 0) return before;
    const { name, protected: isProtected } = request;
    // The watch may have written somebody else's later change.
    const isPast = isOlder(written ?? '', before.resourceVersion ?? '');
    const after = await updateBackup(change, id, {
      ...(name !== undefined && { name }),
      ...(isProtected !== undefined && !isPast && { protected: isProtected }),
    });
    tellBackup(change, 'backup.changed', database, after, { changes });
    return after;
  });
}

/**
 * Returns the version of the resource with it. The protection of a backup that is being removed can be taken away: it blocks
 * the removal.
 */
async function protect(
  writer: BackupWriter,
  backup: Backup,
  isProtected: boolean,
): Promise<string | undefined> {
  const { kubernetesUid, kubernetesNamespace: namespace, resourceName: name } = backup;
  if (backup.resourceGone) throw backupNotManaged(backup);
  const isRemoved = backup.status === 'DELETING' && isProtected;
  if (kubernetesUid === null || isRemoved) throw backupBusy(backup);
  const written = await orChanged(backup.name, () =>
    writer.protect({ namespace, name }, kubernetesUid, isProtected),
  );
  if (written === undefined) throw backupNotManaged(backup);
  return written.metadata.resourceVersion;
}

const changesOf = (before: Backup, after: UpdateRequest): readonly FieldChange[] =>
  (['name', 'protected'] as const).flatMap((field) => {
    const to = after[field];
    return to === undefined || to === before[field]
      ? []
      : [{ path: `/${field}`, from: before[field], to }];
  });

/** Removes a backup. A repeated request during the removal gets the same answer. */
export async function requestRemoval(
  { store }: BackupServices,
  { organization, author }: Caller,
  databaseId: string,
  id: string,
): Promise<AcceptedBackup> {
  const database = await requireDatabase(store.read, organization.id, databaseId);
  return store.change(author, async (change) => {
    const before = await lockBackup(change, id);
    if (before?.databaseId !== databaseId || before.removedAt !== null) throw backupNotFound(id);
    const running = await findBackupJob(change.db, 'backup.delete', id);
    if (before.status === 'DELETING' && running !== undefined) {
      return { backup: before, job: running };
    }
    if (before.protected) throw backupProtected(before);
    if (before.hold !== null) throw backupHeld(before);
    // A job may be making its resource right now.
    if (before.status === 'QUEUED' && before.kubernetesUid === null) throw backupBusy(before);
    if (before.status === 'SUCCEEDED' && before.resourceGone) throw backupNotManaged(before);
    const restores = await listRestores(change.db, [id]);
    if (restores.some(({ status }) => status === 'PROVISIONING')) throw backupBusy({ jobId: null });
    const job = await createJob(change, removingJob(before));
    const backup = await updateBackup(change, id, { status: 'DELETING' });
    tellBackup(change, 'backup.delete_requested', database, backup);
    return { backup, job };
  });
}

/** Requests a test restore of a backup. While a requested test runs, a repeated request gets its job. */
export async function requestTest(
  { store, backupStore, now }: BackupServices,
  { organization, author }: Caller,
  { databaseId, backupId }: { readonly databaseId: string; readonly backupId: string },
  within: Within,
): Promise<AcceptedBackup> {
  const database = await requireDatabase(store.read, organization.id, databaseId);
  return store.change(author, async (change) => {
    const backup = await lockBackup(change, backupId);
    if (backup?.databaseId !== databaseId) throw backupNotFound(backupId);
    if (backup.status !== 'SUCCEEDED') {
      throw new Refusal('backup_not_restorable', {
        detail: `${backup.name} is ${backup.status}; only a backup that is SUCCEEDED can be tested.`,
      });
    }
    if (backup.resourceGone) throw backupNotManaged(backup);
    requireStore(backupStore);
    const running = await findBackupJob(change.db, 'backup.verify', backupId);
    const job = running ?? (await createJob(change, verifyingJob(backup, now())));
    if (running === undefined) tellBackup(change, 'backup.test_requested', database, backup);
    const accepted = { backup, job };
    await within(change, accepted);
    return accepted;
  });
}
