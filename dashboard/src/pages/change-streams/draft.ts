/** Draft of a change stream, and the requests that are made from it. */
import type {
  ChangeStream,
  CreateChangeStreamRequest,
  UpdateChangeStreamRequest,
} from '../../../../gen/api.ts';
import { readBound } from '../../lib/time.ts';

type Sink = CreateChangeStreamRequest['sink'];
type SinkOf<T extends Sink['type']> = Extract<Sink, { readonly type: T }>;

export interface StreamDraft {
  readonly type: Sink['type'];
  readonly url: string;
  readonly description: string;
  /** Of a broker. */
  readonly username: string;
  /** Of a broker. Empty: the one that is stored stays. */
  readonly password: string;
  /** Of a broker; PEM, empty: the public ones. */
  readonly certificateAuthority: string;
  readonly format: NonNullable<SinkOf<'AMQP'>['format']>;
  /** Of Kafka. */
  readonly topic: string;
  readonly key: NonNullable<SinkOf<'KAFKA'>['key']>;
  readonly mechanism: NonNullable<SinkOf<'KAFKA'>['mechanism']>;
  /** Of AMQP. */
  readonly exchange: string;
  readonly routingKey: string;
  readonly start: 'now' | 'beginning' | 'time';
  /** Time after which the stream begins, as typed: an ISO time, `-1h` or nanoseconds. */
  readonly time: string;
}

const empty: StreamDraft = {
  type: 'WEBHOOK',
  url: '',
  description: '',
  username: '',
  password: '',
  certificateAuthority: '',
  format: 'TIGERBEETLE',
  topic: '',
  key: 'DATABASE',
  mechanism: 'SCRAM-SHA-512',
  exchange: '',
  routingKey: '',
  start: 'now',
  time: '',
};

export function draftOf(stream: ChangeStream | undefined): StreamDraft {
  if (stream === undefined) return empty;
  const { sink, description } = stream;
  if (sink.type === 'WEBHOOK') return { ...empty, url: sink.url, description };
  const { passwordSet: _, certificateAuthority, ...fields } = sink;
  return {
    ...empty,
    ...fields,
    certificateAuthority: certificateAuthority ?? '',
    description,
  };
}

/** `after` of the request. `undefined` if the text is not a time. */
export const startOf = ({ start, time }: StreamDraft, now: Date): string | undefined =>
  start === 'time' ? readBound(time, now) : start;

function sinkOf(draft: StreamDraft): Sink {
  const { type, password, format, username } = draft;
  const url = draft.url.trim();
  if (type === 'WEBHOOK') return { type, url };
  const authority = draft.certificateAuthority.trim();
  const broker = {
    url,
    username,
    ...(password !== '' && { password }),
    format,
    certificateAuthority: authority === '' ? null : `${authority}\n`,
  };
  if (type === 'AMQP') {
    const { exchange, routingKey } = draft;
    return { type, ...broker, exchange, routingKey };
  }
  const { topic, key, mechanism } = draft;
  return { type, ...broker, topic, key, mechanism };
}

export const newStream = (draft: StreamDraft, after: string): CreateChangeStreamRequest => ({
  sink: sinkOf(draft),
  description: draft.description,
  after,
});

/** What people set, a line for each field. */
export const settingsWords = ({ description, sink }: ChangeStream): string =>
  Object.entries({ ...sink, note: description })
    .filter(([, value]) => value !== '' && value !== null)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');

/** Only the changed fields: the audit log must not show changes that are none. A sink is always sent completely. */
export function changesOf(draft: StreamDraft, stream: ChangeStream): UpdateChangeStreamRequest {
  const sink = sinkOf(draft);
  const before = sinkOf(draftOf(stream));
  return {
    ...(JSON.stringify(sink) !== JSON.stringify(before) && { sink }),
    ...(draft.description !== stream.description && { description: draft.description }),
  };
}
