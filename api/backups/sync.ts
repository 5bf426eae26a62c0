/**
 * Keeps the rows of backups in line with their resources. The first worker to see a change of the watch writes it, once, with
 * its events. It takes over backups that somebody applied, a schedule made, or the operator made before an upgrade or a
 * deletion.
 */
import { isOlder } from '../../base/kube/resource-version.ts';
import { systemTimers, type Timers } from '../../base/timers.ts';
import type { OneBackupObject } from '../../domain/custom-resources.ts';
import { backupIdOf, labels } from '../../domain/names.ts';
import { isTypeId } from '../../domain/type-id.ts';
import type { BackupWriter } from '../kubernetes/backup-writer.ts';
import type { FollowedKind } from '../kubernetes/resource-follower.ts';
import { kubernetesAuthor, systemAuthor } from '../model/actor.ts';
import type { PlacedResource } from '../model/placed-resource.ts';
import type { Backup, BackupStatus } from '../model/backup.ts';
import {
  createBackup,
  findBackupOfResource,
  listPlacedBackups,
  lockBackup,
  updateBackup,
} from '../store/backups.ts';
import type { Change } from '../store/change.ts';
import type { Database } from '../store/database-record.ts';
import { findAnyDatabase, findDatabase, findDatabaseByName } from '../store/databases.ts';
import { wakeJobOf } from '../store/jobs.ts';
import type { Store } from '../store/store.ts';
import { tellBackup, type BackupEvent } from './backup-events.ts';
import { holdChange } from './hold.ts';
import { observe, statusWithoutResource, typeOf } from './observe.ts';
import { lockOrganizationOf, makerOf } from './taking-over.ts';

interface BackupSyncOptions {
  readonly store: Store;
  readonly view: FollowedKind<OneBackupObject>['view'];
  readonly read: BackupWriter['read'];
  readonly timers?: Timers;
}

const author = systemAuthor('watch');

/** Options of the follower of LedgerBackups. */
export function followedBackups(options: BackupSyncOptions): FollowedKind<OneBackupObject> {
  const { store, view, read } = options;
  return {
    noun: 'backup',
    view,
    read,
    placed: () => listPlacedBackups(store.read),
    take: (object) => take(options, object),
    markGone: (place) => markGone(options, place),
  };
}

async function take(options: BackupSyncOptions, object: OneBackupObject): Promise<void> {
  const { store } = options;
  const { uid = '', namespace = '', name, resourceVersion } = object.metadata;
  const known = await findBackupOfResource(store.read, { uid, namespace, name });
  if (known?.kubernetesUid === uid && known.resourceVersion === resourceVersion) return;
  const maker = known === undefined ? await makerOf(options, object) : undefined;
  const changed = await store.change(author, async (change) => {
    const before =
      known === undefined ? await adopt(change, object, maker) : await lockBackup(change, known.id);
    return before && write(change, before, object);
  });
  if (changed !== undefined) await wakeJobOf(store.read, changed.databaseId);
}

async function markGone(
  { store, timers = systemTimers }: BackupSyncOptions,
  place: PlacedResource,
): Promise<void> {
  const known = await findBackupOfResource(store.read, place);
  if (known?.kubernetesUid !== place.uid) return;
  const changed = await store.change(author, async (change) => {
    const before = await lockBackup(change, known.id);
    if (before === undefined || before.removedAt !== null || before.resourceGone) return undefined;
    const status = statusWithoutResource(before);
    const failed = status === 'FAILED' && before.status !== 'FAILED';
    const after = await updateBackup(change, known.id, {
      status,
      resourceGone: true,
      ...(failed && {
        statusReason: {
          code: 'ResourceDeleted',
          message: 'Its resource was deleted in Kubernetes.',
        },
        completedAt: new Date(timers.wallMs()),
      }),
    });
    await tellChange(change, before, after);
    return after;
  });
  if (changed !== undefined) await wakeJobOf(store.read, changed.databaseId);
}
/** Takes a backup over. `undefined`: no organization has its namespace, or no known database is its source. */
async function adopt(
  change: Change,
  object: OneBackupObject,
  maker: string | undefined,
): Promise<Backup | undefined> {
  if (maker === undefined) return undefined;
  const { uid = '', namespace = '', name, creationTimestamp } = object.metadata;
  const organization = await lockOrganizationOf(change, namespace);
  if (organization === undefined) return undefined;
  const database = await databaseOf(change, organization.id, object);
  if (database === undefined) return undefined;
  const { spec } = object;
  return createBackup(change, {
    id: backupIdOf(uid),
    organizationId: organization.id,
    databaseId: database.id,
    name,
    type: typeOf[spec.type],
    protected: spec.protected,
    expiresAt: null,
    schedule: object.metadata.labels?.[labels.schedule] ?? null,
    kubernetesNamespace: namespace,
    resourceName: name,
    kubernetesUid: uid,
    actor: kubernetesAuthor(maker).actor,
    ...(creationTimestamp !== undefined && { createdAt: new Date(creationTimestamp) }),
  });
}

