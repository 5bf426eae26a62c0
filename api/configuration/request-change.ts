/**
 * Accepts changes. One change is applied at a time. One waits for that to end and one for its time; further requests join the one
 * that waits for the same. A change that may begin at once
 * gets its job in the transaction that accepts it; a worker begins a waiting one when its time has come.
 */
import type { WindowTimes } from '../../domain/maintenance-window.ts';
import { requireActive } from '../auth/suspension.ts';
import { requireStore } from '../backups/refusal.ts';
import { noCatalog } from '../databases/create.ts';
import type { Caller, DatabaseServices } from '../databases/database-service.ts';
import { requireMayRun, requireQuota, requireRoom } from '../databases/guards.ts';
import { changedMeanwhile, databaseNotFound } from '../databases/refusal.ts';
import { requireDatabase } from '../databases/require.ts';
import type { DatabaseWriter } from '../kubernetes/database-writer.ts';
import type { Job } from '../model/job.ts';
import { Refusal } from '../model/refusal.ts';
import {
  mergeRequests,
  type ChangeRequest,
  type ConfigurationChange,
} from '../model/configuration-change.ts';
import {
  createConfigurationChange,
  unfinishedChanges,
  updateConfigurationChange,
} from '../store/configuration-changes.ts';
import type { Change } from '../store/change.ts';
import type { Database } from '../store/database-record.ts';
import { lockDatabase } from '../store/databases.ts';
import { createJob } from '../store/jobs.ts';
import { findOrganization, lockOrganization } from '../store/organizations.ts';
import { heldRecords } from '../store/held-records.ts';
import { findRevision } from '../store/profile-revisions.ts';
import type { Reader } from '../store/tables.ts';
import { tellChange } from './change-events.ts';
import { changeJob } from './change-jobs.ts';
import { readChangeWorld } from './change-world.ts';
import { withUnfinished } from './last-word.ts';
import { asksToArchive, isReplacement } from './impact.ts';
import { planChange, type ChangePlan, type ChangeWorld } from './plan-change.ts';
import { besideWaiting } from './refused-places.ts';
import { requireChangeable } from './refuse-impossible.ts';
import { isFree, nextWindow, timingOf, type ApplyAt, type Timing } from './waiting-changes.ts';

export type ChangeServices = DatabaseServices & {
  readonly writer: DatabaseWriter;
  /** Whether the service has a store for backups. */
  readonly backupStore: boolean;
};

export interface Accepted {
  readonly database: Database;
  readonly change: ConfigurationChange;
  /** The job that applies it; `undefined` while it waits. */
  readonly job: Job | undefined;
}

interface Asked {
  readonly request: ChangeRequest;
  readonly applyAt: ApplyAt;
  readonly ifVersion: number | undefined;
}

interface Preview {
  /** Of the waiting change that the request would join, with the request, or of the request alone. */
  readonly plan: ChangePlan;
  readonly joins: ConfigurationChange | undefined;
  /** Whether it would begin at once, after other work, or at its time. */
  readonly applies: 'NOW' | 'AFTER_OTHER_WORK' | 'LATER';
  /** The database's window that is open, or its next one. */
  readonly window: WindowTimes;
  /** Why the request would be refused now, although the change is possible. */
  readonly refusal: { readonly code: string; readonly message: string } | undefined;
}

/** The plan of a change, and what a request for it would meet. Makes nothing. */
export async function previewChange(
  services: ChangeServices,
  caller: Caller,
  id: string,
  { request, applyAt }: Pick<Asked, 'request' | 'applyAt'>,
): Promise<Preview> {
  const db = services.store.read;
  const world = await worldOf(services, caller, id, request);
  const alone = await planFor(services, world, request);
  const { times } = await nextWindow(db, world.database);
  const timing = await timingOf(db, world.database, applyAt);
  const isNext = await isFree(db, id);
  const joins = timing.isDue && isNext ? undefined : await joinedBy(db, id, timing);
  const { plan } = joins === undefined ? { plan: alone } : await joint(db, world, joins, request);
  const needsRight = alone.needsRight || plan.needsRight;
  return {
    plan,
    joins,
    applies: !timing.isDue ? 'LATER' : isNext ? 'NOW' : 'AFTER_OTHER_WORK',
    window: times,
    refusal: await wouldRefuse(services, caller, { ...alone, needsRight }),
  };
}

