/**
 * Ownership of an object's fields. A server-side apply drops the fields that its manager applied before and applies no more.
 * Fields that the same manager set otherwise, when it created the object, do not count as applied, and would stay for ever.
 */
import type { V1ManagedFieldsEntry } from '@kubernetes/client-node';

type Fields = Readonly<Record<string, unknown>>;

/** Returns the entries with all fields of `manager` as applied ones; `undefined` if they are so already. */
export function asApplied(
  entries: readonly V1ManagedFieldsEntry[],
  manager: string,
): readonly V1ManagedFieldsEntry[] | undefined {
  const own = entries.filter((one) => one.manager === manager && one.subresource === undefined);
  const [first] = own;
  if (first === undefined || own.every(({ operation }) => operation === 'Apply')) return undefined;
  const newest = own.find(({ operation }) => operation === 'Apply') ?? first;
  const fieldsV1 = own.map((one) => (one.fieldsV1 ?? {}) as Fields).reduce(union);
  const others = entries.filter((one) => !own.includes(one));
  return [...others, Object.assign({}, newest, { operation: 'Apply', fieldsV1 })];
}

/** Sets of fields are trees of maps. */
function union(a: Fields, b: Fields): Fields {
  const both: Record<string, unknown> = { ...a };
  for (const [key, value] of Object.entries(b)) {
    both[key] = union((both[key] ?? {}) as Fields, value as Fields);
  }
  return both;
}
