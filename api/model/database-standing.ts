/**
 * The status of a database's resource in the API's words. Lifecycle and health are separate: a database that is READY stays
 * READY through changes and problems.
 */
import { ConditionType } from '../../domain/conditions.ts';
import type { Condition, LedgerDatabase } from '../../domain/custom-resources.ts';

export const databaseStatuses = [
  'PROVISIONING',
  'READY',
  'SUSPENDED',
  'FAILED',
  'DELETING',
  'DELETED',
] as const;
export type DatabaseStatus = (typeof databaseStatuses)[number];

export const databaseHealths = ['HEALTHY', 'DEGRADED', 'UNAVAILABLE', 'UNKNOWN'] as const;
export type DatabaseHealth = (typeof databaseHealths)[number];

/** A reason from the closed lists of `domain/conditions.ts`, and a sentence for a person. */
export interface Explanation {
  readonly code: string;
  readonly message: string;
}

export interface DatabaseStanding {
  readonly status: Exclude<DatabaseStatus, 'FAILED' | 'DELETED'>;
  readonly health: DatabaseHealth;
  /** Why the database is not healthy; `undefined` when it is. */
  readonly reason: Explanation | undefined;
  /** Why no progress is possible until a person acts. */
  readonly stalled: Explanation | undefined;
}

/** `wasReady`: the database has served before. A database that never served is not broken, but not finished yet. */
export function standingOf(database: LedgerDatabase, wasReady: boolean): DatabaseStanding {
  const condition = (type: string) => database.status?.conditions?.find((row) => row.type === type);
  const available = condition(ConditionType.Available);
  const ready = condition(ConditionType.Ready);
  const stalled = condition(ConditionType.Stalled);
  const suspended = condition(ConditionType.Suspended);
  const capacity = condition('CapacityLeft');
  const serves = available?.status === 'True';
  const damaged = serves ? bad(condition(ConditionType.DataIntact)) : undefined;
  const full = serves && capacity?.status === 'False' ? capacity : undefined;
  const near = capacity?.reason === 'NearLimit' ? capacity : undefined;
  const facts: Omit<DatabaseStanding, 'status'> = {
    health: full === undefined && damaged === undefined ? healthOf(available, ready) : 'DEGRADED',
    reason:
      explain([
        (stalled?.status === 'True' ? stalled : undefined) ?? damaged ?? full,
        ready,
        available,
      ]) ??
      (near && explanationOf(near)),
    stalled: stalled?.status === 'True' ? explanationOf(stalled) : undefined,
  };
  if (database.metadata.deletionTimestamp !== undefined) {
    return { ...facts, status: 'DELETING' };
  }
  if (suspended?.status === 'True' && database.spec.suspend) {
    return { ...facts, status: 'SUSPENDED', health: 'UNAVAILABLE' };
  }
  return { ...facts, status: wasReady || serves ? 'READY' : 'PROVISIONING' };
}

const bad = (condition: Condition | undefined): Condition | undefined =>
  condition?.status === 'False' ? condition : undefined;

function healthOf(available: Condition | undefined, ready: Condition | undefined): DatabaseHealth {
  if (available === undefined || available.status === 'Unknown') return 'UNKNOWN';
  if (available.status === 'False') return 'UNAVAILABLE';
  return ready?.status === 'True' ? 'HEALTHY' : 'DEGRADED';
}

function explain(rows: readonly (Condition | undefined)[]): Explanation | undefined {
  const [stalled, ...others] = rows;
  const telling = stalled ?? others.find((row) => row !== undefined && row.status !== 'True');
  return telling === undefined ? undefined : explanationOf(telling);
}

const explanationOf = ({ reason, message }: Condition): Explanation => ({ code: reason, message });
