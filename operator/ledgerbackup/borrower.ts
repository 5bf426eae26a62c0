/** The owner of a Job with a backup: its database or, when that is gone, a substitute for it. */
import type { V1OwnerReference } from '@kubernetes/client-node';
import { resolve } from '../../domain/catalog/resolve.ts';
import { catalogAt } from '../../domain/catalog/versions.ts';
import { apiVersion, type DatabaseObject } from '../../domain/custom-resources.ts';
import { catalogName, uidOf } from '../../domain/names.ts';
import { isComplete } from '../ledgerdatabase/steps/resolve.ts';
import type { PlanOptions } from '../ledgerdatabase/subject-of.ts';
import { ownerOf } from '../manifests/metadata.ts';
import type { Subject } from '../manifests/subject.ts';
import type { BackupEnvironment, BackupObject } from './environment.ts';

export interface Borrower {
  readonly subject: Subject;
  /** The lent credentials are deleted with this object. */
  readonly owner: V1OwnerReference;
}

/** The backup as the owner of its Jobs, and of what is lent to them. */
export const backupOwner = ({ metadata }: BackupObject): V1OwnerReference => ({
  apiVersion,
  kind: 'LedgerBackup',
  name: metadata.name,
  uid: uidOf({ metadata }),
  controller: true,
});

/** Returns the owner for a Job with an existing backup, or the reason why there can be none. */
export function borrowerOf(
  { databases, catalogs, options, nowMs }: BackupEnvironment,
  backup: BackupObject,
): Borrower | { readonly problem: string } {
  const { namespace } = backup.metadata;
  const catalog = catalogs.get(undefined, catalogName);
  if (catalog === undefined) return { problem: `there is no LedgerCatalog named ${catalogName}` };
  // Resolved like a new database that is restored: the newest engine reads the files of older ones.
  const resolution = resolve(catalogAt(catalog.spec, nowMs()), { engine: 'Builtin' });
  if (!resolution.ok)
    return { problem: resolution.problems.map(({ message }) => message).join('; ') };
  const { engine } = resolution.resolved;
  const database = databases.get(namespace, backup.spec.database);
  const living = database === undefined ? undefined : livingSubject(database, options);
  if (living !== undefined && living.databaseId === backup.status?.databaseId) {
    const subject = { ...living, resolved: { ...living.resolved, engine } };
    return { subject, owner: ownerOf(living) };
  }
  const uid = uidOf(backup);
  const subject = {
    name: backup.spec.database,
    namespace: namespace ?? '',
    uid,
    databaseId: backup.status?.databaseId ?? '',
    workload: `${backup.spec.database}-${uid.slice(0, 6)}`,
    clusterId: backup.status?.clusterId ?? '0',
    resolved: resolution.resolved,
    storageGb: 0,
    accessNamespaces: [],
    suspend: false,
    endpoints: [],
    ...options,
  };
  return { subject, owner: backupOwner(backup) };
}

/** The parts of a database's objects that its status already has. */
export function livingSubject(
  { metadata, spec, status = {} }: DatabaseObject,
  options: PlanOptions,
): Subject | undefined {
  const { databaseId, workload, clusterId, resolved, endpoints, peerCertificates } = status;
  if (databaseId === undefined || workload === undefined || clusterId === undefined)
    return undefined;
  if (!isComplete(resolved)) return undefined;
  return {
    name: metadata.name,
    namespace: metadata.namespace ?? '',
    uid: metadata.uid ?? '',
    databaseId,
    workload,
    clusterId,
    resolved,
    storageGb: status.storage?.requestedGb ?? 0,
    accessNamespaces: [],
    suspend: spec.suspend,
    endpoints: endpoints ?? [],
    ...(peerCertificates?.generations !== undefined && {
      peerCertificates: peerCertificates.generations,
    }),
    ...options,
  };
}
