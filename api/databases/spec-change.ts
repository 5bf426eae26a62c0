/** A change of a database's spec in Kubernetes: its differences from the row, and its author. Pure. */
import type { DatabaseObject } from '../../domain/custom-objects.ts';
import { operatorName } from '../../domain/names.ts';
import { canonicalJson } from '../model/canonical-json.ts';
import type { FieldChange } from '../model/event.ts';
import type { Database, Profile, ProfileChoice } from '../store/database-record.ts';
import { resolvedChoice } from './resolved-choice.ts';

export interface SpecChange {
  readonly deletionProtection: boolean | undefined;
  /** Choice of the new revision. */
  readonly choice: ProfileChoice | undefined;
  readonly changes: readonly FieldChange[];
}

/** Fields of the spec behind each member of a profile, in the words of `managedFields`. */
const specFields = {
  provider: ['f:provider'],
  region: ['f:region'],
  clusterConfiguration: ['f:topology'],
  clusterSize: ['f:size'],
  storageTier: ['f:storage', 'f:tier'],
  selectedStorageGb: ['f:storage', 'f:sizeGb'],
  engine: ['f:engine'],
  engineVersion: ['f:version'],
  parameters: ['f:parameters'],
} as const satisfies Partial<Record<keyof ProfileChoice, readonly string[]>>;
const members = Object.keys(specFields) as (keyof typeof specFields)[];

/**
 * Returns the difference, or `undefined` if there is none. A changed price alone is no difference: the agreed price stays until
 * something that costs money changes.
 */
export function specChangeOf(
  database: Database,
  profile: Profile,
  object: DatabaseObject,
): SpecChange | undefined {
  if (database.deletedAt !== null || object.metadata.deletionTimestamp !== undefined) {
    return undefined;
  }
  const resolved = resolvedChoice(object);
  const changes: FieldChange[] = [];
  for (const member of resolved === undefined ? [] : members) {
    const [from, to] = [profile[member], resolved?.[member]];
    if (canonicalJson(from) !== canonicalJson(to)) changes.push({ path: `/${member}`, from, to });
  }
  const choice = changes.length === 0 ? undefined : resolved;
  const { deletionProtection } = object.spec;
  // The API writes first its row, then the resource. In between, the spec is the one that was last observed.
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
  const wanted = changes.map(({ path }) => {
    const member = path.slice(1);
    return member in specFields
      ? specFields[member as keyof typeof specFields]
      : (['f:deletionProtection'] as const);
  });
  const writers = (object.metadata.managedFields ?? [])
    .filter(({ subresource, fieldsV1 }) => !subresource && has(fieldsV1, ['f:spec']))
    .sort((a, b) => Date.parse(String(b.time ?? 0)) - Date.parse(String(a.time ?? 0)));
  const owner = writers.find(({ fieldsV1 }) =>
    wanted.some((path) => has(fieldsV1, ['f:spec', ...path])),
  );
  return (owner ?? writers[0])?.manager ?? 'unknown';
}

/** Whether the operator changed the size of the storage by itself (`spec.storage.autogrow`). */
const isGrowth = ({ spec, status }: DatabaseObject, { path, to }: FieldChange): boolean =>
  path === '/selectedStorageGb' &&
  spec.storage?.autogrow !== undefined &&
  status?.autogrow?.sizeGb === to &&
  spec.storage.sizeGb !== to;

function has(fields: unknown, path: readonly string[]): boolean {
  let at = fields;
  for (const step of path) {
    if (typeof at !== 'object' || at === null || !(step in at)) return false;
    at = (at as Record<string, unknown>)[step];
  }
  return true;
}