/** The checks of `requestChange` that depend on the organization, without their side effects. */
async function wouldRefuse(
  { store, billing, databasesMax }: ChangeServices,
  caller: Caller,
  plan: ChangePlan,
): Promise<Preview['refusal']> {
  const organization =
    (await findOrganization(store.read, caller.organization.id)) ?? caller.organization;
  const { id } = organization;
  try {
    if (!onlyStops(plan)) requireActive(organization);
    if (!plan.needsRight) return undefined;
    const reason = await billing.reasonNotReady(id);
    if (reason !== undefined) {
      const message = `Billing is not ready (${reason}), and the change needs it.`;
      return { code: 'billing_required', message };
    }
    await requireQuota(store.read, id, organization.databasesMax ?? databasesMax, 0);
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return { code: error.code, message: error.occasion.detail };
    throw error;
  }
}

export async function requestChange(
  services: ChangeServices,
  caller: Caller,
  id: string,
  asked: Asked,
  within: (change: Change, accepted: Accepted) => Promise<void>,
): Promise<Accepted> {
  const { store, databasesMax } = services;
  const { organization, author } = caller;
  const { request } = asked;
  const world = await worldOf(services, caller, id, request);
  const plan = await planFor(services, world, request);
  if (!onlyStops(plan)) requireActive(organization);
  const needsRight = plan.needsRight || (await jointNeedsRight(store.read, world, asked));
  if (needsRight) await requireMayRun(services, organization);
  return store.change(author, async (change) => {
    if (needsRight) await requireRoom(change, organization.id, databasesMax, 0);
    // The organization's window stays as it is until the commit.
    else if (asked.applyAt === 'maintenance_window')
      await lockOrganization(change, organization.id);
    const database = await lockDatabase(change, id);
    if (database === undefined) throw databaseNotFound(id);
    requireChangeable(database);
    if (asked.ifVersion !== undefined && database.version !== asked.ifVersion) {
      throw changedMeanwhile();
    }
    const timing = await timingOf(change.db, database, asked.applyAt);
    // Planned once more: somebody may have changed labels before the lock.
    const locked = { ...world, database };
    const accepted = await accept(change, locked, planChange(locked, request), {
      request,
      timing,
    });
    await within(change, accepted);
    return accepted;
  });
}

/** Whether a request, which may need no right of its own, makes the waiting change that it would join one that does. */
async function jointNeedsRight(
  db: Reader,
  world: ChangeWorld,
  { request, applyAt }: Asked,
): Promise<boolean> {
  const { id } = world.database;
  const timing = await timingOf(db, world.database, applyAt);
  if (timing.isDue && (await isFree(db, id))) return false;
  const joins = await joinedBy(db, id, timing);
  return joins !== undefined && (await joint(db, world, joins, request)).plan.needsRight;
}

/** The plan of a change that this installation can carry out. */
async function planFor(
  { store, backupStore }: ChangeServices,
  world: ChangeWorld,
  request: ChangeRequest,
): Promise<ChangePlan> {
  const plan = await planOrLastWord(store.read, world, request);
  if (asksToArchive(plan.diff) || isReplacement(plan.diff)) requireStore(backupStore);
  return plan;
}

async function planOrLastWord(
  db: Reader,
  world: ChangeWorld,
  request: ChangeRequest,
): Promise<ChangePlan> {
  try {
    return planChange(world, request);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const unfinished = await unfinishedChanges(db, world.database.id);
    throw withUnfinished(error, world, request, unfinished);
  }
}

/** Stopping a database is always allowed: it only ends costs. */
export const onlyStops = ({ diff }: ChangePlan): boolean =>
  diff.every(
    ({ path, to }) =>
      (path === '/suspended' && to === true) ||
      (path === '/changeDataCapture' && (to as { readonly suspended: boolean }).suspended),
  );

