/**
 * The worker's part of imports: rows are tried, those that a database began with are USED, those whose time is over EXPIRED, and what is in the store
 * of both, and of deleted ones, is removed. Removing is repeated until it is done, by whichever worker takes it: twice is as once.
 */
import type { Logger } from 'pino';
import { RepeatingTask } from '../../base/repeating-task.ts';
import { stagedFolder } from '../../domain/import-files/staged-key.ts';
import { systemAuthor } from '../model/actor.ts';
import type { ImportStatus } from '../model/import.ts';
import type { Change } from '../store/change.ts';
import { findAnyDatabase } from '../store/databases.ts';
import {
  checkingImports,
  claimRemoval,
  endRemoval,
  overdueImports,
  trialPlace,
  usedImports,
} from '../store/import-work.ts';
import { endImport, lockImport } from '../store/imports.ts';
import { StoreUnavailable } from '../store/store-errors.ts';
import type { Store } from '../store/store.ts';
import { isBeingMade } from './being-made.ts';
import { tellImport } from './import-events.ts';
import type { StagingStore } from './staging-store.ts';
import { tryImport } from './trials.ts';
import type { ImportWriter } from '../kubernetes/import-writer.ts';
import type { OrganizationNamespaces } from '../kubernetes/organization-namespaces.ts';

const everyMs = 5_000;

interface UpkeepOptions {
  readonly store: Store;
  /** `undefined`: the service takes no files now; what it took earlier stays until it does again. */
  readonly staging: StagingStore | undefined;
  readonly imports: ImportWriter;
  readonly namespaces: OrganizationNamespaces;
  readonly logger: Logger;
}

export class ImportUpkeep {
  readonly #options: UpkeepOptions;
  readonly #task: RepeatingTask;

  constructor(options: UpkeepOptions) {
    this.#options = options;
    this.#task = new RepeatingTask({
      everyMs,
      run: (signal) => this.#round(signal),
      onFailure: (error) => {
        if (error instanceof StoreUnavailable) return;
        options.logger.warn({ err: error }, 'the upkeep of imports goes on later');
      },
    });
  }

  start(): void {
    this.#task.start();
  }

  stop(): Promise<void> {
    return this.#task.stop();
  }

  async #round(signal: AbortSignal): Promise<void> {
    const { store } = this.#options;
    try {
      for (const id of await usedImports(store.read)) await this.#change((to) => use(to, id));
      for (const id of await overdueImports(store.read)) await this.#change((to) => expire(to, id));
      await this.#tryRows(signal);
      await this.#remove(signal);
    } catch (error) {
      // If the process ends meanwhile, the next one repeats the work.
      if (!signal.aborted) throw error;
    }
  }

  #change(work: (change: Change) => Promise<void>): Promise<void> {
    return this.#options.store.change(systemAuthor('imports'), work);
  }

  /** Trials of others go on if one cannot be begun, for instance because its namespace is full. */
  async #tryRows(signal: AbortSignal): Promise<void> {
    const { store, staging, imports, namespaces, logger } = this.#options;
    if (staging === undefined) return;
    const world = { store, staging, imports, namespaces, now: () => new Date() };
    for (const checking of await checkingImports(store.read)) {
      if (signal.aborted) return;
      try {
        await tryImport(world, checking, signal);
      } catch (error) {
        if (error instanceof StoreUnavailable || signal.aborted) throw error;
        logger.warn({ err: error, importId: checking.id }, 'the trial of rows goes on later');
      }
    }
  }

  async #remove(signal: AbortSignal): Promise<void> {
    const { store, staging } = this.#options;
    if (staging === undefined) return;
    while (!signal.aborted) {
      const id = await claimRemoval(store.read);
      if (id === undefined) return;
      const trial = await trialPlace(store.read, id);
      // Its Job must not put a report into the folder afterwards.
      if (trial !== undefined) await this.#options.imports.delete(trial);
      await staging.removeFolder(stagedFolder(id), signal);
      await endRemoval(store.read, id);
    }
  }
}

const openStatuses: readonly ImportStatus[] = ['UPLOADING', 'CHECKING', 'READY'];

async function use(change: Change, id: string): Promise<void> {
  const found = await lockImport(change, id);
  if (found?.status !== 'READY' || found.databaseId === null) return;
  const database = await findAnyDatabase(change.db, found.databaseId);
  const used = await endImport(change, id, 'USED');
  tellImport(change, 'import.completed', used, { ...(database && { database }) });
}

async function expire(change: Change, id: string): Promise<void> {
  const found = await lockImport(change, id);
  if (found === undefined || !openStatuses.includes(found.status)) return;
  const database =
    found.databaseId === null ? undefined : await findAnyDatabase(change.db, found.databaseId);
  // A retry of its job may have begun since; and one that serves by now has used it.
  if (
    database !== undefined &&
    (database.readyAt !== null || (await isBeingMade(change.db, database)))
  )
    return;
  tellImport(change, 'import.expired', await endImport(change, id, 'EXPIRED'));
}
