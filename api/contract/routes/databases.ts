import { z } from 'zod';
import { access } from '../../model/access.ts';
import { answer, jsonBody, type RouteSpec } from '../route.ts';
import { cursor, emptyPage, limit, listOf } from '../schemas/common.ts';
import {
  changedDatabase,
  createDatabaseRequest,
  createdDatabase,
  createdExample,
  database,
  databaseExample,
  databasePlan,
  databaseWithJob,
  deletingExample,
  planExample,
  profileExample,
  readDatabase,
  restoreDatabaseRequest,
  restoringExample,
  updateDatabaseRequest,
} from '../schemas/database.ts';
import { databaseStatuses } from '../../model/database-standing.ts';

const path = '/api/v1/databases';
const one = '/api/v1/databases/{databaseId}';
const tag = 'Databases';
const accepted = ['Location', 'Link', 'Retry-After'];

export const databaseRoutes = {
  createDatabase: {
    method: 'POST',
    path,
    tag,
    summary: 'Create a database',
    description:
      'Answers as soon as it is queued; the job tells how it goes. A choice that is left out becomes the catalog’s default. With `dryRun=true` everything is checked, the name included, and nothing is made; `billing` says whether a request that is no dry run would answer 402.',
    access: access.createDatabase,
    query: z.strictObject({
      dryRun: z.boolean().default(false).describe('Check and resolve only.'),
    }),
    body: jsonBody(createDatabaseRequest, {
      smallest: { name: 'payments-prod' },
      replicated: {
        name: 'payments-prod',
        provider: 'local',
        region: 'local-1',
        clusterConfiguration: 'ha-3',
        clusterSize: 'lh-40',
        storageTier: 'network-ssd',
        selectedStorageGb: 100,
        engine: 'TigerBeetle',
        labels: { team: 'payments' },
        deletionProtection: true,
      },
    }),
    responses: {
      200: answer('The dry run: what would be made.', databasePlan, planExample),
      202: answer('It is queued.', createdDatabase, createdExample, accepted),
    },
    problems: [
      'billing_required',
      'provisioning_not_permitted',
      'quota_exceeded',
      'database_name_taken',
      'catalog_changed',
      'catalog_choice_unavailable',
      'storage_unavailable_for_topology',
      'provisioning_not_supported',
    ],
  },
  listDatabases: {
    method: 'GET',
    path,
    tag,
    summary: 'List databases',
    description: 'A key for one database sees that one only.',
    access: access.listDatabases,
    query: z.strictObject({
      limit,
      cursor,
      sort: z.enum(['createdAt', '-createdAt', 'name']).default('-createdAt'),
      status: z
        .array(z.enum(databaseStatuses))
        .min(1)
        .optional()
        .describe('One or several, with commas.'),
      provider: z.string().max(40).optional(),
      region: z.string().max(40).optional(),
      name: z.string().max(63).optional().describe('Exactly this name.'),
      q: z.string().min(1).max(63).optional().describe('Part of the name.'),
      label: z
        .array(z.string().regex(/^[^=]{1,63}(=.{0,255})?$/))
        .min(1)
        .max(16)
        .optional()
        .describe(
          '`key`, whatever its value, or `key=value`; several with commas, all of which must be there.',
        ),
      includeDeleted: z
        .boolean()
        .default(false)
        .describe(
          'Those that can be restored, too. A `status` of DELETING or DELETED includes them anyway.',
        ),
    }),
    responses: {
      200: answer('A page of databases.', listOf(database).meta({ id: 'DatabaseList' }), {
        data: [databaseExample],
        page: emptyPage,
      }),
    },
    problems: ['invalid_cursor'],
  },
  getDatabase: {
    method: 'GET',
    path: one,
    tag,
    summary: 'Read a database',
    access: access.readDatabase,
    responses: {
      200: answer('The database.', readDatabase, {
        database: databaseExample,
        profile: profileExample,
      }),
    },
    problems: [],
    conditional: 'read',
  },
  updateDatabase: {
    whileSuspended: true,
    method: 'PATCH',
    path: one,
    tag,
    summary: 'Change protection and labels',
    access: access.changeDatabase,
    body: jsonBody(updateDatabaseRequest, { unprotect: { deletionProtection: false } }),
    responses: {
      200: answer('It is changed.', changedDatabase, {
        success: true,
        database: databaseExample,
        profile: profileExample,
      }),
    },
    problems: ['database_not_ready'],
    conditional: 'match',
  },
  deleteDatabase: {
    whileSuspended: true,
    method: 'DELETE',
    path: one,
    tag,
    summary: 'Delete a database',
    description:
      'It ceases to answer at once and its name is free. Its data stay until `purgeAt`, and until then it can be restored. Asked for again while it goes on, the answer is the same; once it is deleted, it is 404.',
    access: access.changeDatabase,
    responses: { 202: answer('It is being deleted.', databaseWithJob, deletingExample, accepted) },
    problems: ['deletion_protected', 'operation_in_progress'],
    conditional: 'match',
  },
  restoreDatabase: {
    method: 'POST',
    path: `${one}/restore`,
    tag,
    summary: 'Restore a deleted database',
    access: access.changeDatabase,
    body: {
      ...jsonBody(restoreDatabaseRequest, { renamed: { name: 'payments-restored' } }),
      optional: true,
    },
    responses: {
      202: answer('It is being restored.', databaseWithJob, restoringExample, accepted),
    },
    problems: [
      'database_name_taken',
      'database_not_deleted',
      'operation_in_progress',
      'database_purged',
      'quota_exceeded',
    ],
  },
} as const satisfies Record<string, RouteSpec>;
