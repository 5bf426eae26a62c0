/** Which resource counts for which row. */
import { isOlder } from '../../base/kube/resource-version.ts';
import type { DatabaseObject } from '../../domain/custom-objects.ts';
import type { Database } from '../store/database-record.ts';

/**
 * A resource counts for a row only in its organization's namespace, under its name and with its recorded uid; its label alone
 * says nothing, since whoever may write a resource may write any label. A row without a uid waits for the resource that was
 * made for it, unless it is deleted: it waits for nothing then, and only a restore brings it back.
 */
export function belongs(database: Database, { metadata }: DatabaseObject): boolean {
  const { kubernetesNamespace, name, kubernetesUid, status } = database;
  if (metadata.namespace !== kubernetesNamespace || metadata.name !== name) return false;
  if (kubernetesUid !== null) return kubernetesUid === metadata.uid;
  return status !== 'DELETED';
}

/** Whether the resource is of a later moment than what the row has from it. */
export function isNews(database: Database, object: DatabaseObject): boolean {
  if (!belongs(database, object)) return false;
  const seen = database.observed?.resourceVersion;
  if (seen === undefined || database.kubernetesUid === null) return true;
  return isOlder(seen, object.metadata.resourceVersion ?? '');
}
