/**
 * Accepts changes. One change is applied at a time; one waits, and further requests join it. A change that may begin at once
 * gets its job in the transaction that accepts it; a worker begins a waiting one when its time has come.
 */
import { requireActive } from '../auth/suspension.ts';
import { noCatalog } from '../databases/create.ts';
import type { Caller, DatabaseServices } from '../databases/database-service.ts';
import { requireMayRun, requireRoom } from '../databases/guards.ts';
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
  findConfigurationChange,
  unfinishedChanges,
  updateConfigurationChange,
} from '../store/configuration-changes.ts';
import type { Change } from '../store/change.ts';
import type { Database } from '../store/database-record.ts';
import { lockDatabase } from '../store/databases.ts';
import { createJob, findActiveJob } from '../store/jobs.ts';
import { findRevision } from '../store/profile-revisions.ts';
import { tellChange } from './change-events.ts';
import { changeJob } from './change-jobs.ts';
import { readChangeWorld } from './change-world.ts';
import { planChange, type ChangePlan, type ChangeWorld } from './plan-change.ts';
import { requireChangeable } from './refuse-impossible.ts';

export type ChangeServices = DatabaseServices & { readonly writer: DatabaseWriter };

export interface Accepted {
  readonly database: Database;
  readonly change: ConfigurationChange;
  /** The job that applies it; `undefined` while it waits. */
  readonly job: Job | undefined;
}

interface Asked {
  readonly request: ChangeRequest;
  /** Null: now. */
  readonly applyAfter: Date | null;
  readonly ifVersion: number | undefined;
}

/** The plan of a change, and whether it would begin at once. Makes nothing. */
export async function previewChange(
  services: ChangeServices,
  caller: Caller,
  id: string,
  request: ChangeRequest,
): Promise<ChangePlan> {
  return planChange(await worldOf(services, caller, id, request), request);
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
  const plan = planChange(world, request);
  if (!onlyStops(plan)) requireActive(organization);
  if (plan.needsRight) await requireMayRun(services, organization);
  return store.change(author, async (change) => {
    if (plan.needsRight) await requireRoom(change, organization.id, databasesMax, 0);
    const database = await lockDatabase(change, id);
    if (database === undefined) throw databaseNotFound(id);
    requireChangeable(database);
    if (asked.ifVersion !== undefined && database.version !== asked.ifVersion) {
      throw changedMeanwhile();
    }
    const accepted = await accept(change, { ...world, database }, plan, asked);
    await within(change, accepted);
    return accepted;
  });
}

/** Stopping a database is always allowed: it only ends costs. */
export const onlyStops = ({ diff }: ChangePlan): boolean =>
  diff.every(({ path, to }) => path === '/suspended' && to === true);

async function accept(
  change: Change,
  world: ChangeWorld,
  plan: ChangePlan,
  { request, applyAfter }: Asked,
): Promise<Accepted> {
  const { database, profile } = world;
  const unfinished = await unfinishedChanges(change.db, database.id);
  const queued = unfinished.find(({ status }) => status === 'QUEUED');
  const active = await findActiveJob(change.db, database.id);
  if (applyAfter === null && active === undefined) {
    const made = await createConfigurationChange(change, {
      ...factsOf(world, plan),
      status: 'APPLYING',
      request,
      applyAfter,
      previousRevision: profile.revision,
    });
    return begin(change, database, made);
  }
  if (queued !== undefined) return join(change, world, queued, { request, applyAfter });
  const made = await createConfigurationChange(change, {
    ...factsOf(world, plan),
    status: 'QUEUED',
    request,
    applyAfter,
    previousRevision: profile.revision,
  });
  tellChange(change, 'configuration.change_queued', database, made);
  return { database, change: made, job: undefined };
}

/** Joins a request to the waiting change. The whole is planned again; if it is not possible, nothing is joined. */
async function join(
  change: Change,
  world: ChangeWorld,
  queued: ConfigurationChange,
  { request, applyAfter }: Pick<Asked, 'request' | 'applyAfter'>,
): Promise<Accepted> {
  const { database } = world;
  const merged = mergeRequests(queued.request, request);
  const { revision } = merged;
  const earlier =
    revision === undefined ? undefined : await findRevision(change.db, database.id, revision);
  const { diff, impact, priceDelta } = planChange({ ...world, earlier }, merged);
  const joined = await updateConfigurationChange(change, queued.id, {
    request: merged,
    diff,
    impact,
    priceDelta,
    applyAfter,
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

export async function withdrawChange(
  { store }: Pick<ChangeServices, 'store'>,
  { organization, author }: Caller,
  databaseId: string,
  id: string,
): Promise<ConfigurationChange> {
  await requireDatabase(store.read, organization.id, databaseId);
  return store.change(author, async (change) => {
    const database = await lockDatabase(change, databaseId);
    if (database === undefined) throw databaseNotFound(databaseId);
    const found = await findConfigurationChange(change.db, databaseId, id);
    if (found === undefined) throw changeNotFound(id);
    if (found.status === 'CANCELED') return found;
    if (found.status !== 'QUEUED') {
      throw new Refusal('change_not_queued', {
        detail: `${id} is ${found.status}. Only a change that waits can be withdrawn; to take one back, ask for revision ${found.previousRevision}.`,
      });
    }
    const withdrawn = await updateConfigurationChange(change, id, { status: 'CANCELED' });
    tellChange(change, 'configuration.change_withdrawn', database, withdrawn);
    return withdrawn;
  });
}

export const changeNotFound = (id: string): Refusal =>
  new Refusal('change_not_found', { detail: `The database has no change ${id}.` });

async function worldOf(
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
