import { z } from 'zod';
import { roles } from '../../model/access.ts';
import { auditRetention as kept } from '../../model/audit-retention.ts';
import { exampleId, exampleTime, id, success, text, time } from './common.ts';

const organizationSlug = z
  .string()
  .regex(/^[a-z][a-z0-9-]{1,38}[a-z0-9]$/)
  .describe('3 to 40 characters; its databases are in the Kubernetes namespace `org-<slug>`.');

export const createOrganizationRequest = z
  .strictObject({ name: text(100, 'For people.'), slug: organizationSlug })
  .meta({ id: 'CreateOrganizationRequest' });

export const organization = z
  .object({
    id: id('org', 'Organization ID.'),
    name: z.string(),
    slug: z.string(),
    namespace: z.string().describe('The Kubernetes namespace of its databases.'),
    status: z
      .enum(['ACTIVE', 'SUSPENDED', 'DELETED'])
      .describe(
        'SUSPENDED: its records can be read, its databases can be deleted and access can be revoked, and nothing else; its databases run on. DELETED: it can be restored until `purgeAt`.',
      ),
    suspensionReason: z
      .string()
      .nullable()
      .describe('Reason, which its members see; null unless it is suspended.'),
    databasesMax: z
      .int()
      .nullable()
      .describe('Maximum of its databases; null: that of the installation.'),
    auditRetentionDays: z
      .int()
      .describe('Days for which audit events are kept. Older ones are removed for good.'),
    role: z.enum(roles).nullable().describe('Role of the caller; null for keys.'),
    createdAt: time('When it was made.'),
    deletedAt: time('When it was deleted.').nullable(),
    purgeAt: time('Time until which it can be restored.').nullable(),
  })
  .meta({ id: 'Organization' });

export const updateOrganizationRequest = z
  .strictObject({
    name: text(100, 'For people.').optional(),
    databasesMax: z
      .int()
      .min(0)
      .max(100_000)
      .nullable()
      .optional()
      .describe(
        'Maximum of its databases; null: that of the installation. Only the administrator of the installation sets it.',
      ),
    auditRetentionDays: z
      .int()
      .min(kept.min)
      .max(kept.max)
      .optional()
      .describe(
        `Days for which audit events are kept: ${kept.min} to ${kept.max} (seven years). For ${kept.settling} days after a change none is removed.`,
      ),
  })
  .meta({ id: 'UpdateOrganizationRequest' });

export const suspendOrganizationRequest = z
  .strictObject({ reason: text(500, 'Reason, which its members see.') })
  .meta({ id: 'SuspendOrganizationRequest' });

export const readOrganization = z.object({ organization }).meta({ id: 'OrganizationAnswer' });
export const changedOrganization = z
  .object({ success, organization })
  .meta({ id: 'ChangedOrganization' });
export const createdOrganization = z
  .object({ success, organization })
  .meta({ id: 'CreatedOrganization' });

export const organizationExample: z.input<typeof organization> = {
  id: exampleId('org'),
  name: 'Acme',
  slug: 'acme',
  namespace: 'org-acme',
  status: 'ACTIVE',
  suspensionReason: null,
  databasesMax: null,
  auditRetentionDays: kept.default,
  role: 'owner',
  createdAt: exampleTime,
  deletedAt: null,
  purgeAt: null,
};
