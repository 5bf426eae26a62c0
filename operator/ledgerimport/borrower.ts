/** Stand-in for a database in the Job of a trial, which has none yet. */
import type { V1OwnerReference } from '@kubernetes/client-node';
import { resolve } from '../../domain/catalog/resolve.ts';
import { catalogAt } from '../../domain/catalog/versions.ts';
import { apiVersion, type ImportObject } from '../../domain/custom-resources.ts';
import { catalogName, uidOf } from '../../domain/names.ts';
import type { Subject } from '../manifests/subject.ts';
import type { ImportEnvironment } from './environment.ts';

/** The lent credentials and the Job are deleted with the trial. */
export const importOwner = ({ metadata }: ImportObject): V1OwnerReference => ({
  apiVersion,
  kind: 'LedgerImport',
  name: metadata.name,
  uid: uidOf({ metadata }),
  controller: true,
});

export function trialSubject(
  { catalogs, options, nowMs }: ImportEnvironment,
  object: ImportObject,
): Subject | { readonly problem: string } {
  const catalog = catalogs.get(undefined, catalogName);
  if (catalog === undefined) return { problem: `there is no LedgerCatalog named ${catalogName}` };
  // Resolved like a new database: it will begin with these rows.
  const resolution = resolve(catalogAt(catalog.spec, nowMs()), { engine: 'Builtin' });
  if (!resolution.ok)
    return { problem: resolution.problems.map(({ message }) => message).join('; ') };
  const { namespace = '', name } = object.metadata;
  const uid = uidOf(object);
  const { namespaced: _, ...own } = options;
  return {
    name,
    namespace,
    uid,
    databaseId: '',
    workload: `${name}-${uid.slice(0, 6)}`,
    clusterId: '0',
    resolved: resolution.resolved,
    storageGb: 0,
    accessNamespaces: [],
    suspend: false,
    endpoints: [],
    ...own,
  };
}
