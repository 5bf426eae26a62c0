import { z } from 'zod';
import { permissions, rights, roles, type Right } from '../../model/access.ts';
import { databaseScope } from './api-key.ts';
import { exampleId, exampleTime, id, success, text, time } from './common.ts';
import { memberScope } from './member.ts';
import { organization, organizationExample } from './organization.ts';

const rightList = z
  .array(z.enum(Object.keys(rights) as [Right, ...Right[]]))
  .describe('The rights of the caller’s role there; empty for keys, which have permissions.');

export const session = z
  .object({
    authenticated: z.literal(true),
    credential: z.object({
      type: z.enum(['api_key', 'access_token', 'session']),
      id: z.string(),
      name: z.string(),
      permissions: z.array(z.enum(permissions)),
      databaseScope: z.union([databaseScope, memberScope]),
      expiresAt: time('When it ends.').nullable(),
    }),
    user: z
      .object({
        id: z.string().nullable(),
        display: z.string(),
        email: z.string().nullable(),
        administrator: z.boolean(),
      })
      .nullable()
      .describe('Null for keys.'),
    organization: z
      .object({
        id: id('org', 'The organization of the request.'),
        name: z.string(),
        slug: z.string(),
        role: z.enum(roles).nullable(),
        rights: rightList,
      })
      .nullable()
      .describe('Null if the person has none yet.'),
    organizations: z
      .array(organization.extend({ rights: rightList }))
      .describe('Organizations of a person; empty for keys.'),
    limits: z.object({ maxDatabases: z.int(), requestsPerMinute: z.int() }),
    service: z.object({
      version: z.string().describe('Version of the programs that answered.'),
      notice: z
        .string()
        .nullable()
        .describe('Notice of the service’s operators to everybody, such as planned maintenance.'),
    }),
    serverTime: time('Now.'),
    apiVersion: z.literal('v1'),
  })
  .meta({ id: 'Session' });

export const ownSession = z
  .object({
    id: id('ses', 'Session ID.'),
    kind: z.enum(['browser', 'device']).describe('`device`: signed in by the device flow.'),
    current: z.boolean().describe('Whether this request was made with it.'),
    ip: z.string().nullable().describe('IP address from which it was opened.'),
    userAgent: z.string().nullable(),
    createdAt: time('When it was opened.'),
    lastUsedAt: time('When it was used last, to the minute.'),
    expiresAt: time('When it ends at the latest.'),
  })
  .meta({ id: 'OwnSession' });

export const ownSessionExample: z.input<typeof ownSession> = {
  id: exampleId('ses'),
  kind: 'device',
  current: true,
  ip: '192.0.2.10',
  userAgent: 'ledgerhouse-cli/0.1.0',
  createdAt: exampleTime,
  lastUsedAt: exampleTime,
  expiresAt: exampleTime,
};

export const openAdministratorSessionRequest = z
  .strictObject({
    token: text(256, 'The bootstrap token, which the installation keeps in a Secret.'),
  })
  .meta({ id: 'OpenAdministratorSessionRequest' });

export const openedSession = z
  .object({
    success,
    csrfToken: z
      .string()
      .describe('To be sent as X-CSRF-Token with every request that changes something.'),
    expiresAt: time('When the session ends at the latest.'),
  })
  .meta({ id: 'OpenedSession' });

export const sessionExample: z.input<typeof session> = {
  authenticated: true,
  credential: {
    type: 'api_key',
    id: exampleId('key'),
    name: 'ci',
    permissions: ['db:read'],
    databaseScope: { type: 'ALL' },
    expiresAt: null,
  },
  user: null,
  organization: {
    id: organizationExample.id,
    name: organizationExample.name,
    slug: organizationExample.slug,
    role: null,
    rights: [],
  },
  organizations: [],
  limits: { maxDatabases: 10, requestsPerMinute: 600 },
  service: { version: '1.4.0', notice: null },
  serverTime: exampleTime,
  apiVersion: 'v1',
};
