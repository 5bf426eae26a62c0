import { z } from 'zod';
import { access } from '../../model/access.ts';
import { answer, empty, jsonBody, type RouteSpec } from '../route.ts';
import { auditEventExample, auditEventList } from '../schemas/audit-event.ts';
import { cursor, emptyPage, limit, listOf } from '../schemas/common.ts';
import {
  changedWebhookEndpoint,
  createdWebhookEndpoint,
  createWebhookEndpointRequest,
  readWebhookEndpoint,
  updateWebhookEndpointRequest,
  webhookEndpoint,
  webhookEndpointExample,
} from '../schemas/webhook-endpoint.ts';

const path = '/api/v1/webhook-endpoints';
const one = `${path}/{endpointId}` as const;
const tag = 'Webhooks';
const instant = z.iso.datetime({ offset: true });

export const auditRoutes = {
  listAuditEvents: {
    method: 'GET',
    path: '/api/v1/audit-events',
    tag: 'Audit',
    summary: 'List what was done in the organization',
    description: 'The newest first.',
    access: access.auditLog,
    query: z.strictObject({
      limit,
      cursor,
      type: z.array(z.string().max(64)).min(1).optional().describe('One or several, with commas.'),
      actorId: z.string().max(64).optional(),
      targetId: z.string().max(64).optional(),
      after: instant.optional().describe('At this time or later.'),
      before: instant.optional().describe('Before this time.'),
    }),
    responses: {
      200: answer('A page of events.', auditEventList, {
        data: [auditEventExample],
        page: emptyPage,
      }),
    },
    problems: ['invalid_cursor'],
  },
} as const satisfies Record<string, RouteSpec>;

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
          secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=',
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
} as const satisfies Record<string, RouteSpec>;
