/**
 * Begins queued changes whose time has come, once nothing else works on their database. Each is planned again: a change that is
 * no longer possible fails and says why; one that is already in effect counts as applied.
 */
import type { Logger } from 'pino';
import { RepeatingTask } from '../../base/repeating-task.ts';
import { requireRoom } from '../databases/guards.ts';
import type { Author } from '../model/actor.ts';
import { Refusal } from '../model/refusal.ts';
import type { ChangeRequest, ConfigurationChange } from '../model/configuration-change.ts';
import {
  dueChanges,
  findConfigurationChange,
  updateConfigurationChange,
} from '../store/configuration-changes.ts';
import type { Change } from '../store/change.ts';
import type { Database } from '../store/database-record.ts';
import { findAnyDatabase, lockDatabase } from '../store/databases.ts';
import { findActiveJob } from '../store/jobs.ts';
import { findOrganization } from '../store/organizations.ts';
import { StoreUnavailable } from '../store/store-errors.ts';
import { tellChange } from './change-events.ts';
import { readChangeWorld } from './change-world.ts';
import { planChange, type ChangePlan } from './plan-change.ts';
import { begin, onlyStops, type ChangeServices } from './request-change.ts';
import { missed, nextWindow } from './waiting-changes.ts';

/** Changes that need a store of backups were checked when they were accepted. */
export type BeginningServices = Omit<ChangeServices, 'backupStore'>;

const everyMs = 2_000;
const atOnce = 20;

export class QueuedChanges {
  readonly #services: BeginningServices;
  readonly #logger: Logger;
  readonly #task: RepeatingTask;

  constructor(services: BeginningServices, logger: Logger) {
    this.#services = services;
    this.#logger = logger;
    this.#task = new RepeatingTask({
      everyMs,
      run: (signal) => this.#round(signal),
      onFailure: (error) => {
        if (error instanceof StoreUnavailable) return;
        logger.error({ err: error }, 'queued changes could not be looked at');
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
    if (this.#services.catalog() === undefined) return;
    // All of them, page by page: a change that cannot begin yet does not delay others.
    for (let after: string | undefined; ;) {
      const page = await dueChanges(this.#services.store.read, atOnce, after);
      for (const due of page) {
        if (signal.aborted) return;
        await this.#begin(due);
      }
      if (page.length < atOnce) return;
      after = page.at(-1)?.id;
    }
  }

  /** A failure here stops no other change; the next round tries again. */
  async #begin(due: ConfigurationChange): Promise<void> {
    try {
      await beginQueued(this.#services, due);
    } catch (error) {
      this.#logger.warn({ err: error, changeId: due.id }, 'a queued change could not be begun yet');
    }
  }
}

async function beginQueued(services: BeginningServices, due: ConfigurationChange): Promise<void> {
  const planning = await planned(services, due);
  if (planning instanceof Refusal && planning.occasion.retryAfterSeconds !== undefined) return;
  const author: Author = { actor: due.actor, requestId: due.requestId, ip: null, userAgent: null };
  await services.store.change(author, async (change) => {
    const outcome = (await withoutRoom(change, services, due, planning)) ?? planning;
    const database = await lockDatabase(change, due.databaseId);
    const queued = await findConfigurationChange(change.db, due.databaseId, due.id);
    // It was withdrawn, another request joined it, or another worker began it.
    if (database === undefined || queued?.version !== due.version) return;
    if ((await findActiveJob(change.db, due.databaseId)) !== undefined) return;
    if (queued.inWindow && (await postponed(change, database, queued))) return;
    if (outcome instanceof Refusal) {
      const ended = await updateConfigurationChange(change, due.id, endOf(outcome));
      const type = ended.status === 'FAILED' ? 'change_failed' : 'change_applied';
      tellChange(change, `configuration.${type}`, database, ended);
      return;
    }
    const { request, plan, revision } = outcome;
    const { diff, impact, priceDelta } = plan;
    const applying = await updateConfigurationChange(change, due.id, {
      status: 'APPLYING',
      request,
      diff,
      impact,
      priceDelta,
      previousRevision: revision,
      progress: null,
    });
    await begin(change, database, applying);
  });
}

/**
 * Makes a change wait for the next window if the one that it waited for has ended: no worker ran meanwhile, or other work on the
 * database took as long. False: the window is open.
 */
async function postponed(
  change: Change,
  database: Database,
  queued: ConfigurationChange,
): Promise<boolean> {
  const { times, isDue } = await nextWindow(change.db, database);
  if (isDue) return false;
  const waiting = await updateConfigurationChange(change, queued.id, {
    applyAfter: times.beginsAt,
    progress: missed(queued),
  });
  tellChange(change, 'configuration.change_queued', database, waiting);
  return true;
}

/** The refusal of a change that needs more room than its organization has. */
async function withoutRoom(
  change: Change,
  { databasesMax }: BeginningServices,
  { organizationId }: ConfigurationChange,
  planning: Planned | Refusal,
): Promise<Refusal | undefined> {
  if (planning instanceof Refusal || !planning.plan.needsRight) return undefined;
  try {
    await requireRoom(change, organizationId, databasesMax, 0);
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

interface Planned {
  readonly request: ChangeRequest;
  readonly plan: ChangePlan;
  readonly revision: number;
}

async function planned(
  { store, writer, catalog, billing }: BeginningServices,
  due: ConfigurationChange,
): Promise<Planned | Refusal> {
  try {
    const database = await findAnyDatabase(store.read, due.databaseId);
    const view = catalog();
    if (database === undefined || view === undefined) throw new Error('nothing is known of it');
    const sources = { db: store.read, writer, catalog: view.spec };
    const world = await readChangeWorld(sources, database, due.request);
    const { revision } = world.profile;
    const plan = planChange(world, due.request);
    const organization = await findOrganization(store.read, due.organizationId);
    if (organization?.suspendedAt !== null && !onlyStops(plan)) {
      if (due.request.suspended !== true)
        return notBegun('organization_suspended', 'the organization is suspended');
      // A stop is always allowed; what it was joined to is not.
      const request = { suspended: true };
      return { request, plan: planChange(world, request), revision };
    }
    const reason = plan.needsRight && (await billing.reasonNotReady(due.organizationId));
    if (reason) return notBegun('billing_required', `billing is not ready (${reason})`);
    return { request: due.request, plan, revision };
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

const notBegun = (code: 'organization_suspended' | 'billing_required', why: string): Refusal =>
  new Refusal(code, { detail: `The change was not begun: ${why}.` });

const endOf = ({ code, occasion }: Refusal) =>
  code === 'nothing_to_change'
    ? ({ status: 'APPLIED' } as const)
    : ({
        status: 'FAILED',
        error: {
          code,
          message: occasion.detail,
          state: 'The database is as it was before; nothing was written.',
          nextSteps: ['Correct the change and ask for it again.'],
        },
      } as const);
