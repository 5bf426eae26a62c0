import { z } from 'zod';
import { permissions } from '../../model/access.ts';
import { apiKeyStatuses } from '../../model/api-key-status.ts';
import { actor, exampleId, exampleTime, id, success, text, time } from './common.ts';

/** The databases that a key is for. */
export const databaseScope = z
  .discriminatedUnion('type', [
    z.strictObject({ type: z.literal('ALL') }),
    z.strictObject({ type: z.literal('DATABASE'), databaseId: id('db', 'The one database.') }),
  ])
  .meta({ id: 'DatabaseScope' });

const permissionList = z
  .array(z.enum(permissions))
  .min(1)
  .max(permissions.length)
  .refine((list) => new Set(list).size === list.length, { error: 'names one twice' })
  .describe('`db:write` does not include `db:read`.');

const ipRange = z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]);

const name = text(100, 'For people.');
const ipAllowList = z
  .array(ipRange)
  .max(50)
  .describe('Addresses and CIDR ranges from which it may be used; empty: from anywhere.');

export const createApiKeyRequest = z
  .strictObject({
    name,
    permissions: permissionList,
    databaseScope: databaseScope.default({ type: 'ALL' }),
    ipAllowList: ipAllowList.default([]),
    expiresAt: z.iso
      .datetime({ offset: true })
      .nullable()
      .optional()
      .describe('RFC 3339, in the future; in 90 days when absent, never when null.'),
  })
  .meta({ id: 'CreateApiKeyRequest' });

export const updateApiKeyRequest = z
  .strictObject({ name: name.optional(), ipAllowList: ipAllowList.optional() })
  .meta({ id: 'UpdateApiKeyRequest' });

export const renewApiKeyRequest = z
  .strictObject({
    expiresAt: z.iso
      .datetime({ offset: true })
      .nullable()
      .optional()
      .describe('RFC 3339, in the future; in 90 days when absent, never when null.'),
  })
  .meta({ id: 'RenewApiKeyRequest' });

export const rotateApiKeyRequest = z
  .strictObject({
    gracePeriodSeconds: z
      .int()
      .min(0)
      .max(604_800)
      .default(86_400)
      .describe('Time for which the old secret still works.'),
  })
  .meta({ id: 'RotateApiKeyRequest' });

export const apiKey = z
  .object({
    id: id('key', 'Key ID.'),
    organizationId: id('org', 'Its organization.'),
    name: z.string(),
    prefix: z.string().describe('The public part of the key.'),
    lastFour: z.string().describe('The secret’s last four characters.'),
    permissions: z.array(z.enum(permissions)),
    databaseScope,
    status: z.enum(apiKeyStatuses),
    expiresAt: time('When it ends.').nullable(),
    ipAllowList: z.array(z.string()).describe('Addresses and CIDR ranges; empty: from anywhere.'),
    rotatedFrom: id('key', 'The key that it replaces.').nullable(),
    rotationEndsAt: time('While ROTATING: time until which the key still works.').nullable(),
    lastUsedAt: time('To the minute.').nullable(),
    lastUsedIp: z.string().nullable(),
    lastUsedUserAgent: z.string().nullable(),
    createdAt: time('When it was made.'),
    createdBy: actor,
    revokedAt: time('When it was revoked.').nullable(),
    revokedBy: actor.nullable(),
  })
  .meta({ id: 'ApiKey' });

export const readApiKey = z.object({ apiKey }).meta({ id: 'ApiKeyAnswer' });
export const changedApiKey = z.object({ success, apiKey }).meta({ id: 'ChangedApiKey' });
export const apiKeyWithSecret = z
  .object({
    success,
    apiKey,
    secret: z
      .string()
      .regex(/^lhk_[0-9A-Za-z]{12}_[0-9A-Za-z]{38}$/)
      .describe('The whole key. It is shown only once.'),
  })
  .meta({ id: 'ApiKeyWithSecret' });

export const apiKeyExample: z.input<typeof apiKey> = {
  id: exampleId('key'),
  organizationId: exampleId('org'),
  name: 'ci',
  prefix: 'lhk_4Zk9QmT2bXe7',
  lastFour: 'u1Qe',
  permissions: ['db:read', 'db:write'],
  databaseScope: { type: 'ALL' },
  status: 'ACTIVE',
  expiresAt: '2027-02-19T02:03:04.567Z',
  ipAllowList: [],
  rotatedFrom: null,
  rotationEndsAt: null,
  lastUsedAt: null,
  lastUsedIp: null,
  lastUsedUserAgent: null,
  createdAt: exampleTime,
  createdBy: { type: 'user', id: null, display: 'local administrator' },
  revokedAt: null,
  revokedBy: null,
};
