import { z } from 'zod';
import { isSubscribable } from '../../model/subscriptions.ts';
import { databaseScope } from './api-key.ts';
import { exampleId, exampleTime, id, success, time } from './common.ts';

const eventTypes = z
  .array(
    z
      .string()
      .regex(/^(\*|[a-z_]+\.(\*|[a-z_]+))$/)
      .refine(isSubscribable, {
        error:
          'is no event that is sent: `webhooks` of GET /api/v1/openapi.json lists all; `database.*` and `*` name several',
      }),
  )
  .min(1)
  .max(50)
  .describe('Types of events, such as `database.ready`; `database.*`; `*`.');

export const receiverUrl = z
  .url({ protocol: /^https?$/ })
  .max(2_048)
  .describe(
    'https, with the name of a public host, without user name, password and fragment. An installation may allow further addresses, and http there.',
  );
const description = z.string().max(200);

export const createWebhookEndpointRequest = z
  .strictObject({
    url: receiverUrl,
    description: description.default(''),
    eventTypes: eventTypes.default(['*']),
    databaseScope: databaseScope.default({ type: 'ALL' }),
  })
  .meta({ id: 'CreateWebhookEndpointRequest' });

export const updateWebhookEndpointRequest = z
  .strictObject({
    url: receiverUrl.optional(),
    description: description.optional(),
    eventTypes: eventTypes.optional(),
    databaseScope: databaseScope.optional(),
    status: z.enum(['ENABLED', 'DISABLED']).optional(),
  })
  .refine((body) => Object.keys(body).length > 0, { error: 'changes nothing' })
  .meta({ id: 'UpdateWebhookEndpointRequest' });

export const webhookEndpoint = z
  .object({
    id: id('whe', 'Endpoint ID.'),
    url: z.string(),
    description: z.string(),
    eventTypes: z.array(z.string()),
    databaseScope,
    status: z.enum(['ENABLED', 'DISABLED', 'AUTO_DISABLED']),
    disabledReason: z.string().nullable(),
    signing: z.literal('v1').describe('Standard Webhooks: HMAC-SHA-256.'),
    previousSecretUntil: time(
      'After a rotation: until then requests carry a signature of the secret before as well.',
    ).nullable(),
    throttledUntil: time('The receiver is overloaded and gets nothing until then.').nullable(),
    failingSince: time(
      'Every attempt since then has failed; after five days the endpoint is disabled.',
    ).nullable(),
    stats24h: z
      .object({
        success: z.int(),
        failed: z.int().describe('Or cancelled.'),
        pending: z.int(),
      })
      .describe('Deliveries of the last 24 hours, of the newest 10,000.'),
    version: z.int().describe('Increases with each change; part of the ETag.'),
    createdAt: time('When it was made.'),
    updatedAt: time('When it last changed.'),
  })
  .meta({ id: 'WebhookEndpoint' });

export const readWebhookEndpoint = z
  .object({ webhookEndpoint })
  .meta({ id: 'WebhookEndpointAnswer' });
export const changedWebhookEndpoint = z
  .object({ success, webhookEndpoint })
  .meta({ id: 'ChangedWebhookEndpoint' });
export const secret = z
  .string()
  .regex(/^whsec_[A-Za-z0-9+/]{43}=$/)
  .describe('Secret that signs (Standard Webhooks). `GET …/secret` shows it again.');

export const secretExample = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=';

export const shownWebhookSecret = z.object({ secret }).meta({ id: 'WebhookSecret' });

export const rotateWebhookSecretRequest = z
  .strictObject({
    gracePeriodSeconds: z
      .int()
      .min(0)
      .max(604_800)
      .default(86_400)
      .describe('Time for which requests carry a signature of the secret before as well.'),
  })
  .meta({ id: 'RotateWebhookSecretRequest' });

export const createdWebhookEndpoint = z
  .object({
    success,
    webhookEndpoint,
    secret,
  })
  .meta({ id: 'CreatedWebhookEndpoint' });

export const webhookEndpointExample: z.input<typeof webhookEndpoint> = {
  id: exampleId('whe'),
  url: 'https://hooks.example.com/ledgerhouse',
  description: '',
  eventTypes: ['database.*'],
  databaseScope: { type: 'ALL' },
  status: 'ENABLED',
  disabledReason: null,
  signing: 'v1',
  previousSecretUntil: null,
  throttledUntil: null,
  failingSince: null,
  stats24h: { success: 12, failed: 0, pending: 1 },
  version: 1,
  createdAt: exampleTime,
  updatedAt: exampleTime,
};
