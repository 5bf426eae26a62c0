/** Words and colours of change streams. */
import type { ChangeStream } from '../../../../gen/api.ts';
import { duration } from '../../lib/time.ts';
import type { Tone } from '../../ui/States.tsx';

type State = ChangeStream['state'];

export const stateTones: Readonly<Record<State, Tone>> = {
  RUNNING: 'good',
  PAUSED: 'soft',
  RETRYING: 'warn',
  FAILED: 'bad',
};

export const stateWords: Readonly<Record<State, string>> = {
  RUNNING: 'running',
  PAUSED: 'paused',
  RETRYING: 'tries again',
  FAILED: 'stopped: it failed',
};

type SinkType = ChangeStream['sink']['type'];

export const sinkWords: Readonly<Record<SinkType, string>> = {
  WEBHOOK: 'a webhook',
  AMQP: 'RabbitMQ, or another broker that speaks AMQP 0-9-1',
  KAFKA: 'Kafka, or another broker that speaks its protocol',
};

/** URLs as examples. */
export const sinkHints: Readonly<Record<SinkType, string>> = {
  WEBHOOK: 'https://hooks.example.com/ledger',
  AMQP: 'amqps://broker.example.com/payments',
  KAFKA: 'kafkas://broker1.example.com:9093,broker2.example.com:9093',
};

/** Where in a broker the events go. */
export function placeWords(sink: ChangeStream['sink']): string {
  if (sink.type === 'WEBHOOK') return '';
  if (sink.type === 'KAFKA') return `to the topic ${sink.topic}`;
  const { exchange, routingKey } = sink;
  if (exchange === '') return `to the queue ${routingKey}`;
  return `to the exchange ${exchange}${routingKey === '' ? '' : ` with the routing key ${routingKey}`}`;
}

const unknownWords: Readonly<Record<NonNullable<ChangeStream['lagUnknown']>, string>> = {
  PAUSED: 'not known while it is paused',
  FAILED: 'not known since it failed',
  LEDGER_UNAVAILABLE: 'not known: the ledger does not answer',
  SUSPENDED: 'not known while all streams of the database are suspended',
  NOT_READ: 'not known: the ledger was not read for a minute',
};

/** Age of the oldest event that waits, in words. */
export function lagWords({
  lagSeconds,
  lagUnknown,
}: Pick<ChangeStream, 'lagSeconds' | 'lagUnknown'>): string {
  if (lagSeconds === null) return lagUnknown === null ? 'not known' : unknownWords[lagUnknown];
  if (lagSeconds === 0) return 'nothing waits';
  return lagSeconds < 1 ? 'under 1 s' : duration(Math.round(lagSeconds));
}

/** The button that pauses or resumes a stream, and the state that it requests. */
export function nextStep(state: State): {
  readonly verb: 'Pause' | 'Resume';
  readonly state: 'PAUSED' | 'RUNNING';
} {
  return state === 'RUNNING' || state === 'RETRYING'
    ? { verb: 'Pause', state: 'PAUSED' }
    : { verb: 'Resume', state: 'RUNNING' };
}

/** What a new secret means. Without a grace: the present one cannot be read, and with it in use no request could be signed. */
export function rotationOf({
  failingSince,
  lastError,
}: Pick<ChangeStream, 'failingSince' | 'lastError'>): {
  readonly about: string;
  readonly body: { readonly gracePeriodSeconds?: number };
} {
  return failingSince !== null && lastError?.code === 'secret_unreadable'
    ? {
        about:
          'The service cannot read the present secret. Requests carry the signature of the new one only, so give it to the receiver.',
        body: { gracePeriodSeconds: 0 },
      }
    : {
        about:
          'For a day requests carry signatures of both secrets, so that the receiver can change over.',
        body: {},
      };
}
