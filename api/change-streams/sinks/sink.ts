/** Target to which a change stream sends pages of events: the interface of every kind of sink. */
import type { ChangeEventsPage } from '../../ledger/change-events.ts';
import { attemptOutcomes } from '../../model/webhook.ts';

/**
 * How an attempt to deliver a page ended. `NOT_FOUND`: the broker has no such exchange, topic or virtual host. `ACCESS_REFUSED`: it
 * refuses the user. `UNROUTABLE`: no queue takes the messages. `REJECTED`: the broker did not take them, as when a queue is full.
 * `BLOCKED`: the broker takes no messages from anybody, as when its memory or disk is full.
 */
export const sinkOutcomes = [
  ...attemptOutcomes,
  'NOT_FOUND',
  'ACCESS_REFUSED',
  'UNROUTABLE',
  'REJECTED',
  'BLOCKED',
] as const;
type SinkOutcome = (typeof sinkOutcomes)[number];

export interface Delivery {
  /** `SUCCESS`: the sink has every event of the page, for good. */
  readonly outcome: SinkOutcome;
  /** Reason for people, when it failed. */
  readonly error: string | null;
  /** The pause that the sink asks for. */
  readonly retryAfterMs?: number | undefined;
  /** The sink says that it is gone. */
  readonly gone?: boolean;
}

/** A page as text, ready to be sent. */
export interface PreparedPage {
  /** Bytes of the bodies. */
  readonly bytes: number;
  /** Resolves when the sink has confirmed the whole page, or did not; never rejects. `abandoning`: cuts it off. */
  readonly send: (abandoning: AbortSignal) => Promise<Delivery>;
}

/** The sink of one stream, for the time of one run. */
export interface OpenSink {
  /** Most events of a page. */
  readonly pageMax: number;
  /** Writes the events, which takes the processor only. `after`: timestamp of the event before the page. */
  prepare(page: ChangeEventsPage, after: bigint): PreparedPage;
  /** Frees connections. Cuts off what is under way. */
  close(): void;
}

export const failed = (outcome: SinkOutcome, error: string): Delivery => ({ outcome, error });
export const delivered: Delivery = { outcome: 'SUCCESS', error: null };
