import { z } from 'zod';
import { access } from '../../model/access.ts';
import { answer, empty, jsonBody, textAnswer, type RouteSpec } from '../route.ts';
import {
  auditEventExample,
  auditEventList,
  auditVerification,
  auditVerificationExample,
} from '../schemas/audit-event.ts';
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

const filter = {
  type: z.array(z.string().max(64)).min(1).optional().describe('One or several, with commas.'),
  actorId: z.string().max(64).optional(),
  targetId: z.string().max(64).optional(),
  after: instant.optional().describe('At this time or later.'),
  before: instant.optional().describe('Before this time.'),
};

export const auditRoutes = {
  listAuditEvents: {
    method: 'GET',
    path: '/api/v1/audit-events',
    tag: 'Audit',
    summary: 'List what was done in the organization',
    description: 'The newest first.',
    access: access.auditLog,
    query: z.strictObject({ limit, cursor, ...filter }),
    responses: {
      200: answer('A page of events.', auditEventList, {
        data: [auditEventExample],
        page: emptyPage,
      }),
    },
    problems: ['invalid_cursor'],
  },
  exportAuditEvents: {
    method: 'GET',
    path: '/api/v1/audit-events/export',
    tag: 'Audit',
    summary: 'Export audit events as NDJSON or CSV',
    description:
      'The oldest first, a thousand at most in an answer; `Next-Cursor` says how to go on. In CSV, text that a spreadsheet would take for a formula has an apostrophe before it.',
    access: access.auditLog,
    query: z.strictObject({
      format: z.enum(['ndjson', 'csv']).default('ndjson'),
      limit: z.int().min(1).max(1_000).default(1_000),
      cursor,
      ...filter,
    }),
    responses: {
      200: textAnswer(
        'An event a line; in CSV, the first page begins with the names of the columns.',
        {
          'application/x-ndjson': `${JSON.stringify(auditEventExample)}\n`,
          'text/csv':
            'sequence,id,occurredAt,type\r\n184467,evt_01jd8f3zk5e0v9t3m2q6r8w4xy,2026-07-01T12:00:00.000Z,database.created\r\n',
        },
        ['Next-Cursor'],
      ),
    },
    problems: ['invalid_cursor'],
  },
  verifyAuditEvents: {
    method: 'GET',
    path: '/api/v1/audit-events/verify',
    tag: 'Audit',
    summary: 'Check the chain of audit events',
    description:
      'Checks that no event was changed, added or taken out: 5,000 events at most in an answer, and `next` says how to go on. Whoever can write to the store and has no signing key can make no chain that passes.',
    access: access.auditLog,
    query: z.strictObject({
      from: z
        .string()
        .regex(/^[1-9]\d{0,17}$/)
        .default('1')
        .describe('Number of the first event to check.'),
    }),
    responses: {
      200: answer('How far it was checked.', auditVerification, auditVerificationExample),
    },
    problems: [],
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
