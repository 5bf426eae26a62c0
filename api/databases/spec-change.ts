/** A change of a database's spec in Kubernetes: its differences from the row, and its author. Pure. */
import type { DatabaseObject } from '../../domain/custom-resources.ts';
import { operatorName } from '../../domain/names.ts';
import { differencesOf } from '../configuration/differences.ts';
import { fieldsOf, holds } from '../configuration/field-owners.ts';
import type { FieldChange } from '../model/event.ts';
import type { Database, Profile, ProfileChoice } from '../store/database-record.ts';
import { resolvedChoice } from './resolved-choice.ts';

export interface SpecChange {
  readonly deletionProtection: boolean | undefined;
  /** Choice of the new revision. */
  readonly choice: ProfileChoice | undefined;
  readonly changes: readonly FieldChange[];
}

/**
 * Returns the difference, or `undefined` if there is none. A changed price alone is no difference: the agreed price stays until
 * a change affects the costs.
 */
export function specChangeOf(
  database: Database,
  profile: Profile,
  object: DatabaseObject,
): SpecChange | undefined {
  if (database.deletedAt !== null || object.metadata.deletionTimestamp !== undefined) {
    return undefined;
  }
  const resolved = resolvedChoice(object, profile);
  const changes = resolved === undefined ? [] : differencesOf(profile, resolved);
  const choice = changes.length === 0 ? undefined : resolved;
  const { deletionProtection } = object.spec;
  // The API writes its row first, then the resource. In between, the spec is the last observed one.
  const isNewSpec = object.metadata.generation !== database.observed?.generation;
  const protects = isNewSpec && deletionProtection !== database.deletionProtection;
  if (protects) {
    const from = database.deletionProtection;
    changes.push({ path: '/deletionProtection', from, to: deletionProtection });
  }
  if (changes.length === 0) return undefined;
  return { deletionProtection: protects ? deletionProtection : undefined, choice, changes };
}

/**
 * Returns the field manager that last wrote one of the changed fields: `kubectl-edit`, `argocd-controller`, …; the operator
 * for storage that grew by itself.
 */
export function managerOf(object: DatabaseObject, changes: readonly FieldChange[]): string {
  if (changes.every((change) => isGrowth(object, change))) return operatorName;
  const wanted = changes.flatMap(({ path }) => {
    const fields = fieldsOf(path);
    return fields === undefined ? [] : [fields];
  });
  const writers = (object.metadata.managedFields ?? [])
    .filter(({ subresource, fieldsV1 }) => !subresource && holds(fieldsV1, ['f:spec']))
    .sort((a, b) => Date.parse(String(b.time ?? 0)) - Date.parse(String(a.time ?? 0)));
  const owner = writers.find(({ fieldsV1 }) =>
    wanted.some((path) => holds(fieldsV1, ['f:spec', ...path])),
  );
  return (owner ?? writers[0])?.manager ?? 'unknown';
}

/** Whether the operator changed the size of the storage by itself (`spec.storage.autogrow`). */
const isGrowth = ({ spec, status }: DatabaseObject, { path, to }: FieldChange): boolean =>
  path === '/selectedStorageGb' &&
  spec.storage?.autogrow !== undefined &&
  status?.autogrow?.sizeGb === to &&
  spec.storage.sizeGb !== to;
