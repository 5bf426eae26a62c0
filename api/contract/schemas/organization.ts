import { z } from 'zod';
import { roles } from '../../model/access.ts';
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
    status: z.enum(['ACTIVE', 'SUSPENDED']),
    role: z.enum(roles).nullable().describe('Of the caller; null for keys.'),
    createdAt: time('When it was made.'),
  })
  .meta({ id: 'Organization' });

export const readOrganization = z.object({ organization }).meta({ id: 'OrganizationAnswer' });
export const createdOrganization = z
  .object({ success, organization })
  .meta({ id: 'CreatedOrganization' });

export const organizationExample: z.input<typeof organization> = {
  id: exampleId('org'),
  name: 'Acme',
  slug: 'acme',
  namespace: 'org-acme',
  status: 'ACTIVE',
  role: 'owner',
  createdAt: exampleTime,
};