/**
 * The database that was backed up, as the operator names it; before that, the one of that name. It must be in the same
 * namespace.
 */
async function databaseOf(
  change: Change,
  organizationId: string,
  { spec, status, metadata }: OneBackupObject,
): Promise<Database | undefined> {
  const id = status?.databaseId;
  if (id !== undefined && !isTypeId('db', id)) return undefined;
  const found = await (id === undefined
    ? findDatabaseByName(change.db, organizationId, spec.database)
    : findDatabase(change.db, organizationId, id));
  return found?.kubernetesNamespace === metadata.namespace ? found : undefined;
}

/** Writes an observation. Returns `undefined` if it is not new. */
async function write(
  change: Change,
  before: Backup,
  object: OneBackupObject,
): Promise<Backup | undefined> {
  const { resourceVersion = '' } = object.metadata;
  const seen = before.resourceVersion;
  if (before.removedAt !== null || before.resourceGone) return undefined;
  if (seen !== null && !isOlder(seen, resourceVersion)) return undefined;
  // The resource may have a name that another database has since taken.
  const databaseId = object.status?.databaseId;
  if (databaseId !== undefined && databaseId !== before.databaseId) return undefined;
  const patch = observe(object);
  // A removal that was requested over HTTP and has not reached the resource yet.
  const status = before.status === 'DELETING' ? 'DELETING' : (patch.status ?? before.status);
  const after = await updateBackup(change, before.id, { ...patch, status });
  await tellChange(change, before, after);
  return after;
}

const events = {
  SUCCEEDED: 'backup.succeeded',
  FAILED: 'backup.failed',
  DELETED: 'backup.deleted',
  EXPIRED: 'backup.expired',
} as const;

async function tellChange(change: Change, before: Backup, after: Backup): Promise<void> {
  const types: BackupEvent[] = [];
  const { status } = after;
  if (before.status !== status && isTold(status) && !isHistory(before, after)) {
    types.push(events[status]);
  }
  // A hold that was set or taken away in Kubernetes, or over HTTP by a process that died before it told of it.
  if (before.hold === null && after.hold !== null) types.push('backup.held');
  if (before.hold !== null && after.hold === null) types.push('backup.released');
  const isDamaged = ({ verification }: Backup) => verification?.status === 'FAILED';
  if (!isDamaged(before) && isDamaged(after)) types.push('backup.damaged');
  const database =
    types.length === 0 ? undefined : await findAnyDatabase(change.db, after.databaseId);
  if (database === undefined) return;
  const changes = holdChange(before.hold, after.hold);
  for (const type of types) tellBackup(change, type, database, after, { changes });
}

const isTold = (status: BackupStatus): status is keyof typeof events =>
  Object.hasOwn(events, status);

/**
 * Whether the backup is seen for the first time and ended long ago: a new installation finds many, and nobody waits for them.
 */
const isHistory = ({ resourceVersion }: Backup, { completedAt, updatedAt }: Backup): boolean =>
  resourceVersion === null &&
  completedAt !== null &&
  updatedAt.getTime() - completedAt.getTime() > 3_600_000;
