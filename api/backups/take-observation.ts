/** Writes what a resource shows into the row of its backup, and tells what has changed: for the watch, and for requests that changed it. */
import { isOlder } from '../../base/kube/resource-version.ts';
import type { OneBackupObject } from '../../domain/custom-resources.ts';
import { systemAuthor } from '../model/actor.ts';
import type { Backup, BackupHold, BackupStatus } from '../model/backup.ts';
import { canonicalJson } from '../model/canonical-json.ts';
import type { FieldChange } from '../model/event.ts';
import { updateBackup } from '../store/backups.ts';
import type { Change } from '../store/change.ts';
import { findAnyDatabase } from '../store/databases.ts';
import { tellBackup, type BackupEvent } from './backup-events.ts';
import { observe } from './observe.ts';

/** Author of changes that nobody requested over HTTP. */
export const watchAuthor = systemAuthor('watch');

/** Writes an observation, once, whoever has it first. Returns `undefined` if it is not new. */
export async function takeObservation(
  change: Change,
  before: Backup,
  object: OneBackupObject,
): Promise<Backup | undefined> {
  const { resourceVersion = '' } = object.metadata;
  const seen = before.resourceVersion;
  if (before.removedAt !== null || before.resourceGone) return undefined;
  if (seen !== null && !isOlder(seen, resourceVersion)) return undefined;
  // The resource may have a name that another database has since taken.
  const databaseId = object.status?.databaseId;
  if (databaseId !== undefined && databaseId !== before.databaseId) return undefined;
  const patch = observe(object);
  // A removal that was requested over HTTP and has not reached the resource yet.
  const status = before.status === 'DELETING' ? 'DELETING' : (patch.status ?? before.status);
  const after = await updateBackup(change, before.id, { ...patch, status });
  await tellChange(change, before, after);
  return after;
}

const events = {
  SUCCEEDED: 'backup.succeeded',
  FAILED: 'backup.failed',
  DELETED: 'backup.deleted',
  EXPIRED: 'backup.expired',
} as const;

export async function tellChange(change: Change, before: Backup, after: Backup): Promise<void> {
  const types: BackupEvent[] = [];
  const { status } = after;
  if (before.status !== status && isTold(status) && !isHistory(before, after)) {
    types.push(events[status]);
  }
  // Also one that was set, replaced or taken away in Kubernetes, or over HTTP by a process that died before it told of it.
  const changes = holdChange(before.hold, after.hold);
  if (changes.length > 0 && before.hold !== null) types.push('backup.released');
  if (changes.length > 0 && after.hold !== null) types.push('backup.held');
  const isDamaged = ({ verification }: Backup) => verification?.status === 'FAILED';
  if (!isDamaged(before) && isDamaged(after)) types.push('backup.damaged');
  const lacksLog = ({ facts }: Backup) => facts?.notArchived !== undefined;
  if (!lacksLog(before) && lacksLog(after) && !isHistory(before, after))
    types.push('backup.log_incomplete');
  const database =
    types.length === 0 ? undefined : await findAnyDatabase(change.db, after.databaseId);
  if (database === undefined) return;
  for (const type of types) tellBackup(change, type, database, after, { changes });
}

const isTold = (status: BackupStatus): status is keyof typeof events =>
  Object.hasOwn(events, status);

/**
 * Whether the backup is seen for the first time and ended long ago: a new installation finds many, and nobody waits for them.
 */
const isHistory = ({ resourceVersion }: Backup, { completedAt, updatedAt }: Backup): boolean =>
  resourceVersion === null &&
  completedAt !== null &&
  updatedAt.getTime() - completedAt.getTime() > 3_600_000;

const holdChange = (from: BackupHold | null, to: BackupHold | null): readonly FieldChange[] =>
  canonicalJson(from) === canonicalJson(to) ? [] : [{ path: '/hold', from, to }];
