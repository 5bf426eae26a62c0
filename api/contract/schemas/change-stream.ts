/** Change streams: the change events of a database, pushed to a sink. */
import { z } from 'zod';
import { afterMax } from '../../ledger/change-events.ts';
import { changeStreamStates, lagUnknowns } from '../../model/change-stream.ts';
import { actor, exampleId, exampleTime, id, success, time } from './common.ts';
import { transfer } from './ledger.ts';
import { receiverUrl, secret } from './webhook-endpoint.ts';

const description = z.string().max(200).describe('Note for people.');
const sink = z
  .strictObject({ type: z.literal('WEBHOOK'), url: receiverUrl })
  .describe('Where the events go: requests that are signed by Standard Webhooks.');

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
    sink: z.object({
      type: z.literal('WEBHOOK'),
      url: z
        .string()
        .describe(
          'Path and query, which may be secret, are `•••` for callers who cannot change the stream.',
        ),
    }),
    signing: z.literal('v1').describe('Standard Webhooks: HMAC-SHA-256.'),
    previousSecretUntil: time(
      'After a rotation: until then requests carry a signature of the secret before as well.',
    ).nullable(),
    state: z
      .enum(changeStreamStates)
      .describe(
        '`RETRYING`: the ledger, the sink or the service itself failed last, for `lastError`; it is tried again at `nextAttemptAt`. `FAILED`: it stopped, for `stateReason`, until it is set to RUNNING.',
      ),
    stateReason: z.string().nullable().describe('Why it stopped, if nobody paused it.'),
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
        'Why it is not known whether events wait. `PAUSED`, `FAILED`: nobody looks. `LEDGER_UNAVAILABLE`: the ledger does not answer; see `lastError`. `NOT_READ`: no worker has read the ledger for a minute, because its database is stopped, the service is in trouble, or for `lastError`.',
      ),
    failingSince: time('Every attempt since then has failed.').nullable(),
    nextAttemptAt: time('While it is RETRYING.').nullable(),
    lastError: z
      .object({ code: z.string(), message: z.string(), at: time('When it failed.') })
      .nullable()
      .describe('The last failure, also after it is over.'),
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
  .object({ success, changeStream, secret })
  .meta({ id: 'CreatedChangeStream' });

export const changeStreamExample: z.input<typeof changeStream> = {
  id: exampleId('chs'),
  databaseId: exampleId('db'),
  description: '',
  sink: { type: 'WEBHOOK', url: 'https://hooks.example.com/ledger' },
  signing: 'v1',
  previousSecretUntil: null,
  state: 'RUNNING',
  stateReason: null,
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
