/** A change that waits: when it begins, withdrawing it, and beginning it at once. */
import { isOpen, windowAt, type WindowTimes } from '../../domain/maintenance-window.ts';
import { databaseNotFound } from '../databases/refusal.ts';
import { requireDatabase } from '../databases/require.ts';
import type { ConfigurationChange } from '../model/configuration-change.ts';
import { Refusal } from '../model/refusal.ts';
import type { Change } from '../store/change.ts';
import {
  findConfigurationChange,
  unfinishedChanges,
  updateConfigurationChange,
} from '../store/configuration-changes.ts';
import type { Database } from '../store/database-record.ts';
import { lockDatabase } from '../store/databases.ts';
import { findActiveJob } from '../store/jobs.ts';
import { windowOfDatabase } from '../store/maintenance-windows.ts';
import type { Reader } from '../store/tables.ts';
import { storeTime } from '../store/time.ts';
import { tellChange } from './change-events.ts';

/** When a change is to begin, as requested. */
export type ApplyAt = 'now' | 'maintenance_window' | Date;

export interface Timing {
  /** Null: as soon as nothing else is applied. */
  readonly applyAfter: Date | null;
  readonly inWindow: boolean;
  /** Whether it may begin now. */
  readonly isDue: boolean;
}

export async function timingOf(db: Reader, database: Database, applyAt: ApplyAt): Promise<Timing> {
  if (applyAt === 'now') return { applyAfter: null, inWindow: false, isDue: true };
  if (applyAt !== 'maintenance_window') {
    return { applyAfter: applyAt, inWindow: false, isDue: false };
  }
  const { times, isDue } = await nextWindow(db, database);
  return { applyAfter: times.beginsAt, inWindow: true, isDue };
}

/** The window of a database that is open, or its next one, by the store's clock. */
export async function nextWindow(
  db: Reader,
  database: Database,
): Promise<{ readonly times: WindowTimes; readonly isDue: boolean }> {
  const { window } = await windowOfDatabase(db, database);
  const now = await storeTime(db);
  const times = windowAt(window, now);
  return { times, isDue: isOpen(times, now) };
}

/**
 * Whether a change of the database may begin now: nothing works on it, and none that has waited is about to begin. That one goes first, since
 * what was asked for last counts.
 */
export async function isFree(db: Reader, databaseId: string): Promise<boolean> {
  if ((await findActiveJob(db, databaseId)) !== undefined) return false;
  const now = await storeTime(db);
  return (await unfinishedChanges(db, databaseId)).every(
    ({ status, applyAfter }) => status !== 'QUEUED' || (applyAfter !== null && applyAfter > now),
  );
}

/** Progress of a change whose window has ended before it began. */
export const missed = ({ applyAfter }: ConfigurationChange): string =>
  `It could not begin in the maintenance window of ${applyAfter?.toISOString() ?? ''}, and waits for the next one.`;

interface Subject {
  readonly organizationId: string;
  readonly databaseId: string;
  readonly changeId: string;
}

export async function withdrawChange(
  change: Change,
  subject: Subject,
): Promise<ConfigurationChange> {
  const { database, found } = await lockedChange(change, subject);
  if (found.status === 'CANCELED') return found;
  if (found.status !== 'QUEUED') {
    throw notWaiting(
      found,
      `Only a change that waits can be withdrawn; to take one back, ask for revision ${found.previousRevision}.`,
    );
  }
  const withdrawn = await updateConfigurationChange(change, found.id, { status: 'CANCELED' });
  tellChange(change, 'configuration.change_withdrawn', database, withdrawn);
  return withdrawn;
}

/** Ends the waiting for a time or a window. A worker begins the change once nothing else is applied. */
export async function beginAtOnce(change: Change, subject: Subject): Promise<ConfigurationChange> {
  const { database, found } = await lockedChange(change, subject);
  if (found.status === 'APPLYING' || found.status === 'APPLIED') return found;
  if (found.status !== 'QUEUED') {
    throw notWaiting(found, 'Only a change that waits can be begun; ask for the change again.');
  }
  if (found.applyAfter === null) return found;
  const due = await updateConfigurationChange(change, found.id, {
    applyAfter: null,
    inWindow: false,
  });
  tellChange(change, 'configuration.change_queued', database, due);
  return due;
}

async function lockedChange(
  change: Change,
  { organizationId, databaseId, changeId }: Subject,
): Promise<{ readonly database: Database; readonly found: ConfigurationChange }> {
  await requireDatabase(change.db, organizationId, databaseId);
  const database = await lockDatabase(change, databaseId);
  if (database === undefined) throw databaseNotFound(databaseId);
  const found = await findConfigurationChange(change.db, databaseId, changeId);
  if (found === undefined) throw changeNotFound(changeId);
  return { database, found };
}

const notWaiting = ({ id, status }: ConfigurationChange, advice: string): Refusal =>
  new Refusal('change_not_queued', { detail: `${id} is ${status}. ${advice}` });

export const changeNotFound = (id: string): Refusal =>
  new Refusal('change_not_found', { detail: `The database has no change ${id}.` });
