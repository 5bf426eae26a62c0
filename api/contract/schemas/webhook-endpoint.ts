import { z } from 'zod';
import { databaseScope } from './api-key.ts';
import { exampleId, exampleTime, id, success, time } from './common.ts';

const eventTypes = z
  .array(z.string().regex(/^(\*|[a-z_]+\.(\*|[a-z_]+))$/))
  .min(1)
  .max(50)
  .describe('Types of events, such as `database.ready`; `database.*`; `*`.');

const url = z
  .url({ protocol: /^https$/, hostname: z.regexes.domain })
  .max(2_048)
  .describe('https, with a host name.');
const description = z.string().max(200);

export const createWebhookEndpointRequest = z
  .strictObject({
    url,
    description: description.default(''),
    eventTypes: eventTypes.default(['*']),
    databaseScope: databaseScope.default({ type: 'ALL' }),
  })
  .meta({ id: 'CreateWebhookEndpointRequest' });

export const updateWebhookEndpointRequest = z
  .strictObject({
    url: url.optional(),
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
    version: z.int().describe('Goes up with each change; part of the ETag.'),
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
export const createdWebhookEndpoint = z
  .object({
    success,
    webhookEndpoint,
    secret: z
      .string()
      .regex(/^whsec_[A-Za-z0-9+/]{43}=$/)
      .describe('With which deliveries are signed (Standard Webhooks). It is shown this once.'),
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
  version: 1,
  createdAt: exampleTime,
  updatedAt: exampleTime,
};
