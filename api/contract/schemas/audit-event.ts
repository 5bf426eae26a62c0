import { z } from 'zod';
import { chainFaults, eventOutcomes } from '../../model/event.ts';
import { actor, exampleId, exampleTime, id, listOf, time } from './common.ts';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);

const auditEvent = z
  .object({
    id: id('evt', 'Event ID, the same as in webhooks.'),
    sequence: z.string().describe('Decimal; increases within the organization.'),
    occurredAt: time('When it happened.'),
    type: z.string().describe('Such as `database.created`.'),
    outcome: z.enum(eventOutcomes),
    actor,
    ip: z.string().nullable(),
    userAgent: z.string().nullable(),
    organizationId: id('org', 'Where it happened.'),
    databaseId: id('db', 'The database of the event.').nullable(),
    target: z.object({ type: z.string(), id: z.string().nullable(), display: z.string() }),
    data: z.record(z.string(), z.unknown()),
    changes: z
      .array(z.object({ path: z.string(), from: z.unknown(), to: z.unknown() }))
      .describe('The fields that a person changed.'),
    requestId: z.string().nullable(),
    keyVersion: z
      .string()
      .nullable()
      .describe('Version of the signing key behind `hash`; null: a SHA-256 without a key.'),
    previousHash: sha256.describe(
      'Hash of the previous event of the organization; zeroes for the first one.',
    ),
    hash: sha256.describe(
      'HMAC-SHA-256 of `previousHash` and this event; `GET /audit-events/verify` checks it.',
    ),
  })
  .meta({ id: 'AuditEvent' });

export const auditEventList = listOf(auditEvent).meta({ id: 'AuditEventList' });

const number = z.string().regex(/^\d{1,19}$/);

export const auditVerification = z
  .object({
    valid: z.boolean().describe('Whether no fault was found in the events that were checked.'),
    checked: z.int().describe('Events that were found sound.'),
    next: number
      .nullable()
      .describe('Number of the next event to check; null: the end or a fault was reached.'),
    keyedFrom: number
      .nullable()
      .describe('Number of the first event with a keyed hash; null: there is none yet.'),
    removedThrough: number
      .nullable()
      .describe(
        'Number of the last event that was removed because its retention was over, with all before it; null: none was. Nobody can move it without the signing key.',
      ),
    head: z
      .object({ sequence: number, hash: sha256 })
      .describe('The last event. A copy of it elsewhere proves later that no event was cut off.'),
    fault: z
      .object({ code: z.enum(chainFaults), sequence: z.string(), detail: z.string() })
      .nullable()
      .describe('The first one.'),
  })
  .meta({ id: 'AuditVerification' });

export const auditVerificationExample: z.input<typeof auditVerification> = {
  valid: true,
  checked: 412,
  next: null,
  keyedFrom: '1',
  removedThrough: null,
  head: { sequence: '412', hash: 'c5a3b1f0'.repeat(8) },
  fault: null,
};

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
  keyVersion: '3f9a12c0',
  previousHash: '0'.repeat(64),
  hash: 'c5a3b1f0'.repeat(8),
};
