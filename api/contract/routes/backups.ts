import { z } from 'zod';
import { access } from '../../model/access.ts';
import { backupStatuses, backupTypes } from '../../model/backup.ts';
import { answer, jsonBody, type RouteSpec } from '../route.ts';
import {
  acceptedBackup,
  backupExample,
  backupList,
  backupListExample,
  changedBackup,
  createBackupRequest,
  heldExample,
  holdBackupRequest,
  holdExample,
  readBackup,
  removingExample,
  requestedExample,
  restoreBackupRequest,
  restoredExample,
  restoreExample,
  restoringDatabase,
  testingExample,
  updateBackupRequest,
} from '../schemas/backup.ts';
import { cursor, limit } from '../schemas/common.ts';

const path = '/api/v1/databases/{databaseId}/backups';
const one = '/api/v1/databases/{databaseId}/backups/{backupId}';
const tag = 'Backups';
const accepted = ['Location', 'Link', 'Retry-After'];

export const backupRoutes = {
  createBackup: {
    method: 'POST',
    path,
    tag,
    summary: 'Back a database up',
    description:
      'Answers as soon as it is queued; the job shows the progress. It is made beside the running database and contains everything that was answered before. One requested backup is made at a time. A database that runs TigerBeetle is read through its protocol: accounts, transfers, timeouts, expiries and every balance are compared and stored; IDs of failed transfers, sessions of clients and the numbers of its operations are not. `op` then counts its accounts and events. With method `FILES`, the data files of all replicas of a suspended database of TigerBeetle are copied as they are, with everything that is in them; it must stay suspended until the job ends.',
    access: access.changeDatabase,
    body: {
      ...jsonBody(createBackupRequest, {
        month: { name: 'before-migration', retentionDays: 30 },
        kept: { name: 'end-of-year', protected: true },
        files: { name: 'cold', method: 'FILES' },
      }),
      optional: true,
    },
    responses: { 202: answer('It is queued.', acceptedBackup, requestedExample, accepted) },
    problems: [
      'backups_not_configured',
      'database_not_ready',
      'operation_in_progress',
      'quota_exceeded',
    ],
  },
  listBackups: {
    method: 'GET',
    path,
    tag,
    summary: 'List a database’s backups',
    description:
      'The newest first, also those of schedules and those that were applied in Kubernetes. The backups of a deleted database are listed, too.',
    access: access.readDatabase,
    query: z.strictObject({
      limit,
      cursor,
      status: z
        .array(z.enum(backupStatuses))
        .min(1)
        .optional()
        .describe('One or several, with commas; all but DELETED and EXPIRED when absent.'),
      type: z.array(z.enum(backupTypes)).min(1).optional().describe('One or several, with commas.'),
    }),
    responses: {
      200: answer('A page of backups.', backupList, backupListExample),
    },
    problems: ['invalid_cursor'],
  },
  getBackup: {
    method: 'GET',
    path: one,
    tag,
    summary: 'Read a backup',
    access: access.readDatabase,
    responses: { 200: answer('The backup.', readBackup, { backup: backupExample }) },
    problems: [],
    conditional: 'read',
  },
  updateBackup: {
    whileSuspended: true,
    method: 'PATCH',
    path: one,
    tag,
    summary: 'Change a backup’s name and protection',
    access: access.changeDatabase,
    body: jsonBody(updateBackupRequest, { unprotect: { protected: false } }),
    responses: {
      200: answer('It is changed.', changedBackup, { success: true, backup: backupExample }),
    },
    problems: ['backup_not_managed', 'operation_in_progress', 'resource_changed'],
  },
  holdBackup: {
    whileSuspended: true,
    method: 'PUT',
    path: `${one}/hold`,
    tag,
    summary: 'Hold a backup',
    description:
      'Until it is released, nothing removes it: no schedule, no `expiresAt`, nobody. Author, time and reason of the hold are in the backup and in the audit log. To replace a hold, release it first.',
    access: access.changeDatabase,
    body: jsonBody(holdBackupRequest, { case: holdExample }),
    responses: {
      200: answer('It is held.', changedBackup, { success: true, backup: heldExample }),
    },
    problems: ['backup_held', 'backup_not_managed', 'operation_in_progress', 'resource_changed'],
  },
  releaseBackup: {
    whileSuspended: true,
    method: 'DELETE',
    path: `${one}/hold`,
    tag,
    summary: 'Release a backup',
    description:
      'Schedule, `expiresAt` and people may remove it again. If nobody holds it, nothing changes.',
    access: access.changeDatabase,
    responses: {
      200: answer('Nobody holds it.', changedBackup, { success: true, backup: backupExample }),
    },
    problems: ['backup_not_managed', 'operation_in_progress', 'resource_changed'],
  },
  deleteBackup: {
    whileSuspended: true,
    method: 'DELETE',
    path: one,
    tag,
    summary: 'Remove a backup',
    description:
      'It cannot be restored any more. Objects that no other backup needs are deleted from the store within two days. A repeated request gets the same answer until the backup is removed.',
    access: access.changeDatabase,
    responses: { 202: answer('It is being removed.', acceptedBackup, removingExample, accepted) },
    problems: ['backup_protected', 'backup_held', 'backup_not_managed', 'operation_in_progress'],
  },
  verifyBackup: {
    method: 'POST',
    path: `${one}/verify`,
    tag,
    summary: 'Test a backup by restoring it',
    description:
      'Every object is fetched and checked, and the rows are loaded as an engine does at its start. Where the log is archived, it is replayed from the backup before, and must lead to the same rows. Data files are compared with their digests. No database is made. `verification` of the backup has the result and the duration. The job fails if the backup is damaged.',
    access: access.changeDatabase,
    responses: { 202: answer('The test is queued.', acceptedBackup, testingExample, accepted) },
    problems: ['backup_not_restorable', 'backup_not_managed', 'backups_not_configured'],
  },
  restoreBackup: {
    method: 'POST',
    path: `${one}/restore`,
    tag,
    summary: 'Make a new database from a backup',
    description:
      'The new database has its own ID, cluster ID, keys and addresses; the one that was backed up stays as it is. All choices that are not given, and the parameters, are those of the database that was backed up. Its engine is the built-in one unless `engine` says otherwise; parameters of another engine are left out. A database of TigerBeetle is filled through its protocol and serves nobody until every row was compared; `warnings` says what does not survive. A backup of data files is restored into TigerBeetle of the same topology, which keeps its cluster ID. Choose a size that is at least as large.',
    access: access.changeDatabase,
    body: jsonBody(restoreBackupRequest, {
      same: { name: 'payments-again' },
      replicated: restoreExample,
    }),
    responses: {
      202: answer('The new database is queued.', restoringDatabase, restoredExample, accepted),
    },
    problems: [
      'billing_required',
      'backup_not_restorable',
      'backups_not_configured',
      'quota_exceeded',
      'database_name_taken',
      'catalog_changed',
      'catalog_choice_unavailable',
      'storage_unavailable_for_topology',
    ],
  },
} as const satisfies Record<string, RouteSpec>;
