import { z } from 'zod';
import { access, permissions } from '../../model/access.ts';
import { apiKeyStatuses } from '../../model/api-key-status.ts';
import { answer, empty, jsonBody, type RouteSpec } from '../route.ts';
import {
  apiKey,
  apiKeyExample,
  apiKeyWithSecret,
  changedApiKey,
  createApiKeyRequest,
  readApiKey,
  renewApiKeyRequest,
  rotateApiKeyRequest,
  updateApiKeyRequest,
} from '../schemas/api-key.ts';
import { cursor, emptyPage, id, limit, listOf, text } from '../schemas/common.ts';

const path = '/api/v1/api-keys';
const tag = 'API keys';
const withSecret = {
  success: true,
  apiKey: apiKeyExample,
  secret: 'lhk_4Zk9QmT2bXe7_0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV1wX2y',
} as const;
// No cache may keep a secret, and no proxy may compress it: the compressed length would reveal something about it.
const secretCache = 'no-store, no-transform';

export const apiKeyRoutes = {
  createApiKey: {
    method: 'POST',
    path,
    tag,
    summary: 'Create an API key',
    access: access.keys,
    body: jsonBody(createApiKeyRequest, {
      everything: { name: 'ci', permissions: ['db:read', 'db:write'] },
      oneDatabase: {
        name: 'reports',
        permissions: ['db:read'],
        databaseScope: { type: 'DATABASE', databaseId: 'db_01jd8f3zk5e0v9t3m2q6r8w4x0' },
        expiresAt: null,
      },
    }),
    responses: {
      201: answer('The key, with its secret.', apiKeyWithSecret, withSecret, ['Location']),
    },
    problems: ['database_not_found', 'quota_exceeded'],
    cache: secretCache,
  },
  listApiKeys: {
    method: 'GET',
    path,
    tag,
    summary: 'List API keys',
    description: 'The newest first.',
    access: access.keys,
    query: z.strictObject({
      limit,
      cursor,
      q: text(100, 'Part of the name; the case of letters does not matter.').optional(),
      status: z
        .array(z.enum(apiKeyStatuses))
        .min(1)
        .optional()
        .describe('One or several, with commas.'),
      permission: z.enum(permissions).optional().describe('Keys that have this permission.'),
      databaseId: id(
        'db',
        'Keys for this database alone; those for all databases are left out.',
      ).optional(),
      createdBy: id('usr', 'Keys that this person made.').optional(),
      expiresWithinDays: z
        .int()
        .min(1)
        .max(3_650)
        .optional()
        .describe('Active keys that expire within so many days.'),
    }),
    responses: {
      200: answer('A page of keys.', listOf(apiKey).meta({ id: 'ApiKeyList' }), {
        data: [apiKeyExample],
        page: emptyPage,
      }),
    },
    problems: ['invalid_cursor'],
  },
  getApiKey: {
    method: 'GET',
    path: `${path}/{keyId}`,
    tag,
    summary: 'Read an API key',
    access: access.keys,
    responses: { 200: answer('The key.', readApiKey, { apiKey: apiKeyExample }) },
    problems: [],
    conditional: 'settings',
  },
  updateApiKey: {
    method: 'PATCH',
    path: `${path}/{keyId}`,
    tag,
    summary: 'Change the name or the address list of an API key',
    description:
      'Absent fields stay. The address list counts within five seconds. The key must still work; one that is being replaced does.',
    access: access.keys,
    body: jsonBody(updateApiKeyRequest, {
      name: { name: 'nightly export' },
      addresses: { ipAllowList: ['192.0.2.10', '2001:db8::/32'] },
      fromAnywhere: { ipAllowList: [] },
    }),
    responses: {
      200: answer('The changed key.', changedApiKey, { success: true, apiKey: apiKeyExample }),
    },
    problems: ['api_key_not_active'],
    conditional: 'match',
  },
  rotateApiKey: {
    method: 'POST',
    path: `${path}/{keyId}/rotate`,
    tag,
    summary: 'Replace an API key with a new one',
    description:
      'The answer is the new key: same name, permissions and scope, another ID and secret. The old key works until the grace period ends.',
    access: access.keys,
    body: {
      ...jsonBody(rotateApiKeyRequest, { atOnce: { gracePeriodSeconds: 0 } }),
      optional: true,
    },
    responses: {
      201: answer('The new key, with its secret.', apiKeyWithSecret, withSecret, ['Location']),
    },
    problems: ['api_key_not_active'],
    cache: secretCache,
  },
  renewApiKey: {
    method: 'POST',
    path: `${path}/{keyId}/renew`,
    tag,
    summary: 'Change the expiry of an API key',
    description:
      'The secret stays; rotate the key for a new one. An expired key cannot be renewed. A week and a day before the expiry, the event `api_key.expiring` is sent, and a mail to the maker.',
    access: access.keys,
    body: {
      ...jsonBody(renewApiKeyRequest, {
        inNinetyDays: {},
        never: { expiresAt: null },
      }),
      optional: true,
    },
    responses: {
      200: answer('The renewed key.', changedApiKey, { success: true, apiKey: apiKeyExample }),
    },
    problems: ['api_key_not_active'],
  },
  revokeApiKey: {
    endsAccess: true,
    method: 'DELETE',
    path: `${path}/{keyId}`,
    tag,
    summary: 'Revoke an API key',
    description: 'It stops working within five seconds.',
    access: access.keys,
    responses: { 204: empty('It is revoked.') },
    problems: [],
  },
} as const satisfies Record<string, RouteSpec>;
