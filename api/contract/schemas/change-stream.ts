/** Change streams: the change events of a database, pushed to a sink. */
import { z } from 'zod';
import { afterMax } from '../../ledger/change-events.ts';
import {
  changeStreamStates,
  eventFormats,
  kafkaKeys,
  lagUnknowns,
  saslMechanisms,
} from '../../model/change-stream.ts';
import { actor, exampleId, exampleTime, id, success, time } from './common.ts';
import { transfer } from './ledger.ts';
import { receiverUrl, secret } from './webhook-endpoint.ts';

const description = z.string().max(200).describe('Note for people.');
const webhookSink = z
  .strictObject({ type: z.literal('WEBHOOK'), url: receiverUrl })
  .describe('Requests that are signed by Standard Webhooks.');

/** AMQP's short strings. */
const shortMax = 255;
const shortText = z
  .string()
  .max(shortMax)
  .refine((text) => new TextEncoder().encode(text).length <= shortMax, {
    error: `must have ${shortMax} bytes at most`,
  });
const password = z
  .string()
  .min(1)
  .max(1_024)
  .optional()
  .meta({ writeOnly: true })
  .describe(
    'Never shown. In a change: absent keeps it, while address and user name stay the same.',
  );
const certificateAuthority = z
  .string()
  .max(65_536)
  .regex(/^\s*-----BEGIN CERTIFICATE-----/)
  .nullable()
  .default(null)
  .describe(
    'Certificates in PEM of the authorities that may have signed the broker’s; null: the public ones.',
  );
const format = z
  .enum(eventFormats)
  .describe(
    '`TIGERBEETLE`: the messages of TigerBeetle’s `amqp` job, byte for byte. `LEDGERHOUSE`: as `GET …/change-events` has them; integers of 64 and 128 bits are always strings.',
  );

const amqpSink = z
  .strictObject({
    type: z.literal('AMQP'),
    url: z
      .url({ protocol: /^amqps?$/ })
      .max(2_048)
      .describe(
        '`amqps://host:port/vhost`, without user name and password; 5671 and the vhost `/` when absent. An installation may allow further addresses, and amqp there.',
      ),
    username: shortText.min(1),
    password,
    exchange: shortText
      .default('')
      .describe('It must be there. Empty: the default exchange; `routingKey` is a queue then.'),
    routingKey: shortText.default(''),
    format: format.default('TIGERBEETLE'),
    certificateAuthority,
  })
  .refine(({ exchange, routingKey }) => exchange !== '' || routingKey !== '', {
    error: 'must have an exchange or a routing key',
  })
  .describe('Persistent messages to a broker that speaks AMQP 0-9-1, such as RabbitMQ.');

const topic = z.string().regex(/^(?!\.{1,2}$)[A-Za-z0-9._-]{1,249}$/);
const kafkaKey = z
  .enum(kafkaKeys)
  .describe(
    'What a message’s key is, and so what stays in order in a topic of several partitions: all of the database, each ledger, or each debit account.',
  );
const mechanism = z.enum(saslMechanisms).describe('How the user signs in (SASL).');

