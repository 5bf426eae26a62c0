/**
 * Synchronizes the store with the cluster. The first worker to see a change of the watch writes it, once, with its events.
 * Adopts a database that a person applied in an organization's namespace.
 */
import type { Logger } from 'pino';
import type { ObjectChange } from '../../base/kube/object-cache.ts';
import { systemTimers, type Timers } from '../../base/timers.ts';
import { WorkQueue } from '../../base/work-queue.ts';
import type { DatabaseObject } from '../../domain/custom-objects.ts';
import { databaseIdOf, labels } from '../../domain/names.ts';
import type { DatabaseWriter } from '../kubernetes/database-writer.ts';
import { systemAuthor } from '../model/actor.ts';
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
import { wakeJobOf } from '../store/jobs.ts';
import { findOrganizationByNamespace, lockOrganization } from '../store/organizations.ts';
import { listPlaced } from '../store/placed-databases.ts';
import { StoreUnavailable } from '../store/store-errors.ts';
import type { Store } from '../store/store.ts';
import { belongs, isNews } from './belonging.ts';
import { tell } from './events.ts';
import { markDeleted } from './mark-deleted.ts';
import { observe } from './observed.ts';
import { resolvedChoice } from './resolved-choice.ts';
import { retentionMs } from './retention.ts';
import { takeOverSpec } from './take-over.ts';
import { countsAsReady, transitionOf } from './transition.ts';

export interface DatabaseSyncOptions {
  readonly store: Store;
  readonly writer: DatabaseWriter;
  readonly view: {
    database(namespace: string, name: string): DatabaseObject | undefined;
    databases(): readonly DatabaseObject[];
    readonly catalog: { readonly spec: Parameters<typeof retentionMs>[0] } | undefined;
  };
  readonly logger: Logger;
  readonly timers?: Timers;
}

const author = systemAuthor('watch');
/** Interval of sweeps over all databases. They find changes that happened while no process watched. */
const sweepMs = 60_000;

export class DatabaseSync {
  readonly #options: DatabaseSyncOptions;
  readonly #timers: Timers;
  readonly #queue: WorkQueue;
  /** UIDs of databases whose deletion was observed. */
  readonly #gone = new Map<string, string>();
  #cancelSweep = () => {};
  #stopped = false;

  constructor(options: DatabaseSyncOptions) {
    this.#options = options;
    this.#timers = options.timers ?? systemTimers;
    this.#queue = new WorkQueue({
      work: (key) => this.#work(key),
      concurrency: 4,
      backoff: { baseMs: 100, maxMs: 10_000 },
      timers: this.#timers,
    });
  }

  /** Handles a change that the watch reports. */
  changed({ namespace = '', name, object, previous }: ObjectChange<DatabaseObject>): void {
    const key = `${namespace}/${name}`;
    if (object === undefined && previous?.metadata.uid !== undefined) {
      this.#gone.set(previous.metadata.uid, key);
    }
    this.#queue.add(key);
  }

  /** Starts the sweeps, which find deletions that nobody watched. Call it when the watch has synced. */
  startSweeping(): void {
    if (this.#stopped) return;
    void this.#sweep().finally(() => {
      this.#cancelSweep = this.#timers.after(sweepMs, () => this.startSweeping());
    });
  }

  async stop(waitMaxMs: number): Promise<void> {
    this.#stopped = true;
    this.#cancelSweep();
    await this.#queue.stop(waitMaxMs);
  }

  async #sweep(): Promise<void> {
    const { store, view, logger } = this.#options;
    try {
      const living = new Set(view.databases().map(({ metadata }) => metadata.uid));
      for (const { id, kubernetesUid } of await listPlaced(store.read)) {
        if (!living.has(kubernetesUid)) await this.#markGone(kubernetesUid, id);
      }
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      logger.warn(
        { reason: error.message },
        'the comparison of all databases with the cluster is postponed',
      );
    }
  }

  async #work(key: string): Promise<void> {
    const { view, logger } = this.#options;
    const [namespace = '', name = ''] = key.split('/');
    try {
      for (const [uid, path] of this.#gone) {
        if (path !== key) continue;
        await this.#markGone(uid);
        this.#gone.delete(uid);
      }
      const object = view.database(namespace, name);
      if (object !== undefined) await this.#take(object);
      this.#queue.forget(key);
    } catch (error) {
      this.#queue.retry(key);
      const failures = this.#queue.failures(key);
      if (error instanceof StoreUnavailable) {
        logger.warn(
          { namespace, name, failures, reason: error.message },
          'a database could not be written to the store yet; trying again',
        );
      } else
        logger.error(
          { err: error, namespace, name, failures },
          'a database could not be taken over from the cluster',
        );
    }
  }

  async #take(object: DatabaseObject): Promise<void> {
    const { store, writer, logger } = this.#options;
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
    if (known !== undefined) await takeOverSpec(store, writer, known, object);
    const work = async (change: Change) => {
      const locked =
        known === undefined ? await adopt(change, object) : await lockDatabase(change, known.id);
      return locked && write(change, locked, object, new Date(this.#timers.wallMs()));
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

  async #markGone(uid: string, id?: string): Promise<void> {
    const { store, view } = this.#options;
    const known = id ?? (await findDatabaseByKubernetesUid(store.read, uid))?.id;
    if (known === undefined) return;
    const now = new Date(this.#timers.wallMs());
    await store.change(author, async (change) => {
      const database = await lockDatabase(change, known);
      if (database === undefined || database.kubernetesUid !== uid) return;
      const purgeAt = new Date(now.getTime() + retentionMs(view.catalog?.spec));
      await markDeleted(change, database, { deletedAt: now, purgeAt });
    });
    await wakeJobOf(store.read, known);
  }
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
  if (becameReady || before.status !== after.status) {
    await updateActiveProfile(change, before.id, {
      status: after.status,
      ...(becameReady && { readyAt: now }),
    });
  }
  // The resource was made by a process that died before it recorded this.
  if (before.kubernetesUid === null) tell(change, 'database.provisioning_started', after);
  for (const event of events) tell(change, event, after, { reason: after.statusReason });
  return after;
}
