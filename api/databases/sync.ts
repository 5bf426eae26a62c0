/**
 * Keeps the rows of databases in line with their resources. The first worker to see a change of the watch writes it, once, with
 * its events. It adopts a database that a person applied in an organization's namespace.
 */
import type { Logger } from 'pino';
import { systemTimers, type Timers } from '../../base/timers.ts';
import type { CatalogSpec, DatabaseObject } from '../../domain/custom-resources.ts';
import { databaseIdOf, labels } from '../../domain/names.ts';
import { settleKubernetesChanges } from '../configuration/kubernetes-changes.ts';
import type { DatabaseWriter } from '../kubernetes/database-writer.ts';
import type { FollowedKind } from '../kubernetes/resource-follower.ts';
import { systemAuthor } from '../model/actor.ts';
import type { PlacedResource } from '../model/placed-resource.ts';
import { Refusal } from '../model/refusal.ts';
import type { Change } from '../store/change.ts';
import type { Database } from '../store/database-record.ts';
import {
  createDatabase,
  findAnyDatabase,
  findDatabaseByKubernetesUid,
  lockDatabase,
  updateActiveProfile,
  updateDatabase,
} from '../store/databases.ts';
import { isReplaced } from '../store/configuration-changes.ts';
import { suspendChangeStreams } from '../store/change-streams.ts';
import { wakeJobOf } from '../store/jobs.ts';
import { findOrganizationByNamespace, lockOrganization } from '../store/organizations.ts';
import { listPlaced } from '../store/placed-databases.ts';
import type { Store } from '../store/store.ts';
import { belongs, isNews } from './belonging.ts';
import { tell } from './events.ts';
import { markDeleted } from './mark-deleted.ts';
import { observe } from './observed.ts';
import { resolvedChoice } from './resolved-choice.ts';
import { retentionMs } from './retention.ts';
import { takeOverSpec } from './take-over.ts';
import { countsAsReady, reasonOf, transitionOf } from './transition.ts';

interface DatabaseSyncOptions {
  readonly store: Store;
  readonly writer: DatabaseWriter;
  readonly view: {
    database(namespace: string, name: string): DatabaseObject | undefined;
    databases(): readonly DatabaseObject[];
    readonly catalog: { readonly spec: CatalogSpec } | undefined;
  };
  readonly logger: Logger;
  readonly timers?: Timers;
}

const author = systemAuthor('watch');

/** Options of the follower of LedgerDatabases. */
export function followedDatabases(options: DatabaseSyncOptions): FollowedKind<DatabaseObject> {
  const { store, writer, view } = options;
  return {
    noun: 'database',
    view: {
      find: (namespace, name) => view.database(namespace, name),
      list: () => view.databases(),
    },
    read: (place) => writer.read(place),
    placed: () => listPlaced(store.read),
    take: (object) => take(options, object),
    markGone: (place) => markGone(options, place),
  };
}

async function take(options: DatabaseSyncOptions, object: DatabaseObject): Promise<void> {
  const { store, writer, view, logger, timers = systemTimers } = options;
  const { uid = '', namespace = '', name, resourceVersion = '' } = object.metadata;
  const labelled = object.metadata.labels?.[labels.databaseId] !== undefined;
  const known =
    (await findDatabaseByKubernetesUid(store.read, uid)) ??
    (await findAnyDatabase(store.read, databaseIdOf(object)));
  if (known?.kubernetesUid === uid && known.observed?.resourceVersion === resourceVersion) return;
  if (known !== undefined && !belongs(known, object)) {
    logger.warn(
      { namespace, name, uid, databaseId: known.id },
      'a resource has the ID of another database; it is ignored',
    );
    return;
  }
  if (known !== undefined) {
    await takeOverSpec({ store, writer, catalog: view.catalog?.spec }, known, object);
  }
  const work = async (change: Change) => {
    const locked =
      known === undefined ? await adopt(change, object) : await lockDatabase(change, known.id);
    return locked && write(change, locked, object, new Date(timers.wallMs()));
  };
  const changed = await store.change(author, work).catch((error: unknown) => {
    // The API is making a database of this name; its job meets this resource and reports it.
    if (error instanceof Refusal && error.code === 'database_name_taken') return undefined;
    throw error;
  });
  if (changed === undefined) return;
  await wakeJobOf(store.read, changed.id);
  if (!labelled) await writer.label({ namespace, name, databaseId: changed.id }, uid);
}

async function markGone(
  { store, view, timers = systemTimers }: DatabaseSyncOptions,
  { uid }: PlacedResource,
): Promise<void> {
  const known = (await findDatabaseByKubernetesUid(store.read, uid))?.id;
  if (known === undefined) return;
  const now = new Date(timers.wallMs());
  await store.change(author, async (change) => {
    const database = await lockDatabase(change, known);
    if (database === undefined || database.kubernetesUid !== uid) return;
    // The database goes on in another resource, which the change of shape names in the row.
    if (await isReplaced(change.db, known, uid)) return;
    const purgeAt = new Date(now.getTime() + retentionMs(view.catalog?.spec));
    await markDeleted(change, database, { deletedAt: now, purgeAt });
  });
  await wakeJobOf(store.read, known);
}

/** Adopts an applied database. `undefined`: no organization has its namespace, or the operator has not accepted it yet. */
async function adopt(change: Change, object: DatabaseObject): Promise<Database | undefined> {
  const { uid = '', namespace = '', name } = object.metadata;
  const organization = await findOrganizationByNamespace(change.db, namespace);
  const choice = resolvedChoice(object);
  if (organization === undefined || choice === undefined) return undefined;
  // Locked, so that nobody deletes the organization as empty meanwhile.
  if ((await lockOrganization(change, organization.id))?.deletedAt !== null) return undefined;
  const made = await createDatabase(
    change,
    {
      id: databaseIdOf(object),
      organizationId: organization.id,
      name,
      mode: 'new',
      deletionProtection: object.spec.deletionProtection,
      labels: {},
      kubernetesNamespace: namespace,
      kubernetesUid: uid,
      adopted: true,
    },
    choice,
  );
  tell(change, 'database.adopted', made.database);
  return made.database;
}

/** Writes an observation. Returns `undefined` if it is not new. */
async function write(
  change: Change,
  before: Database,
  object: DatabaseObject,
  now: Date,
): Promise<Database | undefined> {
  const { uid = '' } = object.metadata;
  if (!isNews(before, object)) return undefined;
  const observation = observe(object, countsAsReady(before), now);
  const { patch, events, becameReady } = transitionOf(before, observation, now);
  const after = await updateDatabase(change, before.id, { ...patch, kubernetesUid: uid });
  const { streamsSuspended: suspended = false } = observation.observed;
  if (suspended !== (before.observed?.streamsSuspended ?? false)) {
    await suspendChangeStreams(change, before.id, suspended);
  }
  if (becameReady || before.status !== after.status) {
    await updateActiveProfile(change, before.id, {
      status: after.status,
      ...(becameReady && { readyAt: now }),
    });
  }
  // The resource was made by a process that died before it recorded this.
  if (before.kubernetesUid === null) tell(change, 'database.provisioning_started', after);
  for (const event of events) tell(change, event, after, { reason: reasonOf(event, after) });
  await settleKubernetesChanges(change, after, object);
  return after;
}
