import { z } from 'zod';
import { access } from '../../model/access.ts';
import { eventOutcomes } from '../../model/event.ts';
import { answer, streamedAnswer, type RouteSpec } from '../route.ts';
import {
  auditEventExample,
  auditEventList,
  auditVerification,
  auditVerificationExample,
} from '../schemas/audit-event.ts';
import { cursor, emptyPage, id, limit } from '../schemas/common.ts';

const instant = z.iso.datetime({ offset: true });

const filter = {
  type: z
    .array(z.string().max(64))
    .min(1)
    .max(100)
    .optional()
    .describe('One or several, with commas. `backup.*` means all types that begin with `backup.`.'),
  outcome: z
    .array(z.enum(eventOutcomes))
    .min(1)
    .optional()
    .describe('One or several, with commas.'),
  actorId: z.string().max(64).optional(),
  targetId: z.string().max(64).optional(),
  databaseId: id(
    'db',
    'All events of a database, also those of its jobs, backups and keys.',
  ).optional(),
  after: instant.optional().describe('At this time or later.'),
  before: instant.optional().describe('Before this time.'),
};

export const auditRoutes = {
  listAuditEvents: {
    method: 'GET',
    path: '/api/v1/audit-events',
    tag: 'Audit',
    summary: 'List the audit events of the organization',
    description:
      'The newest first. They are kept for `auditRetentionDays` of the organization, and removed from the oldest on.',
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
      'The oldest first, all of them in one answer that is sent as it is read. With `limit` or `cursor` it is one page, and `Next-Cursor` has the next page. In CSV, text that a spreadsheet would take for a formula has an apostrophe before it. If events are removed before the export reaches them, because their retention ends, the answer is cut off, or the next page is refused: start again.',
    access: access.auditLog,
    query: z.strictObject({
      format: z.enum(['ndjson', 'csv']).default('ndjson'),
      limit: z
        .int()
        .min(1)
        .max(1_000)
        .optional()
        .describe('Rows of a page; all in one answer when absent.'),
      cursor,
      afterSequence: z
        .string()
        .regex(/^\d{1,18}$/)
        .optional()
        .describe(
          'Begin after the event with this number. Programs that follow events store it. Events whose retention is over are gone: a gap in the numbers shows it.',
        ),
      ...filter,
    }),
    responses: {
      200: streamedAnswer(
        'One event on each line; in CSV, the first page begins with the names of the columns.',
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
      'Checks that no event was changed, added, or removed before its retention was over: at most 5,000 events in an answer; go on with `next`. Nobody can forge a valid chain without the signing key, even with write access to the store.',
    access: access.auditLog,
    query: z.strictObject({
      from: z
        .string()
        .regex(/^[1-9]\d{0,17}$/)
        .default('1')
        .describe('Number of the first event to check.'),
    }),
    responses: {
      200: answer(
        'The result for the checked events.',
        auditVerification,
        auditVerificationExample,
      ),
    },
    problems: [],
  },
} as const satisfies Record<string, RouteSpec>;
