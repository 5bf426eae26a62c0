import { z } from 'zod';
import { attemptOutcomes, attemptTriggers, deliveryStatuses } from '../../model/webhook.ts';
import { exampleId, exampleTime, id, success, time } from './common.ts';

export const webhookDelivery = z
  .object({
    id: id('dlv', 'Delivery ID.'),
    endpointId: id('whe', 'Where it goes.'),
    eventId: id('evt', 'The event; `webhook-id` of every request.'),
    eventType: z.string(),
    databaseId: id('db', 'The database that the event is about.').nullable(),
    status: z
      .enum(deliveryStatuses)
      .describe(
        '`FAILED`: after ten attempts, or the receiver is gone. `CANCELED`: the endpoint was disabled before.',
      ),
    attemptCount: z.int(),
    replayGeneration: z.int().describe('How often it was made again.'),
    nextAttemptAt: time('While PENDING: when it is due.').nullable(),
    lastAttemptAt: time('When it was last tried.').nullable(),
    lastStatusCode: z.int().nullable(),
    lastError: z.string().nullable().describe('Why the last attempt failed.'),
    createdAt: time('When it was made.'),
  })
  .meta({ id: 'WebhookDelivery' });

const webhookAttempt = z
  .object({
    number: z.int().describe('From 1.'),
    trigger: z.enum(attemptTriggers).describe('`MANUAL`: somebody asked for it.'),
    outcome: z.enum(attemptOutcomes),
    requestHeaders: z.record(z.string(), z.string()),
    statusCode: z.int().nullable(),
    error: z.string().nullable(),
    responseExcerpt: z.string().nullable().describe('The first 4 KiB of the answer.'),
    startedAt: time('When it began.'),
    durationMs: z.int(),
  })
  .meta({ id: 'WebhookAttempt' });

export const readWebhookDelivery = z
  .object({
    webhookDelivery,
    requestBody: z
      .string()
      .nullable()
      .describe('The body of its requests, exactly as it is signed.'),
  })
  .meta({ id: 'WebhookDeliveryAnswer' });

export const webhookAttemptList = z
  .object({ data: z.array(webhookAttempt).describe('The newest first, 100 at most.') })
  .meta({ id: 'WebhookAttemptList' });

export const queuedWebhookDelivery = z
  .object({ success, webhookDelivery })
  .meta({ id: 'QueuedWebhookDelivery' });

/** Filters of lists and replays, beside the status and the time. */
export const deliveryFilter = {
  endpointId: id('whe', 'Only of this endpoint.').optional(),
  eventType: z.string().max(64).optional(),
  deliveryId: id('dlv', 'Only this delivery.').optional(),
  eventId: id('evt', 'Only of this event: one for each endpoint that got it.').optional(),
  answer: z
    .string()
    .regex(/^(none|[1-9]xx|[1-9]\d\d)$/)
    .optional()
    .describe(
      'Only with this last answer: a code such as `503`, all codes of a class such as `5xx`, or `none` where an attempt got no answer.',
    ),
};

export const replayMax = 10_000;

export const replayWebhookDeliveriesRequest = z
  .strictObject({
    ...deliveryFilter,
    statuses: z
      .array(z.enum(deliveryStatuses))
      .min(1)
      .default(['FAILED', 'CANCELED'])
      .describe('`PENDING` ones are due at once then.'),
    createdAfter: z.iso.datetime({ offset: true }).optional(),
    createdBefore: z.iso.datetime({ offset: true }).optional(),
    dryRun: z.boolean().default(false).describe('Only count.'),
  })
  .meta({ id: 'ReplayWebhookDeliveriesRequest' });

export const replayedWebhookDeliveries = z
  .object({
    success,
    dryRun: z.boolean(),
    replayed: z.int().describe('Made again.'),
    expedited: z.int().describe('Were pending, and are due now.'),
    skipped: z.int().describe('Their endpoint is disabled.'),
    more: z.boolean().describe(`There are more than ${replayMax}: ask again.`),
  })
  .meta({ id: 'ReplayedWebhookDeliveries' });

export const webhookDeliveryExample: z.input<typeof webhookDelivery> = {
  id: exampleId('dlv'),
  endpointId: exampleId('whe'),
  eventId: exampleId('evt'),
  eventType: 'database.ready',
  databaseId: exampleId('db'),
  status: 'SUCCEEDED',
  attemptCount: 1,
  replayGeneration: 0,
  nextAttemptAt: null,
  lastAttemptAt: exampleTime,
  lastStatusCode: 204,
  lastError: null,
  createdAt: exampleTime,
};

export const webhookAttemptExample: z.input<typeof webhookAttempt> = {
  number: 1,
  trigger: 'SCHEDULED',
  outcome: 'SUCCESS',
  requestHeaders: {
    'content-type': 'application/json',
    'user-agent': 'ledgerhouse-webhooks/1',
    'webhook-id': exampleId('evt'),
    'webhook-timestamp': '1795226584',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  },
  statusCode: 204,
  error: null,
  responseExcerpt: '',
  startedAt: exampleTime,
  durationMs: 42,
};
