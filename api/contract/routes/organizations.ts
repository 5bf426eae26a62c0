import { access } from '../../model/access.ts';
import { z } from 'zod';
import { answer, jsonBody, type RouteSpec } from '../route.ts';
import { cursor, emptyPage, limit, listOf } from '../schemas/common.ts';
import {
  createdOrganization,
  createOrganizationRequest,
  organization,
  organizationExample,
  readOrganization,
} from '../schemas/organization.ts';

const path = '/api/v1/organizations';
const tag = 'Organizations';

export const organizationRoutes = {
  createOrganization: {
    method: 'POST',
    path,
    tag,
    summary: 'Create an organization',
    access: access.anyPerson,
    body: jsonBody(createOrganizationRequest, { acme: { name: 'Acme', slug: 'acme' } }),
    responses: {
      201: answer(
        'It is there.',
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
    query: z.strictObject({ limit, cursor }),
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
    path: `${path}/{organizationId}`,
    tag,
    summary: 'Read an organization',
    access: access.caller,
    responses: {
      200: answer('The organization.', readOrganization, { organization: organizationExample }),
    },
    problems: [],
  },
} as const satisfies Record<string, RouteSpec>;
