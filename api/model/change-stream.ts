/** Change streams, in plain words: the change events of one database, pushed to a sink. */
import type { Actor } from './actor.ts';

/** `RETRYING`: the ledger or the sink failed last; it is tried again. `FAILED`: it stopped until somebody resumes it. */
export const changeStreamStates = ['RUNNING', 'PAUSED', 'RETRYING', 'FAILED'] as const;
export type ChangeStreamState = (typeof changeStreamStates)[number];

export type SinkType = 'WEBHOOK';

/** Whose failure it is. Only a sink that fails ends in `FAILED`: a ledger comes back by itself. */
export type FailingPart = 'LEDGER' | 'SINK';

export interface StreamError {
  /** Outcome of the request to the sink, or the problem with which the ledger was refused. */
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
  /** After a rotation: until then the secret before signs as well. */
  readonly previousSecretUntil: Date | null;
  readonly state: ChangeStreamState;
  /** Why it stopped, if nobody paused it. */
  readonly stateReason: string | null;
  /** Timestamp of the ledger after which it began. */
  readonly startedAfter: bigint;
  /** Timestamp up to which the sink has confirmed every event. */
  readonly position: bigint;
  /** Events that the sink has confirmed. */
  readonly delivered: bigint;
  readonly deliveredAt: Date | null;
  /** Timestamp from which on an event is not confirmed yet; null: none is known. */
  readonly pendingFrom: bigint | null;
  readonly failures: number;
  readonly failingSince: Date | null;
  readonly lastError: StreamError | null;
  /** When it is worked on next; null: never, until somebody resumes it. */
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
