/** Types of change streams: the change events of one database, pushed to a sink. */
import type { Actor } from './actor.ts';

/**
 * `RETRYING`: the last try failed, at the ledger or the sink, and is repeated. `FAILED`: it stopped until somebody resumes it.
 */
export const changeStreamStates = ['RUNNING', 'PAUSED', 'RETRYING', 'FAILED'] as const;
export type ChangeStreamState = (typeof changeStreamStates)[number];

export type SinkType = 'WEBHOOK';

/** The part that failed. Only a failing sink ends in `FAILED`: a ledger recovers by itself. */
export type FailingPart = 'LEDGER' | 'SINK';

export interface StreamError {
  /** Outcome of the request to the sink, or the problem of the refused ledger request. */
  readonly code: string;
  readonly message: string;
  /** RFC 3339. */
  readonly at: string;
}

export interface ChangeStream {
  /** TypeID `chs_…`. */
  readonly id: string;
  readonly organizationId: string;
  readonly databaseId: string;
  readonly description: string;
  readonly sinkType: SinkType;
  readonly url: string;
  /** After a rotation: until then the previous secret signs as well. */
  readonly previousSecretUntil: Date | null;
  readonly state: ChangeStreamState;
  /** The reason why it stopped, if nobody paused it. */
  readonly stateReason: string | null;
  /** Ledger timestamp after which it began. */
  readonly startedAfter: bigint;
  /** Timestamp up to which the sink has confirmed every event. */
  readonly position: bigint;
  /** Number of events that the sink has confirmed. */
  readonly delivered: bigint;
  readonly deliveredAt: Date | null;
  /** Timestamp of the first event that is not confirmed; null: none is known. */
  readonly pendingFrom: bigint | null;
  readonly failures: number;
  readonly failingSince: Date | null;
  readonly lastError: StreamError | null;
  /** Time of the next work on it; null: none until somebody resumes it. */
  readonly dueAt: Date | null;
  readonly version: number;
  readonly createdBy: Actor;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export const changeStreamFact = ({
  id,
  state,
  sinkType,
  url,
}: Pick<ChangeStream, 'id' | 'state' | 'sinkType' | 'url'>) => ({
  id,
  state,
  sink: { type: sinkType, url },
});

/** Age in seconds of the oldest event that the sink has not confirmed; null: nobody looks for events. */
export function lagSecondsOf(
  { state, pendingFrom }: Pick<ChangeStream, 'state' | 'pendingFrom'>,
  nowMs: number,
): number | null {
  if (state === 'PAUSED') return null;
  if (pendingFrom === null) return 0;
  return Math.max(0, nowMs - Number(pendingFrom / 1_000_000n)) / 1_000;
}