const kafkaSink = z
  .strictObject({
    type: z.literal('KAFKA'),
    url: z
      .string()
      .max(2_048)
      .regex(/^kafkas?:\/\//)
      .describe(
        '`kafkas://host:port,host:port`, without user name and password; 9092 when absent. An installation may allow further addresses, and kafka there.',
      ),
    topic: topic.describe('It must be there.'),
    key: kafkaKey.default('DATABASE'),
    username: z.string().max(255).default('').describe('Empty: nobody signs in.'),
    mechanism: mechanism.default('SCRAM-SHA-512'),
    password,
    format: format.default('LEDGERHOUSE'),
    certificateAuthority,
  })
  .describe('Messages to a topic of a cluster that speaks Kafka’s protocol (from Kafka 2.4).');

const sink = z
  .discriminatedUnion('type', [webhookSink, amqpSink, kafkaSink])
  .describe('Target of the events. The type of a stream’s sink cannot be changed.');

const webhookUrl = z
  .string()
  .describe(
    'Path and query, which may be secret, are `•••` for callers who cannot change the stream.',
  );
const passwordSet = z.boolean().describe('Whether a password is stored.');
const shownSink = z.discriminatedUnion('type', [
  z.object({ type: z.literal('WEBHOOK'), url: webhookUrl }),
  z.object({
    type: z.literal('AMQP'),
    url: z.string(),
    username: z.string(),
    passwordSet,
    exchange: z.string(),
    routingKey: z.string(),
    format,
    certificateAuthority: z.string().nullable(),
  }),
  z.object({
    type: z.literal('KAFKA'),
    url: z.string(),
    topic: z.string(),
    key: kafkaKey,
    username: z.string(),
    passwordSet,
    mechanism,
    format,
    certificateAuthority: z.string().nullable(),
  }),
]);

export const createChangeStreamRequest = z
  .strictObject({
    description: description.default(''),
    sink,
    after: z
      .string()
      .regex(/^(beginning|now|0|[1-9][0-9]{0,18})$/)
      .refine((text) => !/^\d/.test(text) || BigInt(text) <= afterMax, {
        error: `must be a timestamp in nanoseconds, at most ${afterMax}`,
      })
      .default('now')
      .describe(
        'Events after this timestamp, in nanoseconds since 1970; `beginning`: all events; `now`: those after the latest transfer that is there.',
      ),
  })
  .meta({ id: 'CreateChangeStreamRequest' });

export const updateChangeStreamRequest = z
  .strictObject({
    description: description.optional(),
    sink: sink.optional(),
    state: z
      .enum(['RUNNING', 'PAUSED'])
      .optional()
      .describe('`RUNNING`: it goes on where it was, at once, also after it failed.'),
  })
  .refine((body) => Object.keys(body).length > 0, { error: 'changes nothing' })
  .meta({ id: 'UpdateChangeStreamRequest' });

export const changeStream = z
  .object({
    id: id('chs', 'Stream ID.'),
    databaseId: id('db', 'The database whose events it pushes.'),
    description: z.string(),
    sink: shownSink,
    signing: z
      .literal('v1')
      .nullable()
      .describe('Standard Webhooks: HMAC-SHA-256. null: the sink takes no signatures.'),
    previousSecretUntil: time(
      'After a rotation: until then requests carry a signature of the secret before as well.',
    ).nullable(),
    state: z
      .enum(changeStreamStates)
      .describe(
        '`RETRYING`: the ledger, the sink or the service itself failed last, for `lastError`; it is tried again at `nextAttemptAt`. `FAILED`: it stopped, for `stateReason`, until it is set to RUNNING.',
      ),
    stateReason: z.string().nullable().describe('Why it stopped, if nobody paused it.'),
    suspended: z
      .boolean()
      .describe(
        'All streams of the database are suspended, whatever their states are: `changeDataCapture` of its configuration.',
      ),
    startedAfter: transfer.shape.timestamp.describe('It began with the first event after this.'),
    position: transfer.shape.timestamp.describe(
      'The sink has confirmed every event up to this timestamp.',
    ),
    deliveredEvents: z
      .string()
      .regex(/^\d{1,19}$/)
      .describe('Events that the sink has confirmed.'),
    sentBytes: z
      .string()
      .regex(/^\d{1,19}$/)
      .describe('Bytes of the bodies of all requests, whatever the sink answered.'),
    lastDeliveredAt: time('When the sink last confirmed events.').nullable(),
    lagSeconds: z
      .number()
      .min(0)
      .nullable()
      .describe('Age of the oldest event that waits; null: not known, for `lagUnknown`.'),
    lagUnknown: z
      .enum(lagUnknowns)
      .nullable()
      .describe(
        'Why it is not known whether events wait. `PAUSED`, `FAILED`, `SUSPENDED`: nobody looks. `LEDGER_UNAVAILABLE`: the ledger does not answer; see `lastError`. `NOT_READ`: no worker has read the ledger for a minute, because its database is stopped, the service is in trouble, or for `lastError`.',
      ),
    failingSince: time('Every attempt since then has failed.').nullable(),
    nextAttemptAt: time('While it is RETRYING.').nullable(),
    lastError: z
      .object({ code: z.string(), message: z.string(), at: time('When it failed.') })
      .nullable()
      .describe('The last failure, even if it is over.'),
    actor,
    version: z.int().describe('Increases with each change of what people set.'),
    createdAt: time('When it was made.'),
    updatedAt: time('When people last changed it, or it stopped.'),
  })
  .meta({ id: 'ChangeStream' });

export const changeStreamList = z
  .object({ data: z.array(changeStream) })
  .meta({ id: 'ChangeStreamList' });
export const readChangeStream = z.object({ changeStream }).meta({ id: 'ChangeStreamAnswer' });
export const changedChangeStream = z
  .object({ success, changeStream })
  .meta({ id: 'ChangedChangeStream' });
export const createdChangeStream = z
  .object({
    success,
    changeStream,
    secret: secret
      .nullable()
      .describe('The secret that signs requests to a webhook. `GET …/secret` shows it again.'),
  })
  .meta({ id: 'CreatedChangeStream' });
export const resignedChangeStream = z
  .object({ success, changeStream, secret })
  .meta({ id: 'ResignedChangeStream' });

export const amqpExample = {
  type: 'AMQP',
  url: 'amqps://broker.example.com/payments',
  username: 'ledger',
  exchange: 'ledger-events',
  routingKey: 'payments',
} as const;

export const kafkaExample = {
  type: 'KAFKA',
  url: 'kafkas://broker1.example.com:9093,broker2.example.com:9093',
  topic: 'ledger-events',
  username: 'ledger',
} as const;

export const changeStreamExample: z.input<typeof changeStream> = {
  id: exampleId('chs'),
  databaseId: exampleId('db'),
  description: '',
  sink: { type: 'WEBHOOK', url: 'https://hooks.example.com/ledger' },
  signing: 'v1',
  previousSecretUntil: null,
  state: 'RUNNING',
  stateReason: null,
  suspended: false,
  startedAfter: '0',
  position: '1795328121972093214',
  deliveredEvents: '184467',
  sentBytes: '188894208',
  lastDeliveredAt: exampleTime,
  lagSeconds: 0,
  lagUnknown: null,
  failingSince: null,
  nextAttemptAt: null,
  lastError: null,
  actor: { type: 'user', id: exampleId('usr'), display: 'Anna Example' },
  version: 1,
  createdAt: exampleTime,
  updatedAt: exampleTime,
};
