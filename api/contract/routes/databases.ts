import { z } from 'zod';
import { access } from '../../model/access.ts';
import { answer, jsonBody, type RouteSpec } from '../route.ts';
import { cursor, emptyPage, exampleId, limit, listOf } from '../schemas/common.ts';
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
      'Answers as soon as it is queued; the job shows the progress. Omitted choices get the catalog’s defaults. With `dryRun=true` everything is checked, the name included, and nothing is made; `billing` says whether the real request would answer 402. With `mode` `import` it begins with uploaded files: topology and engine are those of the files.',
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
      imported: { name: 'payments-moved', mode: 'import', importId: exampleId('imp') },
    }),
    responses: {
      200: answer('The dry run: the database that would be made.', databasePlan, planExample),
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
      'imports_not_configured',
      'import_not_found',
      'import_not_ready',
      'import_in_use',
      'import_does_not_fit',
    ],
  },
  listDatabases: {
    method: 'GET',
    path,
    tag,
    summary: 'List databases',
    description: 'A key for one database gets only that one.',
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
          '`key` matches any value, `key=value` that value; separate several with commas, all of them must match.',
        ),
      includeDeleted: z
        .boolean()
        .default(false)
        .describe(
          'Include deleted databases that can be restored. A `status` of DELETING or DELETED includes them anyway.',
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
      'The database stops answering at once and its name is free. Its data stay until `purgeAt`, and until then it can be restored. With `finalBackup=true` a backup is made, and the data go once it has succeeded; a new database can begin with it. Of several replicas one that runs is backed up, so end clients of the native protocol before: what they write afterwards is lost. If it cannot be made, the job fails, nothing is lost, and the request without `finalBackup` keeps the data as usual. A repeated request gets the same answer during the deletion, and 404 afterwards.',
    access: access.changeDatabase,
    query: z.strictObject({
      finalBackup: z
        .boolean()
        .default(false)
        .describe('Make a last backup, then delete the data at once.'),
    }),
    responses: { 202: answer('It is being deleted.', databaseWithJob, deletingExample, accepted) },
    problems: [
      'deletion_protected',
      'operation_in_progress',
      'backups_not_configured',
      'backups_not_supported',
      'database_not_ready',
    ],
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
