import { z } from 'zod';
import { access } from '../../model/access.ts';
import { changeStatuses } from '../../model/configuration-change.ts';
import { answer, jsonBody, type RouteSpec } from '../route.ts';
import {
  acceptedChange,
  acceptedExample,
  begunChange,
  change,
  changeExample,
  changePreview,
  changeRequest,
  previewChangeRequest,
  previewExample,
  queuedExample,
  readChange,
  resumingExample,
  suspendingExample,
  withdrawnChange,
} from '../schemas/change.ts';
import { cursor, emptyPage, limit, listOf } from '../schemas/common.ts';

const database = '/api/v1/databases/{databaseId}';
const path = `${database}/changes` as const;
const tag = 'Configuration';
const accepted = ['Location', 'Link', 'Retry-After'];

const refusals = [
  'database_not_ready',
  'field_managed_elsewhere',
  'catalog_choice_unavailable',
  'storage_cannot_shrink',
  'nothing_to_change',
  'backups_not_configured',
] as const;
const guards = ['billing_required', 'quota_exceeded', 'operation_in_progress'] as const;

export const changeRoutes = {
  previewChange: {
    makesNothing: true,
    whileSuspended: true,
    method: 'POST',
    path: `${path}/preview`,
    tag,
    summary: 'Preview a change',
    description:
      'Difference, impact and price of a change, by the same rules as when it is applied. Nothing is changed.',
    access: access.changeDatabase,
    body: jsonBody(previewChangeRequest, {
      size: { clusterSize: 'lh-10' },
      parameter: { parameters: { limitConnections: '512' } },
      archiving: { continuousArchiving: { rpoSeconds: 5 } },
      streams: { changeDataCapture: { suspended: true } },
    }),
    responses: { 200: answer('What would change.', changePreview, previewExample) },
    problems: refusals,
  },
  createChange: {
    method: 'POST',
    path,
    tag,
    summary: 'Change a database',
    description:
      'One change is applied at a time, one waits, and further requests join the one that waits. The job shows the progress. To take a change back, ask for an earlier `revision`.',
    access: access.changeDatabase,
    body: jsonBody(changeRequest, {
      size: { clusterSize: 'lh-10' },
      storage: { selectedStorageGb: 40, autogrow: { limitGb: 100 } },
      upgradeLater: { engineVersion: '0.2.0', applyAt: '2026-11-22T03:00:00Z' },
      upgradeInWindow: { engineVersion: '0.2.0', applyAt: 'maintenance_window' },
      back: { revision: 1 },
    }),
    responses: { 202: answer('It is accepted.', acceptedChange, acceptedExample, accepted) },
    problems: [...refusals, ...guards],
    conditional: 'match',
  },
  listChanges: {
    method: 'GET',
    path,
    tag,
    summary: 'List a database’s changes',
    description: 'The newest first, also those that were made in Kubernetes.',
    access: access.readDatabase,
    query: z.strictObject({
      limit,
      cursor,
      status: z
        .array(z.enum(changeStatuses))
        .min(1)
        .optional()
        .describe('One or several, with commas.'),
    }),
    responses: {
      200: answer('A page of changes.', listOf(change).meta({ id: 'ChangeList' }), {
        data: [queuedExample, changeExample],
        page: emptyPage,
      }),
    },
    problems: ['invalid_cursor'],
  },
  getChange: {
    method: 'GET',
    path: `${path}/{changeId}`,
    tag,
    summary: 'Read a change',
    access: access.readDatabase,
    responses: { 200: answer('The change.', readChange, { change: changeExample }) },
    problems: [],
    conditional: 'read',
  },
  suspendDatabase: {
    whileSuspended: true,
    method: 'POST',
    path: `${database}/suspend`,
    tag,
    summary: 'Stop a database',
    description:
      'A change like any other: all replicas stop, and nobody can use the database until it is resumed. Data, addresses, name and keys stay. Only its storage is charged while it is stopped; `previewChange` with `suspended` has the price.',
    access: access.changeDatabase,
    responses: {
      202: answer('It is accepted.', acceptedChange, suspendingExample, accepted),
    },
    problems: [...refusals, ...guards],
    conditional: 'match',
  },
  resumeDatabase: {
    method: 'POST',
    path: `${database}/resume`,
    tag,
    summary: 'Start a stopped database',
    description:
      'It goes on with its data, at the same addresses. A database that was stopped because payment is missing starts only after payment.',
    access: access.changeDatabase,
    responses: {
      202: answer('It is accepted.', acceptedChange, resumingExample, accepted),
    },
    problems: [...refusals, ...guards],
    conditional: 'match',
  },
  beginChange: {
    method: 'POST',
    path: `${path}/{changeId}/begin`,
    tag,
    summary: 'Begin a change that waits',
    description:
      'It no longer waits for its time or its maintenance window, and begins within seconds once nothing else is applied. If it has begun already, nothing happens.',
    access: access.changeDatabase,
    responses: {
      202: answer('It no longer waits for a time.', begunChange, {
        success: true,
        change: { ...queuedExample, applyAt: 'now', inMaintenanceWindow: false },
      }),
    },
    problems: ['change_not_queued'],
  },
  withdrawChange: {
    whileSuspended: true,
    method: 'DELETE',
    path: `${path}/{changeId}`,
    tag,
    summary: 'Withdraw a change that waits',
    description: 'Asked for again, the answer is the same.',
    access: access.changeDatabase,
    responses: {
      200: answer('It is withdrawn.', withdrawnChange, {
        success: true,
        change: { ...queuedExample, status: 'CANCELED', finishedAt: queuedExample.createdAt },
      }),
    },
    problems: ['change_not_queued'],
  },
} as const satisfies Record<string, RouteSpec>;
