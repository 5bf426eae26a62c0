/** Consequences of failures of a change stream: when to try again, when to notify people, when to stop. Pure. */
import { backoffMs } from '../../base/backoff.ts';
import type { FailingPart } from '../model/change-stream.ts';

const again = { baseMs: 1_000, maxMs: 60_000 };
/** People are notified after this time without success by the ledger or the sink. */
const toldAfterSeconds = 5 * 60;
const hourSeconds = 3_600;
/** A stream stops when its sink has failed for so long. */
const failedAfterHours = 24;

/** Wait until the next attempt after `failures` failures in a row, at least as long as the sink asks. */
export const retryInMs = (
  failures: number,
  retryAfterMs: number | undefined,
  random: () => number,
): number => Math.round(Math.max(backoffMs(failures, again, random), retryAfterMs ?? 0));

export interface Trouble {
  readonly part: FailingPart;
  /** The sink says that it is gone. */
  readonly gone: boolean;
  /** For how long this part has failed. */
  readonly failingSeconds: number;
  /** People have been told. */
  readonly told: boolean;
}

/** `stop`: the stream stops, for this reason. `tell`: people are to be told that it fails. */
export function verdictOn({ part, gone, failingSeconds, told }: Trouble): {
  readonly stop: string | undefined;
  readonly tell: boolean;
} {
  const stop = part === 'SINK' ? reasonToStop(gone, failingSeconds) : undefined;
  // Our own fault does not pass by itself.
  const lasts = part === 'SERVICE' || failingSeconds >= toldAfterSeconds;
  return { stop, tell: stop !== undefined || (!told && lasts) };
}

function reasonToStop(gone: boolean, failingSeconds: number): string | undefined {
  if (gone) return 'The receiver answered 410: it is gone.';
  if (failingSeconds < failedAfterHours * hourSeconds) return undefined;
  return `Every attempt of the last ${failedAfterHours} hours failed.`;
}
