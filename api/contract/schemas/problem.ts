/** Problem details (RFC 9457) with our members. */
import { z } from 'zod';
import { momentReasons } from '../../../domain/recovery.ts';
import { problemCodes, problems, problemType, type ProblemCode } from '../../model/problems.ts';
import { moment } from './moment.ts';

const problemError = z
  .object({
    pointer: z.string().optional().describe('JSON Pointer into the body, as a URI fragment.'),
    parameter: z.string().optional().describe('Name of a parameter of path or query.'),
    header: z.string().optional().describe('Name of a header.'),
    code: z.string(),
    detail: z.string(),
    meta: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({ id: 'ProblemError' });

export const billing = z
  .object({
    checkoutUrl: z
      .url()
      .nullable()
      .describe(
        'Where a person sets billing up. Null where no checkout helps: with `SPEND_LIMIT_REACHED` the limit has to be raised.',
      ),
    expiresAt: z.iso.datetime().nullable(),
    reason: z.enum(['NO_PAYMENT_METHOD', 'PAYMENT_FAILED', 'SPEND_LIMIT_REACHED']),
    sessionId: z.string().nullable(),
    draftId: z
      .string()
      .nullable()
      .optional()
      .describe('The request is kept under this ID and executed once billing is set up.'),
  })
  .meta({ id: 'Billing' });

export const provisioning = z
  .object({
    status: z.enum(['QUEUED', 'NOT_STARTED', 'BLOCKED_BY_BILLING']),
    started: z.boolean(),
    message: z.string(),
    estimatedSeconds: z.int().min(0).nullable(),
  })
  .meta({ id: 'Provisioning' });

export const problemSchema = z
  .looseObject({
    type: z.string().describe('URL of the page about this problem.'),
    title: z.string(),
    status: z.int().min(400).max(599),
    detail: z.string().describe('The cause in this case, and what to do.'),
    instance: z.string().describe('The path of the request.'),
    code: z
      .string()
      .describe(`Stable. At present one of ${problemCodes.join(', ')}; more may come.`),
    requestId: z.string(),
    retryable: z.boolean().describe('The same request may succeed later.'),
    errors: z.array(problemError).optional(),
    outcome: z
      .enum(['not_executed', 'unknown'])
      .optional()
      .describe('For a ledger operation: whether the ledger may have changed.'),
    allowedOperations: z.array(z.string()).optional(),
    requiredPermissions: z.array(z.string()).optional(),
    requiredDatabaseScope: z.string().optional(),
    requiredRoles: z.array(z.string()).optional(),
    databaseStatus: z.string().optional(),
    existingDatabaseId: z.string().optional(),
    blockingJobId: z.string().optional(),
    limitBytes: z.int().optional(),
    offset: z.int().optional(),
    maxEventsPerBatch: z.int().optional(),
    purgedAt: z.string().optional(),
    moments: z
      .object({
        reason: z.enum(momentReasons),
        before: moment.nullable().describe('The nearest one before, if there is one.'),
        after: moment.nullable().describe('The nearest one after, if there is one.'),
      })
      .optional()
      .describe('Why a moment cannot be restored, and which ones can.'),
    missing: z
      .array(z.object({ replicaIndex: z.int(), parts: z.array(z.int()) }))
      .optional()
      .describe(
        'Files of an import whose parts are not all there: the first hundred that are missing.',
      ),
    supportedClusterConfigurations: z.array(z.string()).optional(),
    'violated-policies': z.array(z.string()).optional(),
    success: z.literal(false).optional(),
    billing: billing.optional(),
    provisioning: provisioning.optional(),
  })
  .meta({ id: 'Problem' });

export const problemExample = (docsUrl: string, code: ProblemCode) => ({
  type: problemType(docsUrl, code),
  title: problems[code].title,
  status: problems[code].status,
  detail: problems[code].advice,
  instance: '/api/v1/databases',
  code,
  requestId: 'req_01jd8f3zk5e0v9t3m2q6r8w4x0',
  retryable: problems[code].retryable,
});
