/** The owner of a Job with a backup: its database or, when that is gone, a substitute for it. */
import type { V1OwnerReference } from '@kubernetes/client-node';
import { catalogAt } from '../../domain/catalog/versions.ts';
import { apiVersion, type DatabaseObject } from '../../domain/custom-resources.ts';
import { catalogName, uidOf } from '../../domain/names.ts';
import { isComplete } from '../ledgerdatabase/steps/resolve.ts';
import type { PlanOptions } from '../ledgerdatabase/subject-of.ts';
import { newestBuiltinOf } from '../engines/newest-builtin.ts';
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
  environment: BackupEnvironment,
  backup: BackupObject,
): Borrower | { readonly problem: string } {
  const { databases, options } = environment;
  const { namespace } = backup.metadata;
  const resolution = newestBuiltin(environment);
  if ('problem' in resolution) return resolution;
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

export function newestBuiltin({
  catalogs,
  nowMs,
}: Pick<BackupEnvironment, 'catalogs' | 'nowMs'>):
  | { readonly resolved: Subject['resolved'] }
  | { readonly problem: string } {
  const catalog = catalogs.get(undefined, catalogName);
  if (catalog === undefined) return { problem: `there is no LedgerCatalog named ${catalogName}` };
  return newestBuiltinOf(catalogAt(catalog.spec, nowMs()));
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
