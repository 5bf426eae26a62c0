import { z } from 'zod';
import { eventOutcomes } from '../../model/event.ts';
import { actor, exampleId, exampleTime, id, listOf, time } from './common.ts';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

export const auditEvent = z
  .object({
    id: id('evt', 'Event ID, the same as in webhooks.'),
    sequence: z.string().describe('Decimal; goes up within the organization.'),
    occurredAt: time('When it happened.'),
    type: z.string().describe('Such as `database.created`.'),
    outcome: z.enum(eventOutcomes),
    actor,
    ip: z.string().nullable(),
    userAgent: z.string().nullable(),
    organizationId: id('org', 'Where it happened.'),
    databaseId: id('db', 'What database it is about.').nullable(),
    target: z.object({ type: z.string(), id: z.string().nullable(), display: z.string() }),
    data: z.record(z.string(), z.unknown()),
    changes: z
      .array(z.object({ path: z.string(), from: z.unknown(), to: z.unknown() }))
      .describe('What of it a person changed.'),
    requestId: z.string().nullable(),
    previousHash: sha256.describe(
      'Of the event before in the organization; zeroes before the first.',
    ),
    hash: sha256.describe('Of `previousHash` and this event.'),
  })
  .meta({ id: 'AuditEvent' });

export const auditEventList = listOf(auditEvent).meta({ id: 'AuditEventList' });

export const auditEventExample: z.input<typeof auditEvent> = {
  id: exampleId('evt'),
  sequence: '184467',
  occurredAt: exampleTime,
  type: 'database.created',
  outcome: 'SUCCESS',
  ip: '192.0.2.10',
  userAgent: 'curl/8.5.0',
  databaseId: exampleId('db'),
  actor: { type: 'api_key', id: exampleId('key'), display: 'ci' },
  organizationId: exampleId('org'),
  target: { type: 'database', id: exampleId('db'), display: 'payments-prod' },
  data: { database: { id: exampleId('db'), name: 'payments-prod', status: 'PROVISIONING' } },
  changes: [],
  requestId: exampleId('req'),
  previousHash: '0'.repeat(64),
  hash: 'c5a3b1f0'.repeat(8),
};
