import { access } from '../../model/access.ts';
import { z } from 'zod';
import { answer, jsonBody, type RouteSpec } from '../route.ts';
import { cursor, emptyPage, exampleTime, limit, listOf } from '../schemas/common.ts';
import {
  changedOrganization,
  createdOrganization,
  createOrganizationRequest,
  organization,
  organizationExample,
  readOrganization,
  suspendOrganizationRequest,
  updateOrganizationRequest,
} from '../schemas/organization.ts';

const path = '/api/v1/organizations';
const one = `${path}/{organizationId}` as const;
const tag = 'Organizations';

const forAdministrators = 'For the administrator of the installation.';

const changed = (description: string, more: Partial<typeof organizationExample> = {}) =>
  answer(description, changedOrganization, {
    success: true,
    organization: { ...organizationExample, ...more },
  });

export const organizationRoutes = {
  createOrganization: {
    method: 'POST',
    path,
    tag,
    summary: 'Create an organization',
    description: `${forAdministrators} It needs no organization, so that one can be made when all others are deleted or suspended.`,
    access: access.ownPerson,
    body: jsonBody(createOrganizationRequest, { acme: { name: 'Acme', slug: 'acme' } }),
    responses: {
      201: answer(
        'The organization is made.',
        createdOrganization,
        { success: true, organization: organizationExample },
        ['Location'],
      ),
    },
    problems: ['organization_slug_taken', 'provisioning_not_permitted'],
  },
  listOrganizations: {
    method: 'GET',
    path,
    tag,
    summary: 'List the organizations that the credential belongs to',
    access: access.caller,
    query: z.strictObject({
      limit,
      cursor,
      includeDeleted: z
        .boolean()
        .default(false)
        .describe(
          'Include deleted organizations that can be restored; only for the administrator of the installation.',
        ),
    }),
    responses: {
      200: answer(
        'A page of organizations.',
        listOf(organization).meta({ id: 'OrganizationList' }),
        {
          data: [organizationExample],
          page: emptyPage,
        },
      ),
    },
    problems: ['invalid_cursor'],
  },
  getOrganization: {
    method: 'GET',
    path: one,
    tag,
    summary: 'Read an organization',
    access: access.caller,
    responses: {
      200: answer('The organization.', readOrganization, { organization: organizationExample }),
    },
    problems: [],
    conditional: 'settings',
  },
  updateOrganization: {
    method: 'PATCH',
    path: one,
    tag,
    summary: 'Rename an organization, set the retention of its audit log, or its quota',
    description:
      'The administrator of the installation may do all of it; an owner may rename their own organization and set its retention, unless it is suspended. The slug and the namespace stay.',
    access: access.ownPerson,
    body: jsonBody(updateOrganizationRequest, {
      rename: { name: 'Acme Payments' },
      retention: { auditRetentionDays: 2_557 },
    }),
    responses: { 200: changed('It is changed.', { name: 'Acme Payments' }) },
    problems: ['provisioning_not_permitted', 'organization_suspended'],
    conditional: 'match',
  },
  suspendOrganization: {
    method: 'POST',
    path: `${one}/suspend`,
    tag,
    summary: 'Suspend an organization',
    description: `${forAdministrators} Its keys and members can go on reading, delete databases and revoke access; all else is 403 \`organization_suspended\`, within seconds on all processes. Its databases run on, and clients in the cluster are not cut off.`,
    access: access.ownPerson,
    endsAccess: true,
    body: jsonBody(suspendOrganizationRequest, { full: { reason: 'The contract has ended.' } }),
    responses: {
      200: changed('It is suspended.', {
        status: 'SUSPENDED',
        suspensionReason: 'The contract has ended.',
      }),
    },
    problems: ['provisioning_not_permitted'],
  },
  resumeOrganization: {
    method: 'POST',
    path: `${one}/resume`,
    tag,
    summary: 'End the suspension of an organization',
    description: forAdministrators,
    access: access.ownPerson,
    responses: { 200: changed('It is active.') },
    problems: ['provisioning_not_permitted'],
  },
  deleteOrganization: {
    method: 'DELETE',
    path: one,
    tag,
    summary: 'Delete an organization',
    description: `${forAdministrators} It must have no databases; deleted ones that can be restored do not count. Its keys and members lose access within seconds. For seven days it can be restored; then its keys, members, invitations and webhook endpoints are purged. Its audit log stays for its retention, and its slug is not given to another one.`,
    access: access.ownPerson,
    endsAccess: true,
    responses: {
      200: changed('It is deleted.', {
        status: 'DELETED',
        deletedAt: exampleTime,
        purgeAt: '2026-07-30T09:12:31.402Z',
      }),
    },
    problems: ['provisioning_not_permitted', 'organization_not_empty'],
  },
  restoreOrganization: {
    method: 'POST',
    path: `${one}/restore`,
    tag,
    summary: 'Restore a deleted organization',
    description: forAdministrators,
    access: access.ownPerson,
    responses: { 200: changed('The organization is restored.') },
    problems: ['provisioning_not_permitted', 'organization_not_deleted'],
  },
} as const satisfies Record<string, RouteSpec>;
