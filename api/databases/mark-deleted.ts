/** Marks a database as deleted when its resource is gone. The first observer emits the event, and the retention begins. */
import { cancelChanges } from '../configuration/kubernetes-changes.ts';
import type { Job } from '../model/job.ts';
import { pauseChangeStreams } from '../store/change-streams.ts';
import type { Change } from '../store/change.ts';
import type { Database } from '../store/database-record.ts';
import { updateActiveProfile, updateDatabase } from '../store/databases.ts';
import { tell } from './events.ts';

/** `before`: the locked row. Times that a request has set stay; `times` applies to a deletion without a request. */
export async function markDeleted(
  change: Change,
  before: Database,
  times: { readonly deletedAt: Date; readonly purgeAt: Date },
  job?: Job,
): Promise<void> {
  if (before.status === 'DELETED') return;
  const after = await updateDatabase(change, before.id, {
    status: 'DELETED',
    health: 'UNKNOWN',
    statusReason: null,
    observed: null,
    kubernetesUid: null,
    deletedAt: before.deletedAt ?? times.deletedAt,
    purgeAt: before.purgeAt ?? times.purgeAt,
  });
  await updateActiveProfile(change, before.id, { status: 'DELETED' });
  // A restored database pushes nothing until somebody resumes its streams.
  await pauseChangeStreams(change, before.id, 'The database was deleted.');
  await cancelChanges(change, before.id);
  tell(change, 'database.deleted', after, job && { job });
}
