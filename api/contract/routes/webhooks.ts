import { z } from 'zod';
import { access } from '../../model/access.ts';
import { deliveryStatuses } from '../../model/webhook.ts';
import { answer, empty, jsonBody, type RouteSpec } from '../route.ts';
import { cursor, emptyPage, limit, listOf } from '../schemas/common.ts';
import {
  deliveryFilter,
  queuedWebhookDelivery,
  readWebhookDelivery,
  replayedWebhookDeliveries,
  replayWebhookDeliveriesRequest,
  webhookAttemptExample,
  webhookAttemptList,
  webhookDelivery,
  webhookDeliveryExample,
} from '../schemas/webhook-delivery.ts';
import {
  changedWebhookEndpoint,
  createdWebhookEndpoint,
  createWebhookEndpointRequest,
  readWebhookEndpoint,
  rotateWebhookSecretRequest,
  secretExample,
  shownWebhookSecret,
  updateWebhookEndpointRequest,
  webhookEndpoint,
  webhookEndpointExample,
} from '../schemas/webhook-endpoint.ts';

const path = '/api/v1/webhook-endpoints';
const one = `${path}/{endpointId}` as const;
const deliveries = '/api/v1/webhook-deliveries';
const oneDelivery = `${deliveries}/{deliveryId}` as const;
const tag = 'Webhooks';
const instant = z.iso.datetime({ offset: true });
const pending = {
  status: 'PENDING',
  attemptCount: 0,
  nextAttemptAt: webhookDeliveryExample.createdAt,
  lastAttemptAt: null,
  lastStatusCode: null,
} as const;

export const webhookRoutes = {
  createWebhookEndpoint: {
    method: 'POST',
    path,
    tag,
    summary: 'Create a webhook endpoint',
    access: access.webhooks,
    body: jsonBody(createWebhookEndpointRequest, {
      everything: { url: 'https://hooks.example.com/ledgerhouse' },
      databases: { url: 'https://hooks.example.com/ledgerhouse', eventTypes: ['database.*'] },
    }),
    responses: {
      201: answer(
        'The endpoint, with its secret.',
        createdWebhookEndpoint,
        {
          success: true,
          webhookEndpoint: webhookEndpointExample,
          secret: secretExample,
        },
        ['Location'],
      ),
    },
    problems: ['database_not_found', 'quota_exceeded'],
    cache: 'no-store, no-transform',
  },
  listWebhookEndpoints: {
    method: 'GET',
    path,
    tag,
    summary: 'List webhook endpoints',
    access: access.webhooks,
    query: z.strictObject({ limit, cursor }),
    responses: {
      200: answer(
        'A page of endpoints.',
        listOf(webhookEndpoint).meta({ id: 'WebhookEndpointList' }),
        { data: [webhookEndpointExample], page: emptyPage },
      ),
    },
    problems: ['invalid_cursor'],
  },
  getWebhookEndpoint: {
    method: 'GET',
    path: one,
    tag,
    summary: 'Read a webhook endpoint',
    access: access.webhooks,
    responses: {
      200: answer('The endpoint.', readWebhookEndpoint, {
        webhookEndpoint: webhookEndpointExample,
      }),
    },
    problems: [],
    conditional: 'read',
  },
  updateWebhookEndpoint: {
    method: 'PATCH',
    path: one,
    tag,
    summary: 'Change a webhook endpoint',
    access: access.webhooks,
    body: jsonBody(updateWebhookEndpointRequest, { pause: { status: 'DISABLED' } }),
    responses: {
      200: answer('It is changed.', changedWebhookEndpoint, {
        success: true,
        webhookEndpoint: webhookEndpointExample,
      }),
    },
    problems: ['database_not_found'],
    conditional: 'match',
  },
  deleteWebhookEndpoint: {
    method: 'DELETE',
    path: one,
    tag,
    summary: 'Delete a webhook endpoint',
    access: access.webhooks,
    responses: { 204: empty('It is gone.') },
    problems: [],
    conditional: 'match',
  },
  showWebhookSecret: {
    method: 'GET',
    path: `${one}/secret`,
    tag,
    summary: 'Show the secret of a webhook endpoint',
    description: 'The audit log records who looked.',
    access: access.webhooks,
    responses: { 200: answer('The secret.', shownWebhookSecret, { secret: secretExample }) },
    problems: [],
    cache: 'no-store, no-transform',
  },
  rotateWebhookSecret: {
    method: 'POST',
    path: `${one}/secret/rotate`,
    tag,
    summary: 'Give a webhook endpoint another secret',
    description:
      'Until the grace is over each request carries two signatures, so that the receiver can change over. A secret that was still in its grace ends at once.',
    access: access.webhooks,
    body: {
      ...jsonBody(rotateWebhookSecretRequest, { now: { gracePeriodSeconds: 0 } }),
      optional: true,
    },
    responses: {
      200: answer('The endpoint, with its new secret.', createdWebhookEndpoint, {
        success: true,
        webhookEndpoint: webhookEndpointExample,
        secret: secretExample,
      }),
    },
    problems: [],
    cache: 'no-store, no-transform',
  },
  testWebhookEndpoint: {
    method: 'POST',
    path: `${one}/test`,
    tag,
    summary: 'Send a test event to a webhook endpoint',
    description:
      'The event is `webhook.test`, whatever the endpoint subscribes to; once in 20 seconds. Its delivery has the result.',
    access: access.webhooks,
    responses: {
      202: answer('It is on its way.', queuedWebhookDelivery, {
        success: true,
        webhookDelivery: { ...webhookDeliveryExample, ...pending, eventType: 'webhook.test' },
      }),
    },
    problems: ['webhook_endpoint_disabled'],
  },
} as const satisfies Record<string, RouteSpec>;

