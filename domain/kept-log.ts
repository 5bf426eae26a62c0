/** How long the sweep of the bucket keeps an archived log. The sweep decides with it, and the API asks in advance. Pure. */
import type { Moment } from './recovery.ts';

const DAY_MS = 86_400_000;

/** Days of which every moment can be restored, unless a sweep is told others. */
export const LOG_DAYS = 7;
/** Minimum time between the removal of a backup and the deletion of its objects, and between the end of the log's days and its deletion. */
export const GRACE_MS = DAY_MS;

/** A backup, and when it was made. */
export interface MadeMoment extends Moment {
  readonly madeMs: number;
}

interface Replay {
  readonly backup: Moment | undefined;
  readonly begins: Moment;
  readonly operationsMax: number;
}

/**
 * The backup before which the sweep may have deleted the log by a time, if a restore reads operations before it; `undefined`: all that it reads
 * stays until then. `begins`: what the restore begins with; it reads `operationsMax` operations after that. `backup`: the same, if it is one: the
 * empty ledger is found by the log from the first operation on, of which none is read.
 */
export function sweptBy<Made extends MadeMoment>(
  atMs: number,
  made: readonly Made[],
  { backup, begins, operationsMax }: Replay,
): Made | undefined {
  if (operationsMax === 0 && (backup !== undefined || begins.op > 0)) return undefined;
  return made
    .filter(({ op, madeMs }) => op > begins.op && madeMs <= atMs - LOG_DAYS * DAY_MS - GRACE_MS)
    .sort((one, other) => one.op - other.op)
    .at(-1);
}
