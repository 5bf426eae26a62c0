import { resolve } from '../../domain/catalog/resolve.ts';
import type { CatalogSpec } from '../../domain/custom-resources.ts';
import type { Subject } from '../manifests/subject.ts';

/** Resolves a new database of the built-in engine: its newest version reads the files of older ones. */
export function newestBuiltinOf(
  catalog: CatalogSpec,
): { readonly resolved: Subject['resolved'] } | { readonly problem: string } {
  const resolution = resolve(catalog, { engine: 'Builtin' });
  if (resolution.ok) return resolution;
  return { problem: resolution.problems.map(({ message }) => message).join('; ') };
}
