/**
 * Keeps the store as the cluster is: each change that the watch brings is written once, whichever API process sees it first,
 * with the events that tell of it. A database that a person applied in an organization's namespace is taken in.
 */
import type { Logger } from 'pino';
import { isOlder } from '../../base/kube/resource-version.ts';
import type { ObjectChange } from '../../base/kube/object-cache.ts';
import { systemTimers, type Timers } from '../../base/timers.ts';
import { WorkQueue } from '../../base/work-queue.ts';
import type { DatabaseObject } from '../../domain/custom-objects.ts';
import { databaseIdOf, labels } from '../../domain/names.ts';
import type { DatabaseWriter } from '../kubernetes/database-writer.ts';
import { systemAuthor } from '../model/actor.ts';
import type { Change } from '../store/change.ts';
import type { Database, ProfileChoice } from '../store/database-record.ts';
import {
  createDatabase,
  findAnyDatabase,
  findDatabaseByKubernetesUid,
  lockDatabase,
  updateActiveProfile,
  updateDatabase,
} from '../store/databases.ts';
import { wakeJobOf } from '../store/jobs.ts';
import { findOrganizationByNamespace } from '../store/organizations.ts';
import { listPlaced } from '../store/placed-databases.ts';
import { StoreUnavailable } from '../store/store-errors.ts';
import type { Store } from '../store/store.ts';
import { tell } from './events.ts';
import { markDeleted } from './mark-deleted.ts';
import { observe } from './observed.ts';
import { retentionMs } from './retention.ts';
import { transitionOf } from './transition.ts';

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
/** What was missed while no process watched is found by a look at everything, now and then. */
const sweepMs = 60_000;

export class DatabaseSync {
  readonly #options: DatabaseSyncOptions;
  readonly #timers: Timers;
  readonly #queue: WorkQueue;
  /** Uids of databases that were seen to go. */
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

  /** From the watch. */
  changed({ namespace = '', name, object, previous }: ObjectChange<DatabaseObject>): void {
    const key = `${namespace}/${name}`;
    if (object === undefined && previous?.metadata.uid !== undefined) {
      this.#gone.set(previous.metadata.uid, key);
    }
    this.#queue.add(key);
  }

  /** Once the watch knows everything: what went while nobody watched is found, again and again. */
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
      logger.warn({ reason: error.message }, 'the look at all databases is put off');
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
        logger.warn({ namespace, name, failures, reason: error.message }, 'not written yet');
      } else logger.error({ err: error, namespace, name, failures }, 'a database was not taken in');
    }
  }

  async #take(object: DatabaseObject): Promise<void> {
    const { store, writer } = this.#options;
    const { uid = '', namespace = '', name, resourceVersion = '' } = object.metadata;
    const labelled = object.metadata.labels?.[labels.databaseId] !== undefined;
    const known =
      (await findDatabaseByKubernetesUid(store.read, uid)) ??
      (await findAnyDatabase(store.read, databaseIdOf(object)));
    if (known?.kubernetesUid === uid && known.observed?.resourceVersion === resourceVersion) return;
    const changed = await store.change(author, async (change) => {
      const locked =
        known === undefined ? await adopt(change, object) : await lockDatabase(change, known.id);
      return locked && write(change, locked, object, new Date(this.#timers.wallMs()));
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

/** One that was applied to the cluster. `undefined`: not in an organization's namespace, or not accepted by the operator yet. */
async function adopt(change: Change, object: DatabaseObject): Promise<Database | undefined> {
  const { uid = '', namespace = '', name } = object.metadata;
  const organization = await findOrganizationByNamespace(change.db, namespace);
  const choice = choiceOf(object);
  if (organization === undefined || choice === undefined) return undefined;
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
  // One of this name is being made here, and its resource will meet this one and say so.
  if ('taken' in made) return undefined;
  tell(change, 'database.adopted', made.database);
  return made.database;
}

function choiceOf({ status }: DatabaseObject): ProfileChoice | undefined {
  const { resolved } = status ?? {};
  const { engine, placement, topology, size, storage, parameters, price } = resolved ?? {};
  const sizeGb = status?.storage?.requestedGb;
  if (!engine || !placement || !topology || !size || !storage || sizeGb === undefined) {
    return undefined;
  }
  return {
    provider: placement.provider,
    region: placement.region,
    clusterConfiguration: topology.name,
    clusterSize: size.name,
    storageTier: storage.tier,
    selectedStorageGb: sizeGb,
    engine: engine.name,
    engineVersion: engine.version,
    parameters: parameters ?? {},
    price: price ?? null,
  };
}

/** `undefined`: it was known already. */
async function write(
  change: Change,
  before: Database,
  object: DatabaseObject,
  now: Date,
): Promise<Database | undefined> {
  const { uid = '', resourceVersion = '' } = object.metadata;
  // The ID is on a resource that took the volumes over: the one before it is gone, or was never written.
  if (before.kubernetesUid !== null && before.kubernetesUid !== uid) return undefined;
  const seen = before.observed?.resourceVersion;
  if (seen !== undefined && before.kubernetesUid === uid && !isOlder(seen, resourceVersion)) {
    return undefined;
  }
  // One that is being restored is not ready because it was once.
  const wasReady = before.readyAt !== null && before.status !== 'PROVISIONING';
  const observation = observe(object, wasReady, now);
  const { patch, events, becameReady } = transitionOf(before, observation, now);
  const after = await updateDatabase(change, before.id, { ...patch, kubernetesUid: uid });
  if (typeof after === 'string') throw new Error(`it was not written: ${after}`);
  if (becameReady || before.status !== after.status) {
    await updateActiveProfile(change, before.id, {
      status: after.status,
      ...(becameReady && { readyAt: now }),
    });
  }
  // Made by a process that did not live to say so.
  if (before.kubernetesUid === null) tell(change, 'database.provisioning_started', after);
  for (const event of events) tell(change, event, after, { reason: after.statusReason });
  return after;
}
