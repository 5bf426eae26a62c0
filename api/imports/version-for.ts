/** The version of an engine for data files, if nobody chose one. */
import type { CatalogSpec } from '../../domain/custom-resources.ts';
import { releaseOfText } from '../../domain/import-files/file-head.ts';

type Engine = Pick<CatalogSpec['engines'][number], 'defaultVersion' | 'versions'>;

/** The default version if it is as new as the release that wrote the files, else the next newer one; `undefined`: none is. */
export function versionFor(
  { defaultVersion, versions }: Engine,
  needed: number,
): string | undefined {
  const fitting = versions
    .filter(({ release }) => (releaseOfText(release) ?? 0) >= needed)
    .toSorted(
      (one, other) => (releaseOfText(one.release) ?? 0) - (releaseOfText(other.release) ?? 0),
    );
  const named = fitting.find(({ version }) => version === defaultVersion);
  return (named ?? fitting.find(({ deprecated }) => deprecated !== true) ?? fitting[0])?.version;
}
