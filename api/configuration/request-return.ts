/**
 * Accepts a restore in place: the database goes back to an earlier state of its ledger, and keeps its ID, name, keys and addresses
 * (docs/decisions/0209-restore-in-place.md). It is a change like another one of the resource's replacement, and is never joined to others.
 */
import { requireActive } from '../auth/suspension.ts';
import type { ArchiveEnds } from '../backups/archive-ends.ts';
import {
  momentOf,
  reachedBy,
  requirePossible,
  targetOf,
  type TargetRequest,
} from '../backups/moments.ts';
import {
  backupNotFound,
  backupNotRestorable,
  isRestorable,
  requireStore,
} from '../backups/refusal.ts';
import { backupIdOf } from '../../domain/names.ts';
import type { Moment } from '../../domain/recovery.ts';
import type { EarlierState } from '../../domain/returning.ts';
import type { Caller } from '../databases/database-service.ts';
import { databaseNotFound } from '../databases/refusal.ts';
import { requireDatabase } from '../databases/require.ts';
import type { BackupWriter } from '../kubernetes/backup-writer.ts';
import { Refusal } from '../model/refusal.ts';
import { findBackup } from '../store/backups.ts';
import type { Change } from '../store/change.ts';
import { createConfigurationChange, unfinishedChanges } from '../store/configuration-changes.ts';
import type { Database } from '../store/database-record.ts';
import { lockDatabase } from '../store/databases.ts';
import { findActiveJob, operationInProgress } from '../store/jobs.ts';
import { tellReturn } from './change-events.ts';
import { requireLogStays } from './earlier-state.ts';
import { planChange, type ChangePlan, type ChangeWorld } from './plan-change.ts';
import { requireChangeable } from './refuse-impossible.ts';
import { begin, factsOf, worldOf, type Accepted, type ChangeServices } from './request-change.ts';
import { isFree } from './waiting-changes.ts';

export type ReturnServices = ChangeServices & {
  readonly archives: ArchiveEnds;
  readonly backups: Pick<BackupWriter, 'serverTimeMs'>;
};

export interface Origin extends TargetRequest {
  readonly backupId?: string | undefined;
}

interface PlannedReturn {
  readonly plan: ChangePlan;
  /** What it was planned from. */
  readonly world: ChangeWorld;
  readonly restoredTo: EarlierState;
  /** The operation that is reached; `undefined`: its number is not known before the log is read. */
  readonly reached: Moment | undefined;
}

/** The plan of a restore in place. Makes nothing. */
export async function planReturn(
  services: ReturnServices,
  caller: Caller,
  databaseId: string,
  origin: Origin,
): Promise<PlannedReturn> {
  const { store, backupStore } = services;
  const database = await requireDatabase(store.read, caller.organization.id, databaseId);
  requireStore(backupStore);
  requireChangeable(database);
  requireServing(database);
  const { restoredTo, reached } = await stateOf(services, database, origin);
  const world = await worldOf(services, caller, databaseId, { restoredTo });
  return { plan: planChange(world, { restoredTo }), world, restoredTo, reached };
}

export async function requestReturn(
  services: ReturnServices,
  caller: Caller,
  databaseId: string,
  { confirmName, ...origin }: Origin & { readonly confirmName: string },
  within: (change: Change, accepted: Accepted) => Promise<void>,
): Promise<Accepted> {
  const { store } = services;
  const { organization, author } = caller;
  const known = await requireDatabase(store.read, organization.id, databaseId);
  requireName(known, confirmName);
  requireActive(organization);
  const { plan, world, restoredTo } = await planReturn(services, caller, databaseId, origin);
  return store.change(author, async (change) => {
    const database = await lockDatabase(change, databaseId);
    if (database === undefined) throw databaseNotFound(databaseId);
    requireChangeable(database);
    requireName(database, confirmName);
    if (!(await isFree(change.db, databaseId))) throw await busy(change, database);
    const applying = await createConfigurationChange(change, {
      ...factsOf({ ...world, database }, plan),
      status: 'APPLYING',
      request: { restoredTo },
      applyAfter: null,
      inWindow: false,
      previousRevision: world.profile.revision,
    });
    const accepted = await begin(change, database, applying);
    await tellReturn(change, 'database.restore_in_place_requested', database, accepted.change);
    await within(change, accepted);
    return accepted;
  });
}

/** Of one that does not serve, as with a damaged file, nobody could make the backups that come before; they would fail after a long wait. */
function requireServing({ name, status, health }: Database): void {
  if (status !== 'READY' || health !== 'UNAVAILABLE') return;
  throw new Refusal('database_not_ready', {
    detail: `${name} does not serve, and a restore in place begins with a backup of what it has. Restore into a new database instead: this one, and its volumes, stay as they are.`,
    members: { databaseStatus: status },
  });
}

function requireName({ name }: Database, confirmName: string): void {
  if (confirmName === name) return;
  const detail = `confirmName must be the database's name, ${name}, as a confirmation that it is the one that goes back.`;
  throw new Refusal('validation_failed', {
    detail,
    errors: [{ pointer: '#/confirmName', code: 'name_differs', detail }],
  });
}

async function busy({ db }: Change, { id, name }: Database): Promise<Refusal> {
  const active = await findActiveJob(db, id);
  if (active !== undefined) return operationInProgress(active.id);
  const [waiting] = await unfinishedChanges(db, id);
  return new Refusal('operation_in_progress', {
    detail: `The change ${waiting?.id ?? ''} of ${name} is about to begin. Withdraw it, or restore when it has ended.`,
    retryAfterSeconds: 5,
  });
}

async function stateOf(
  { store, archives, backups, now }: ReturnServices,
  database: Database,
  { backupId, ...moment }: Origin,
): Promise<{ readonly restoredTo: EarlierState; readonly reached: Moment | undefined }> {
  if (backupId === undefined) {
    const target = targetOf(moment);
    const possible = await requirePossible({ db: store.read, archives }, database, target);
    // With the cluster's clock, from which the times of backups are.
    const nowMs = backups.serverTimeMs() ?? now().getTime();
    await requireLogStays({ db: store.read, nowMs }, database, target, possible);
    const reached = await reachedBy(archives, database, target, possible);
    return { restoredTo: momentOf(target), reached };
  }
  const backup = await findBackup(store.read, database.id, backupId);
  if (backup === undefined || backup.removedAt !== null) throw backupNotFound(backupId);
  const { kubernetesUid, facts } = backup;
  if (!isRestorable(backup) || kubernetesUid === null) throw backupNotRestorable(backup);
  const { op, timestamp } = facts ?? {};
  return {
    restoredTo: { backupId: backupIdOf(kubernetesUid) },
    reached:
      op === undefined || timestamp === undefined
        ? undefined
        : { op, timestamp: BigInt(timestamp) },
  };
}