export const deliveryRoutes = {
  listWebhookDeliveries: {
    method: 'GET',
    path: deliveries,
    tag,
    summary: 'List deliveries of webhooks',
    description: 'The newest first; they are kept for 30 days.',
    access: access.webhooks,
    query: z.strictObject({
      limit,
      cursor,
      ...deliveryFilter,
      status: z
        .array(z.enum(deliveryStatuses))
        .min(1)
        .optional()
        .describe('One or several, with commas.'),
      createdAfter: instant.optional().describe('At this time or later.'),
      createdBefore: instant.optional().describe('Before this time.'),
    }),
    responses: {
      200: answer(
        'A page of deliveries.',
        listOf(webhookDelivery).meta({ id: 'WebhookDeliveryList' }),
        { data: [webhookDeliveryExample], page: emptyPage },
      ),
    },
    problems: ['invalid_cursor'],
  },
  getWebhookDelivery: {
    method: 'GET',
    path: oneDelivery,
    tag,
    summary: 'Read a delivery, with the body of its requests',
    access: access.webhooks,
    responses: {
      200: answer('The delivery.', readWebhookDelivery, {
        webhookDelivery: webhookDeliveryExample,
        requestBody: '{"id":"evt_01jd8f3zk5e0v9t3m2q6r8w4x0","type":"database.ready"}',
      }),
    },
    problems: [],
  },
  listWebhookAttempts: {
    method: 'GET',
    path: `${oneDelivery}/attempts`,
    tag,
    summary: 'List the attempts of a delivery',
    access: access.webhooks,
    responses: {
      200: answer('Its attempts.', webhookAttemptList, { data: [webhookAttemptExample] }),
    },
    problems: [],
  },
  replayWebhookDelivery: {
    method: 'POST',
    path: `${oneDelivery}/replay`,
    tag,
    summary: 'Make a delivery again',
    description:
      'With the same `webhook-id`, so that a receiver that has the event recognizes it. A pending delivery is due at once. Failures of replays never disable the endpoint.',
    access: access.webhooks,
    responses: {
      202: answer('It is due.', queuedWebhookDelivery, {
        success: true,
        webhookDelivery: { ...webhookDeliveryExample, ...pending, replayGeneration: 1 },
      }),
    },
    problems: ['webhook_endpoint_disabled'],
  },
  replayWebhookDeliveries: {
    method: 'POST',
    path: `${deliveries}/replay`,
    tag,
    summary: 'Make many deliveries again, or count them first',
    description: 'The oldest first, 10,000 at most in a request. `dryRun` only counts.',
    access: access.webhooks,
    body: jsonBody(replayWebhookDeliveriesRequest, {
      count: { endpointId: webhookDeliveryExample.endpointId, dryRun: true },
      failed: { statuses: ['FAILED'], createdAfter: '2026-07-01T00:00:00Z' },
    }),
    responses: {
      202: answer('How many.', replayedWebhookDeliveries, {
        success: true,
        dryRun: false,
        replayed: 17,
        expedited: 0,
        skipped: 0,
        more: false,
      }),
    },
    problems: [],
  },
} as const satisfies Record<string, RouteSpec>;
