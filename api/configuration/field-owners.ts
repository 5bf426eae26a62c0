/**
 * Owners of a resource's fields. A program that declares a field (server-side apply, or `kubectl apply`) writes it again whenever it
 * runs, so a change over HTTP would not last: it is refused with the program's name. A field that somebody has only edited belongs to
 * nobody; the last writer counts. Pure.
 */
import type { DatabaseObject } from '../../domain/custom-resources.ts';
import { apiName } from '../../domain/names.ts';

/** Fields of the spec behind each property of a configuration, in the words of `managedFields`. */
const specFields: Readonly<Record<string, readonly string[]>> = {
  provider: ['f:provider'],
  region: ['f:region'],
  clusterConfiguration: ['f:topology'],
  clusterSize: ['f:size'],
  storageTier: ['f:storage', 'f:tier'],
  selectedStorageGb: ['f:storage', 'f:sizeGb'],
  engine: ['f:engine'],
  engineVersion: ['f:version'],
  autogrow: ['f:storage', 'f:autogrow'],
  continuousArchiving: ['f:backup', 'f:continuous'],
  changeDataCapture: ['f:changeDataCapture', 'f:suspend'],
  parameters: ['f:parameters'],
  suspended: ['f:suspend'],
  deletionProtection: ['f:deletionProtection'],
};

/** The manager of `kubectl apply` without `--server-side`: it also declares fields, though its writes count as updates. */
const clientSideApply = 'kubectl-client-side-apply';

/** Path of a difference (`/parameters/limitConnections`) in the words of `managedFields`. */
export function fieldsOf(path: string): readonly string[] | undefined {
  const [, member = '', entry] = path.split('/');
  const fields = specFields[member];
  return fields !== undefined && entry !== undefined && member === 'parameters'
    ? [...fields, `f:${entry}`]
    : fields;
}

type ManagedFields = NonNullable<DatabaseObject['metadata']['managedFields']>[number];

/** The manager that declares the field behind a difference; `undefined`: nobody does, or this service itself. */
export function declarerOf({ metadata }: DatabaseObject, path: string): string | undefined {
  const fields = fieldsOf(path);
  if (fields === undefined) return undefined;
  const owner = (metadata.managedFields ?? []).find(
    (one) => isDeclaration(one) && holds(one.fieldsV1, ['f:spec', ...fields]),
  );
  return owner?.manager;
}

/** A manager that declares any part of the spec, and so makes the resource again when it is gone; `undefined`: nobody does. */
export const declarerOfSpec = ({ metadata }: DatabaseObject): string | undefined =>
  (metadata.managedFields ?? []).find(
    (owner) => isDeclaration(owner) && holds(owner.fieldsV1, ['f:spec']),
  )?.manager;

const isDeclaration = ({ manager, operation, subresource }: ManagedFields): boolean =>
  !subresource && manager !== apiName && (operation === 'Apply' || manager === clientSideApply);

export function holds(fields: unknown, path: readonly string[]): boolean {
  let at = fields;
  for (const step of path) {
    if (typeof at !== 'object' || at === null || !(step in at)) return false;
    at = (at as Record<string, unknown>)[step];
  }
  return true;
}
