/**
 * Applies a version that the catalog forces upon a database, as a change of the service itself: only while the maintenance window is
 * open (or from the latest moment on), only to a newer version, never to a database that is stopped. Every look at a database names the next one, so that none is
 * looked at all the time; a failed attempt is repeated in the next window.
 */
import { forcedOf, hasCome, isNewer } from '../../domain/catalog/versions.ts';
import type { CatalogSpec } from '../../domain/custom-resources.ts';
import { isOpen, windowAt } from '../../domain/maintenance-window.ts';
import { readChangeWorld } from '../configuration/change-world.ts';
import { planChange, type ChangeWorld } from '../configuration/plan-change.ts';
import { begin, factsOf } from '../configuration/request-change.ts';
import type { BeginningServices } from '../configuration/start-queued.ts';
import type { Timing } from '../configuration/waiting-changes.ts';
import { systemAuthor } from '../model/actor.ts';
import type { ChangeRequest } from '../model/configuration-change.ts';
import {
  engineUpdatesPart,
  forcedAtOnceMax,
  forcedFailuresMax,
  latestOf,
} from '../model/engine-update.ts';
import { Refusal } from '../model/refusal.ts';
import type { Change } from '../store/change.ts';
import { createConfigurationChange, unfinishedChanges } from '../store/configuration-changes.ts';
import type { Database } from '../store/database-record.ts';
import { findActiveProfile, findAnyDatabase, lockDatabase } from '../store/databases.ts';
import {
  countForced,
  endForced,
  lockForced,
  lookAgainAt,
  type ForcedCounts,
  type ForcedUpdate,
} from '../store/engine-notices.ts';
import { findActiveJob } from '../store/jobs.ts';
import { windowOfDatabase } from '../store/maintenance-windows.ts';
import { lockOrganization } from '../store/organizations.ts';
import { storeTime } from '../store/time.ts';
import { tellUpdate } from './tell-update.ts';

const minute = 60_000;
const soonMs = minute;
/** Until a stopped database is looked at again: it may have been started within its window. */
const stoppedMs = 5 * minute;

export async function applyForced(
  services: BeginningServices,
  catalog: CatalogSpec,
  update: ForcedUpdate,
): Promise<void> {
  const { store } = services;
  const database = await findAnyDatabase(store.read, update.databaseId);
  const planning = database && (await planned(services, catalog, database, update));
  await store.change(systemAuthor(engineUpdatesPart), async (change) => {
    // The same order as in all changes; the organization's window stays as it is until the commit.
    if (database !== undefined) await lockOrganization(change, database.organizationId);
    const locked = await lockDatabase(change, update.databaseId);
    // Another worker may have looked meanwhile.
    const due = await lockForced(change, update);
    if (due === undefined) return;
    if (locked === undefined || locked.deletedAt !== null || planning === undefined) {
      return endForced(change, due);
    }
    const at = await look(change, { catalog, database: locked, due, planning });
    if (at === undefined) await endForced(change, due);
    else await lookAgainAt(change, due, at);
  });
}

type Planning = ChangeWorld | Refusal;

/** Reads the resource before anything is locked. */
async function planned(
  { store, writer }: BeginningServices,
  catalog: CatalogSpec,
  database: Database,
  { version }: ForcedUpdate,
): Promise<Planning> {
  try {
    const request: ChangeRequest = { engineVersion: version };
    const world = await readChangeWorld({ db: store.read, writer, catalog }, database, request);
    planChange(world, request);
    return world;
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

interface Look {
  readonly catalog: CatalogSpec;
  /** Locked. */
  readonly database: Database;
  readonly due: ForcedUpdate;
  readonly planning: Planning;
}

/** Begins the update if that may be. Returns the time of the next look; `undefined`: the version is not forced upon the database. */
async function look(change: Change, { catalog, database, due, planning }: Look) {
  const { version } = due;
  const now = await storeTime(change.db);
  const after = (ms: number): Date => new Date(now.getTime() + ms);
  const profile = await findActiveProfile(change.db, database.id);
  if (profile === undefined) return undefined;
  const runs = profile.engineVersion;
  const engine = catalog.engines.find(({ name }) => name === profile.engine);
  const row = engine?.versions.find((one) => one.version === version);
  if (row?.forcedAt === undefined || row.deprecated || !isNewer(version, runs)) return undefined;
  const first = engine && forcedOf(engine, runs);
  // There is no way to it in one step any more.
  if (first === undefined) return undefined;
  // Postponed after it was told, or another version comes first.
  if (!hasCome(row.forcedAt, now.getTime()) || first.version !== version) return after(soonMs);
  const { window } = await windowOfDatabase(change.db, database);
  const times = windowAt(window, now);
  const latest = latestOf(due.notBefore);
  const inWindow = isOpen(times, now);
  if (!inWindow && latest > now) return times.beginsAt < latest ? times.beginsAt : latest;
  const nextWindow = inWindow ? windowAt(window, times.endsAt).beginsAt : times.beginsAt;
  if (database.status === 'SUSPENDED' || profile.suspended) return after(stoppedMs);
  if (await isBusy(change, database, now)) return after(soonMs);
  if (planning instanceof Refusal) {
    if (planning.occasion.retryAfterSeconds !== undefined) return after(soonMs);
    // Somebody has written the version already; the watch has not recorded it yet.
    if (planning.code === 'nothing_to_change') return after(soonMs);
    tellUpdate(change, 'engine.update_failed', database, {
      engine: { name: profile.engine, version: runs },
      update: { version, at: new Date(row.forcedAt).toISOString() },
      error: { code: planning.code, message: planning.occasion.detail },
    });
    return nextWindow;
  }
  const others = await countForced(change, { ...database, version });
  if (isHeldBack(others)) return nextWindow;
  if (areEnough(others)) return after(soonMs);
  await beginForced(
    change,
    { ...planning, database, profile },
    { version, applyAfter: inWindow ? times.beginsAt : latest, inWindow },
  );
  return nextWindow;
}

/** A bad version must not stop all databases of one night; failures of one organization hold no other one's databases back. */
const isHeldBack = ({ failedInOrganization, failedOrganizations }: ForcedCounts): boolean =>
  failedInOrganization >= forcedFailuresMax.inOrganization ||
  failedOrganizations >= forcedFailuresMax.organizations;

const areEnough = ({ applying, applyingInOrganization }: ForcedCounts): boolean =>
  applying >= forcedAtOnceMax.installation ||
  applyingInOrganization >= forcedAtOnceMax.organization;

/** Whether something works on the database, or a change of a person is about to begin. */
async function isBusy({ db }: Change, { id }: Database, now: Date): Promise<boolean> {
  if ((await findActiveJob(db, id)) !== undefined) return true;
  return (await unfinishedChanges(db, id)).some(
    ({ status, applyAfter }) => status === 'APPLYING' || applyAfter === null || applyAfter <= now,
  );
}

async function beginForced(
  change: Change,
  world: ChangeWorld,
  { version, ...timing }: Pick<Timing, 'inWindow'> & { version: string; applyAfter: Date },
): Promise<void> {
  const request: ChangeRequest = { engineVersion: version };
  const made = await createConfigurationChange(change, {
    ...factsOf(world, planChange(world, request)),
    status: 'APPLYING',
    request,
    ...timing,
    previousRevision: world.profile.revision,
  });
  await begin(change, world.database, made);
}
