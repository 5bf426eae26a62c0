/** Updates labels and deletion protection. Protection is also set on the resource, so that kubectl cannot delete it either. */
import { aboutDatabase, databaseFact } from './events.ts';
import { requireActive } from '../auth/suspension.ts';
import { labelsAfter } from '../configuration/labels.ts';
import type { DatabaseWriter } from '../kubernetes/database-writer.ts';
import { canonicalJson } from '../model/canonical-json.ts';
import type { FieldChange } from '../model/event.ts';
import type { Database, DatabaseView } from '../store/database-record.ts';
import { lockDatabase, updateDatabase } from '../store/databases.ts';
import { findActiveJob } from '../store/jobs.ts';
import type { Caller, DatabaseServices } from './database-service.ts';
import { profileOf } from './delete.ts';
import { changedMeanwhile, databaseNotFound, deletedAlready } from './refusal.ts';
import { requireDatabase } from './require.ts';

interface UpdateRequest {
  readonly deletionProtection?: boolean | undefined;
  /** JSON Merge Patch (RFC 7396): null removes a label, or all of them. */
  readonly labels?: Readonly<Record<string, string | null>> | null | undefined;
}

export async function changeDatabase(
  { store }: DatabaseServices,
  writer: DatabaseWriter,
  { organization, author }: Caller,
  id: string,
  request: UpdateRequest,
  ifVersion: number | undefined,
): Promise<DatabaseView> {
  await requireDatabase(store.read, organization.id, id);
  // Removing the protection is part of deleting, which a suspended organization may always do.
  const onlyUnprotects = request.deletionProtection === false && request.labels === undefined;
  if (!onlyUnprotects) requireActive(organization);
  const result = await store.change(author, async (change) => {
    const before = await lockDatabase(change, id);
    if (before === undefined) throw databaseNotFound(id);
    if (before.deletedAt !== null) throw deletedAlready(before);
    if (ifVersion !== undefined && before.version !== ifVersion) throw changedMeanwhile();
    const { deletionProtection } = request;
    const labels = labelsAfter(before.labels, request.labels);
    const changes = changesOf(before, { deletionProtection, labels });
    const profile = await profileOf(change, id);
    const activeJobId = (await findActiveJob(change.db, id))?.id ?? null;
    if (changes.length === 0) return { database: before, profile, activeJobId };
    const database = await updateDatabase(change, id, {
      ...(deletionProtection !== undefined && { deletionProtection }),
      ...(labels !== undefined && { labels }),
    });
    change.emit({
      ...aboutDatabase(database),
      type: 'database.changed',
      data: { database: databaseFact(database) },
      changes,
    });
    return { database, profile, activeJobId };
  });
  const protects = request.deletionProtection !== undefined;
  if (protects) await protectResource(writer, result.database);
  return result;
}

/** Writes the protection to the resource, even if it has not changed: a repeated request repairs an earlier failure. */
async function protectResource(writer: DatabaseWriter, database: Database): Promise<void> {
  const { kubernetesUid, kubernetesNamespace: namespace, name, id, deletionProtection } = database;
  if (kubernetesUid === null) return;
  await writer.change({ namespace, name, databaseId: id }, kubernetesUid, { deletionProtection });
}

function changesOf(
  before: Database,
  {
    deletionProtection,
    labels,
  }: {
    readonly deletionProtection: boolean | undefined;
    readonly labels: Database['labels'] | undefined;
  },
): readonly FieldChange[] {
  const changes: FieldChange[] = [];
  if (deletionProtection !== undefined && deletionProtection !== before.deletionProtection) {
    changes.push({
      path: '/deletionProtection',
      from: before.deletionProtection,
      to: deletionProtection,
    });
  }
  if (labels !== undefined && canonicalJson(labels) !== canonicalJson(before.labels)) {
    changes.push({ path: '/labels', from: before.labels, to: labels });
  }
  return changes;
}
