/** The recovery window of a database's archived log, for its status. Pure. */
import type { ArchiveStatus } from '../../domain/archive-status.ts';
import type { DatabaseStatus } from '../../domain/custom-resources.ts';
import { windowOf } from '../../domain/recovery.ts';
import { stateOf } from '../ledgerbackup/states.ts';
import type { Observation } from './observation.ts';

/** Time in which the end of the window moves at most once in the status, in nanoseconds. */
const STEP_NS = 300_000_000_000n;

/** Keeps the last known window while engines are silent, and once the log is not archived any more: it stays in the bucket. */
export function recoveryOf({
  database,
  capacity,
  backups,
}: Observation): DatabaseStatus['recovery'] {
  const told = database.status?.recovery;
  const { archivedOp, archivedTimestamp, chainFirstOp, earlierRuns = [] } = capacity?.archive ?? {};
  if (archivedOp === undefined || archivedTimestamp === undefined || chainFirstOp === undefined)
    return told;
  if (backups === undefined) return told;
  const good = backups.backups.flatMap((one) => {
    const { op, timestamp } = one.status ?? {};
    const isGood = stateOf(one) === 'succeeded' && op !== undefined && timestamp !== undefined;
    return isGood ? [{ op, timestamp: BigInt(timestamp) }] : [];
  });
  const newest = { firstOp: chainFirstOp, lastOp: archivedOp, lastTimestamp: archivedTimestamp };
  const window = windowOf([...earlierRuns, newest], good);
  return window && { ...window, gaps: [...window.gaps] };
}

/** A window whose end is rounded, so that it changes in steps: every write of a status is one of the API server. */
export const inSteps = (recovery: DatabaseStatus['recovery']): object | undefined =>
  recovery && { ...recovery, latest: stepOf(recovery.latest.timestamp) };

/** Whether the archive has moved by a step since the status was written. */
export function isWindowNews(
  told: DatabaseStatus['recovery'],
  now: ArchiveStatus | undefined,
): boolean {
  if (now?.archivedTimestamp === undefined) return false;
  // A backup with which the window begins may have been newer than what was known of the archive when it was made.
  if (told === undefined) return true;
  return stepOf(told.latest.timestamp) !== stepOf(now.archivedTimestamp);
}

const stepOf = (timestamp: string): string => String(BigInt(timestamp) / STEP_NS);
