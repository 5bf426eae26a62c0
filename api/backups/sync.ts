/**
 * Keeps the rows of backups in line with their resources. The first worker to see a change of the watch writes it, once, with
 * its events. It takes over backups that somebody applied, a schedule made, or the operator made before an upgrade or a
 * deletion.
 */
import { systemTimers, type Timers } from '../../base/timers.ts';
import type { OneBackupObject } from '../../domain/custom-resources.ts';
import { backupIdOf, labels } from '../../domain/names.ts';
import { isTypeId } from '../../domain/type-id.ts';
import type { BackupWriter } from '../kubernetes/backup-writer.ts';
import type { FollowedKind } from '../kubernetes/resource-follower.ts';
import { kubernetesAuthor } from '../model/actor.ts';
import type { PlacedResource } from '../model/placed-resource.ts';
import type { Backup } from '../model/backup.ts';
import {
  createBackup,
  findBackupOfResource,
  listPlacedBackups,
  lockBackup,
  updateBackup,
} from '../store/backups.ts';
import type { Change } from '../store/change.ts';
import type { Database } from '../store/database-record.ts';
import { findDatabase, findDatabaseByName } from '../store/databases.ts';
import { wakeJobOf } from '../store/jobs.ts';
import type { Store } from '../store/store.ts';
import { methodOf, statusWithoutResource, typeOf } from './observe.ts';
import { takeObservation, tellChange, watchAuthor } from './take-observation.ts';
import { lockOrganizationOf, makerOf } from './taking-over.ts';

interface BackupSyncOptions {
  readonly store: Store;
  readonly view: FollowedKind<OneBackupObject>['view'];
  readonly read: BackupWriter['read'];
  readonly timers?: Timers;
}

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
  const changed = await store.change(watchAuthor, async (change) => {
    const before =
      known === undefined ? await adopt(change, object, maker) : await lockBackup(change, known.id);
    return before && takeObservation(change, before, object);
  });
  if (changed !== undefined) await wakeJobOf(store.read, changed.databaseId);
}

async function markGone(
  { store, timers = systemTimers }: BackupSyncOptions,
  place: PlacedResource,
): Promise<void> {
  const known = await findBackupOfResource(store.read, place);
  if (known?.kubernetesUid !== place.uid) return;
  const changed = await store.change(watchAuthor, async (change) => {
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
    method: methodOf(spec),
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
