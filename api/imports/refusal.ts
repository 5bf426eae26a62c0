/** Refusals that several operations on an import share. */
import type { Import } from '../model/import.ts';
import { Refusal } from '../model/refusal.ts';
import type { StagingStore } from './staging-store.ts';

export const importNotFound = (id: string): Refusal =>
  new Refusal('import_not_found', { detail: `The import ${id} does not exist.` });

export const importClosed = ({ status }: Pick<Import, 'status'>): Refusal =>
  new Refusal('import_closed', {
    detail: `The import is ${status}. ${status === 'READY' ? 'Create a database with it.' : 'Begin another one.'}`,
  });

/** Parts of a refusal: more of them help nobody. */
const namedMax = 100;

export function importIncomplete(
  missing: readonly { readonly replicaIndex: number; readonly parts: readonly number[] }[],
  detail: string,
): Refusal {
  let room = namedMax;
  const named = missing.map(({ replicaIndex, parts }) => {
    const some = parts.slice(0, room);
    room -= some.length;
    return { replicaIndex, parts: some };
  });
  return new Refusal('import_incomplete', {
    detail,
    members: { missing: named.filter(({ parts }) => parts.length > 0) },
  });
}

/** Throws a `Refusal` if the service takes no files. */
export function requireStaging(staging: StagingStore | undefined): StagingStore {
  if (staging !== undefined) return staging;
  throw new Refusal('imports_not_configured', { detail: importsUnsupported });
}

export const importsUnsupported =
  'This service has no store for imports. Its operators must set imports of the chart; they can also begin databases with files that they stage themselves.';