interface Timed {
  readonly request: ChangeRequest;
  readonly timing: Timing;
}

async function accept(
  change: Change,
  world: ChangeWorld,
  plan: ChangePlan,
  { request, timing }: Timed,
): Promise<Accepted> {
  const { database, profile } = world;
  const { applyAfter, inWindow, isDue } = timing;
  if (isDue && (await isFree(change.db, database.id))) {
    const made = await createConfigurationChange(change, {
      ...factsOf(world, plan),
      status: 'APPLYING',
      request,
      applyAfter,
      inWindow,
      previousRevision: profile.revision,
    });
    return begin(change, database, made);
  }
  const queued = await joinedBy(change.db, database.id, timing);
  if (queued !== undefined) return join(change, world, queued, { request, timing });
  const made = await createConfigurationChange(change, {
    ...factsOf(world, plan),
    status: 'QUEUED',
    request,
    applyAfter,
    inWindow,
    previousRevision: profile.revision,
  });
  tellChange(change, 'configuration.change_queued', database, made);
  return { database, change: made, job: undefined };
}

/** The waiting change that a request joins which does not begin at once. */
async function joinedBy(
  db: Reader,
  databaseId: string,
  { applyAfter }: Timing,
): Promise<ConfigurationChange | undefined> {
  // What is asked for now takes no change along that waits for its time. Of several the last one: the earlier ones begin before it.
  return (await unfinishedChanges(db, databaseId)).findLast(
    (one) => one.status === 'QUEUED' && (one.applyAfter === null) === (applyAfter === null),
  );
}

/** A waiting change with a request that joins it. The whole is planned again; if it is not possible, nothing is joined. */
async function joint(
  db: Reader,
  world: ChangeWorld,
  queued: ConfigurationChange,
  request: ChangeRequest,
): Promise<{ readonly merged: ChangeRequest; readonly plan: ChangePlan }> {
  const merged = mergeRequests(queued.request, request);
  const { id } = world.database;
  const { revision } = merged;
  const earlier = revision === undefined ? undefined : await findRevision(db, id, revision);
  const held = world.held ?? (await heldRecords(db, id));
  try {
    return { merged, plan: await planOrLastWord(db, { ...world, earlier, held }, merged) };
  } catch (error) {
    throw error instanceof Refusal ? besideWaiting(error, request, queued.id) : error;
  }
}

async function join(
  change: Change,
  world: ChangeWorld,
  queued: ConfigurationChange,
  { request, timing: { applyAfter, inWindow } }: Timed,
): Promise<Accepted> {
  const { database } = world;
  const { merged, plan } = await joint(change.db, world, queued, request);
  const { diff, impact, priceDelta } = plan;
  const joined = await updateConfigurationChange(change, queued.id, {
    request: merged,
    diff,
    impact,
    priceDelta,
    applyAfter,
    inWindow,
    previousRevision: world.profile.revision,
    progress: null,
  });
  tellChange(change, 'configuration.change_queued', database, joined);
  return { database, change: joined, job: undefined };
}

/** Makes the job of a change that is being applied from now on. */
export async function begin(
  change: Change,
  database: Database,
  applying: ConfigurationChange,
): Promise<Accepted> {
  const job = await createJob(change, changeJob(applying));
  const begun = await updateConfigurationChange(change, applying.id, { jobId: job.id });
  tellChange(change, 'configuration.change_started', database, begun);
  return { database, change: begun, job };
}

export async function worldOf(
  { store, writer, catalog }: ChangeServices,
  { organization }: Caller,
  id: string,
  request: ChangeRequest,
): Promise<ChangeWorld> {
  const database = await requireDatabase(store.read, organization.id, id);
  const view = catalog();
  if (view === undefined) throw noCatalog();
  return readChangeWorld({ db: store.read, writer, catalog: view.spec }, database, request);
}

export const factsOf = ({ database }: ChangeWorld, plan: ChangePlan) => ({
  organizationId: database.organizationId,
  databaseId: database.id,
  origin: 'api' as const,
  diff: plan.diff,
  impact: plan.impact,
  priceDelta: plan.priceDelta,
});
