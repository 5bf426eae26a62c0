import { access } from '../../model/access.ts';
import { answer, jsonBody, type RouteSpec } from '../route.ts';
import {
  acceptedInPlaceRestore,
  acceptedInPlaceRestoreExample,
  inPlaceRestorePreview,
  inPlaceRestorePreviewExample,
  inPlaceRestoreRequest,
  previewInPlaceRestoreRequest,
} from '../schemas/in-place-restore.ts';

const path = '/api/v1/databases/{databaseId}/restore-in-place';
const tag = 'Backups';
const refusals = [
  'database_not_ready',
  'field_managed_elsewhere',
  'catalog_choice_unavailable',
  'moment_unavailable',
  'backup_not_found',
  'backup_not_restorable',
  'backups_not_configured',
] as const;

export const inPlaceRestoreRoutes = {
  previewInPlaceRestore: {
    makesNothing: true,
    whileSuspended: true,
    method: 'POST',
    path: `${path}/preview`,
    tag,
    summary: 'Preview a restore in place',
    description:
      'What the database will not have any more, and what follows from that, by the same rules as the restore. Nothing is changed. An engine version that cannot be restored in place is refused (`engine_version_unsupported` in `errors`, with the versions to upgrade to in `meta.allowed`), and so is a service whose operator is of an earlier release (`operator_unsupported`). A database that does not serve (`database_not_ready`) can be restored into a new one only.',
    access: access.readDatabase,
    body: jsonBody(previewInPlaceRestoreRequest, {
      time: { targetTime: '2026-11-22T18:41:40.5Z' },
      operation: { targetOp: 130_101 },
    }),
    responses: {
      200: answer('What would change.', inPlaceRestorePreview, inPlaceRestorePreviewExample),
    },
    problems: refusals,
  },
  restoreInPlace: {
    method: 'POST',
    path,
    tag,
    summary: 'Set a database back to an earlier state',
    description:
      'For owners. The database keeps its ID, name, cluster ID, keys, addresses over HTTP and schedules, and has no operation after the moment any more. While it serves, a backup (`PRE_CHANGE`) is made and tested; then the replicas stop, a last backup (`FINAL`) takes everything that was ever answered, and new replicas begin with the earlier state. To undo it, restore that last backup in place. If anything fails before the new replicas run, the database comes back as it was. Change streams are suspended. An engine version that cannot do it is refused, as in the preview. To keep both states, restore into a new database instead.',
    access: access.restoreInPlace,
    body: jsonBody(inPlaceRestoreRequest, {
      time: { targetTime: '2026-11-22T18:41:40.5Z', confirmName: 'payments-prod' },
      operation: { targetOp: 130_101, confirmName: 'payments-prod' },
    }),
    responses: {
      202: answer('It is accepted.', acceptedInPlaceRestore, acceptedInPlaceRestoreExample, [
        'Location',
        'Link',
        'Retry-After',
      ]),
    },
    problems: [...refusals, 'operation_in_progress'],
  },
} as const satisfies Record<string, RouteSpec>;
