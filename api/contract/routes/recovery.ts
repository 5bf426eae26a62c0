import { access } from '../../model/access.ts';
import { answer, jsonBody, type RouteSpec } from '../route.ts';
import { restoredExample, restoringDatabase } from '../schemas/backup.ts';
import {
  previewedRestore,
  previewRestoreRequest,
  readRecoveryWindow,
  recoveryWindowExample,
  restorePreviewExample,
  restoreToMomentExample,
  restoreToMomentRequest,
} from '../schemas/recovery.ts';

const path = '/api/v1/databases/{databaseId}/recovery-window';
const tag = 'Backups';
const accepted = ['Location', 'Link', 'Retry-After'];
const examples = {
  time: { targetTime: '2026-11-22T18:41:40.5Z' },
  timestamp: { targetTimestamp: '1795372900500000000' },
  operation: { targetOp: 128_000 },
};

export const recoveryRoutes = {
  getRecoveryWindow: {
    method: 'GET',
    path,
    tag,
    summary: 'Read which moments can be restored',
    description:
      'The operations to which the archived log can restore the database: all from the earliest to the latest one, except the gaps. Deleted databases have them, too.',
    access: access.readDatabase,
    responses: {
      200: answer('The window.', readRecoveryWindow, { recoveryWindow: recoveryWindowExample }),
    },
    problems: [],
  },
  previewRestore: {
    makesNothing: true,
    whileSuspended: true,
    method: 'POST',
    path: `${path}/preview`,
    tag,
    summary: 'Preview a restore to a moment',
    description:
      'The backup with which the restore begins, the part of the log that is replayed, and the parts that the new database will lack; by the same rules as the restore. Nothing is made. A moment that cannot be restored is refused with the nearest ones.',
    access: access.readDatabase,
    body: jsonBody(previewRestoreRequest, examples),
    responses: {
      200: answer('What would be restored.', previewedRestore, { preview: restorePreviewExample }),
    },
    problems: ['moment_unavailable', 'backups_not_configured'],
  },
  restoreToMoment: {
    method: 'POST',
    path: `${path}/restore`,
    tag,
    summary: 'Make a new database from another one’s state at a moment',
    description:
      'The new database has every operation up to the moment, whole, and none after it. It has its own ID, cluster ID, keys and addresses; the other one stays as it is. All choices that are not given are those of the other database, but for the engine (see `engine`). Choose a size that is at least as large.',
    access: access.changeDatabase,
    body: jsonBody(restoreToMomentRequest, {
      time: restoreToMomentExample,
      operation: { name: 'payments-again', targetOp: 128_000 },
    }),
    responses: {
      202: answer('The new database is queued.', restoringDatabase, restoredExample, accepted),
    },
    problems: [
      'billing_required',
      'moment_unavailable',
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
