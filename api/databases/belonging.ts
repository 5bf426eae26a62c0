/** The relation between resources and rows of databases. */
import { isOlder } from '../../base/kube/resource-version.ts';
import type { DatabaseObject } from '../../domain/custom-resources.ts';
import type { Database } from '../store/database-record.ts';

/**
 * Whether a resource belongs to a row: it must have the row's namespace and name and the recorded UID. Its label alone proves
 * nothing, since a client that may write a resource may write any label. A row without a UID waits for the resource that was made
 * for it. If it is deleted, it waits for none, and only a restore brings it back.
 */
export function belongs(database: Database, { metadata }: DatabaseObject): boolean {
  const { kubernetesNamespace, name, kubernetesUid, status } = database;
  if (metadata.namespace !== kubernetesNamespace || metadata.name !== name) return false;
  if (kubernetesUid !== null) return kubernetesUid === metadata.uid;
  return status !== 'DELETED';
}

/** Whether the resource is newer than the row's last observation of it. */
export function isNews(database: Database, object: DatabaseObject): boolean {
  if (!belongs(database, object)) return false;
  const seen = database.observed?.resourceVersion;
  if (seen === undefined || database.kubernetesUid === null) return true;
  return isOlder(seen, object.metadata.resourceVersion ?? '');
}
