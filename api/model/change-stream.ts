/** Types of change streams: the change events of one database, pushed to a sink. */
import type { Actor } from './actor.ts';

/**
 * `RETRYING`: the last try failed, at the ledger or the sink, and is repeated. `FAILED`: it stopped until somebody resumes it.
 */
export const changeStreamStates = ['RUNNING', 'PAUSED', 'RETRYING', 'FAILED'] as const;
export type ChangeStreamState = (typeof changeStreamStates)[number];

/** Format of an event: that of this service's API, or byte for byte that of TigerBeetle's own `amqp` job. */
export const eventFormats = ['LEDGERHOUSE', 'TIGERBEETLE'] as const;
export type EventFormat = (typeof eventFormats)[number];

export interface WebhookSink {
  readonly type: 'WEBHOOK';
  readonly url: string;
}

/** A broker that speaks AMQP 0-9-1. Its password is the stream's secret. */
export interface AmqpSink {
  readonly type: 'AMQP';
  /** `amqps://host:port/vhost`, without user name and password. */
  readonly url: string;
  readonly username: string;
  /** Empty: the default exchange, whose routing keys are names of queues. */
  readonly exchange: string;
  readonly routingKey: string;
  readonly format: EventFormat;
  /** Certificates in PEM of the authorities that are trusted instead of the public ones; null: the public ones. */
  readonly certificateAuthority: string | null;
}

/** Events that stay in order in a topic of several partitions: those of a database, of a ledger, or of a debit account. */
export const kafkaKeys = ['DATABASE', 'LEDGER', 'DEBIT_ACCOUNT'] as const;
export const saslMechanisms = ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'] as const;

/** A cluster that speaks Kafka's protocol. The user's password is the stream's secret. */
export interface KafkaSink {
  readonly type: 'KAFKA';
  /** `kafkas://host:port,host:port`, without user name and password. */
  readonly url: string;
  readonly topic: string;
  readonly key: (typeof kafkaKeys)[number];
  /** Empty: nobody signs in. */
  readonly username: string;
  readonly mechanism: (typeof saslMechanisms)[number];
  readonly format: EventFormat;
  /** Certificates in PEM of the authorities that are trusted instead of the public ones; null: the public ones. */
  readonly certificateAuthority: string | null;
}

export type Sink = WebhookSink | AmqpSink | KafkaSink;
export type SinkType = Sink['type'];

/**
 * The part that failed. Only a failing sink ends in `FAILED`: a ledger recovers by itself. `SERVICE` is a fault of this service, for
 * example a secret that no signing key opens.
 */
export type FailingPart = 'LEDGER' | 'SINK' | 'SERVICE';

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
  readonly sink: Sink;
  /** A password for the sink is stored. */
  readonly passwordSet: boolean;
  /** After a rotation: until then the previous secret signs as well. */
  readonly previousSecretUntil: Date | null;
  readonly state: ChangeStreamState;
  /** The reason why it stopped, if nobody paused it. */
  readonly stateReason: string | null;
  /** Whether all streams of its database are suspended, whatever its state is. */
  readonly suspended: boolean;
  /** Ledger timestamp after which it began. */
  readonly startedAfter: bigint;
  /** Timestamp up to which the sink has confirmed every event. */
  readonly position: bigint;
  /** Number of events that the sink has confirmed. */
  readonly delivered: bigint;
  /** Bytes of the bodies of all requests, whatever the sink answered. */
  readonly sentBytes: bigint;
  readonly deliveredAt: Date | null;
  /** Timestamp of the first event that is not confirmed; null: none is known. */
  readonly pendingFrom: bigint | null;
  readonly failures: number;
  /** The part that failed last, if nothing went well since. */
  readonly failing: FailingPart | null;
  readonly failingSince: Date | null;
  readonly lastError: StreamError | null;
  /** Time of the next work on it; null: none until somebody resumes it. */
  readonly dueAt: Date | null;
  /** Time until which a worker has the stream; null: none has it. */
  readonly leaseUntil: Date | null;
  readonly version: number;
  readonly createdBy: Actor;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/**
 * The part of a sink's URL that other receivers and people who may only read see. Of a webhook's URL it is the host, because a path or
 * a query may be a credential. URLs of brokers have no credentials.
 */
export function maskedUrl({ type, url: text }: Pick<Sink, 'type' | 'url'>): string {
  if (type !== 'WEBHOOK') return text;
  const { origin, pathname, search } = new URL(text);
  return pathname === '/' && search === '' ? text : `${origin}/•••`;
}

/** A stream in an event, which goes to webhooks and notifications as well. */
export const changeStreamFact = ({
  id,
  state,
  sink,
}: Pick<ChangeStream, 'id' | 'state' | 'sink'>) => ({
  id,
  state,
  sink: { type: sink.type, url: maskedUrl(sink) },
});

/** Why nobody knows whether events wait. */
export const lagUnknowns = [
  'PAUSED',
  'FAILED',
  'SUSPENDED',
  'LEDGER_UNAVAILABLE',
  'NOT_READ',
] as const;

export interface Lag {
  /** Age in seconds of the oldest event that the sink has not confirmed; null: not known. */
  readonly seconds: number | null;
  readonly unknown: (typeof lagUnknowns)[number] | null;
}

/** The fields from which a stream's lag follows. */
export type StreamProgress = Pick<
  ChangeStream,
  'state' | 'suspended' | 'pendingFrom' | 'failing' | 'dueAt' | 'leaseUntil'
>;

/** A stream that is due, and that no worker has had for so long, has not been read. */
export const unreadMs = 60_000;

export function lagOf(stream: StreamProgress, nowMs: number): Lag {
  const { state, pendingFrom } = stream;
  if (state !== 'PAUSED' && pendingFrom !== null) {
    const ageMs = nowMs - Number(pendingFrom / 1_000_000n);
    return { seconds: Math.max(0, ageMs) / 1_000, unknown: null };
  }
  const unknown = whyUnknown(stream, nowMs);
  return { seconds: unknown === null ? 0 : null, unknown };
}

/** For a stream of which no event is known to wait. */
function whyUnknown(
  { state, suspended, failing, dueAt, leaseUntil }: StreamProgress,
  nowMs: number,
): Lag['unknown'] {
  if (state === 'PAUSED' || state === 'FAILED') return state;
  if (suspended) return 'SUSPENDED';
  if (failing === 'LEDGER') return 'LEDGER_UNAVAILABLE';
  const isHeld = leaseUntil !== null && leaseUntil.getTime() > nowMs;
  const isLeft = !isHeld && dueAt !== null && nowMs - dueAt.getTime() > unreadMs;
  return failing === 'SERVICE' || isLeft ? 'NOT_READ' : null;
}
