/** Transition of a row to a new observation: its changes and events. Pure. */
import type { DatabasePatch } from '../store/databases.ts';
import type { Database, ObservedCapacity } from '../store/database-record.ts';
import type { DatabaseEvent } from './events.ts';
import type { Observation } from './observed.ts';
import type { DatabaseHealth, DatabaseStatus, Explanation } from '../model/database-standing.ts';

interface Transition {
  readonly patch: DatabasePatch;
  readonly events: readonly DatabaseEvent[];
  /** Whether the database serves for the first time. */
  readonly becameReady: boolean;
}

/** Whether the database has served and still counts as ready. While it is being restored, or after that failed, it does not. */
export const countsAsReady = ({ readyAt, status }: Pick<Database, 'readyAt' | 'status'>): boolean =>
  readyAt !== null && status !== 'PROVISIONING' && status !== 'FAILED';

export function transitionOf(
  before: Database,
  { observed, standing, clusterId }: Observation,
  now: Date,
): Transition {
  const status = statusAfter(before, standing.status);
  const becameReady = status === 'READY' && before.readyAt === null;
  const wasBeingMade = before.status === 'PROVISIONING' || before.status === 'FAILED';
  const restored = status === 'READY' && wasBeingMade && !becameReady;
  const health = standing.health;
  const known = before.observed?.capacity ?? null;
  // While no engine answers, what the last one said holds.
  const capacity = observed.capacity ?? known;
  return {
    becameReady,
    patch: {
      status,
      health,
      statusReason: reasonAfter(before, status, standing),
      observed: { ...observed, capacity },
      ...(clusterId !== undefined && { clusterId }),
      ...(becameReady && { readyAt: now }),
    },
    events: [
      ...(restored ? (['database.restored'] as const) : []),
      ...lifecycleEvents(before.status, status, becameReady),
      ...(status === 'READY' && before.status === 'READY'
        ? healthEvents(before.health, health)
        : []),
      ...(status === 'READY' ? capacityEvents(known, capacity) : []),
    ],
  };
}

/** The new status. The cluster does not undo the API's decisions (failed, deleting), except by serving. */
function statusAfter(before: Database, shown: DatabaseStatus): DatabaseStatus {
  if (before.status === 'DELETING' || before.status === 'DELETED') return before.status;
  // A person deletes the resource with kubectl; the row is marked when the resource is gone.
  if (shown === 'DELETING') return before.status;
  if (before.status === 'FAILED' && shown === 'PROVISIONING') return 'FAILED';
  return shown;
}

function reasonAfter(before: Database, status: DatabaseStatus, standing: Observation['standing']) {
  if (status === 'FAILED') return standing.stalled ?? before.statusReason;
  return standing.reason ?? null;
}

function lifecycleEvents(
  before: DatabaseStatus,
  after: DatabaseStatus,
  becameReady: boolean,
): readonly DatabaseEvent[] {
  if (becameReady) return ['database.ready'];
  if (before === after) return [];
  if (after === 'SUSPENDED') return ['database.suspended'];
  if (before === 'SUSPENDED' && after === 'READY') return ['database.resumed'];
  return [];
}

/** UNKNOWN causes no event: it is neither better nor worse than before. */
function healthEvents(before: DatabaseHealth, after: DatabaseHealth): readonly DatabaseEvent[] {
  if (before === after || after === 'UNKNOWN') return [];
  if (after === 'DEGRADED') return ['database.degraded'];
  if (after === 'UNAVAILABLE') return ['database.unavailable'];
  return before === 'UNKNOWN' ? [] : ['database.recovered'];
}

const fillingEvents = { NearLimit: 'database.nearly_full', Full: 'database.full' } as const;

/** A full database that is nearly full now is no news: what is to be done stays the same. */
function capacityEvents(
  before: ObservedCapacity | null,
  after: ObservedCapacity | null,
): readonly DatabaseEvent[] {
  const was = before?.level ?? 'Enough';
  const is = after?.level ?? 'Enough';
  if (was === is || (was === 'Full' && is === 'NearLimit')) return [];
  return [is === 'Enough' ? 'database.has_room' : fillingEvents[is]];
}

/** Why an event happened: of its limit, or what the database's status says. */
export function reasonOf(event: DatabaseEvent, after: Database): Explanation | null {
  const capacity = after.observed?.capacity;
  if (event === 'database.has_room') return null;
  const isOfCapacity = event === 'database.full' || event === 'database.nearly_full';
  if (!isOfCapacity || capacity === undefined || capacity === null) return after.statusReason;
  return { code: capacity.level, message: capacity.message };
}
