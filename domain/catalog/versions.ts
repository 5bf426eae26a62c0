/** Versions of an engine: what they are at a moment, which one is newer, and the updates of a database. Pure. */
import type { CatalogSpec } from '../custom-resources.ts';

export type EngineRow = CatalogSpec['engines'][number];
export type VersionRow = EngineRow['versions'][number];

/** A version in a catalog of a moment. */
type VersionAt = VersionRow & {
  /** Nobody can choose it yet. */
  readonly ahead?: boolean;
};

/**
 * The catalog as it is at a moment: versions whose `availableFrom` has not come are marked, those whose `deprecatedAt` has come are
 * deprecated. `resolve` takes such a catalog. `leewayMs`: so much earlier can a version be chosen, and so much later is it
 * deprecated, for a process that must not refuse what another one with another clock has accepted.
 */
export function catalogAt(spec: CatalogSpec, nowMs: number, leewayMs = 0): CatalogSpec {
  const isDated = spec.engines.some(({ versions }) => versions.some(hasDates));
  if (!isDated) return spec;
  const engines = spec.engines.map((engine) => ({
    ...engine,
    versions: engine.versions.map((row) => versionAt(row, nowMs, leewayMs)),
  }));
  return { ...spec, engines };
}

const hasDates = ({ availableFrom, deprecatedAt }: VersionRow): boolean =>
  availableFrom !== undefined || deprecatedAt !== undefined;

function versionAt(row: VersionRow, nowMs: number, leewayMs: number): VersionAt {
  const { availableFrom, deprecatedAt } = row;
  return {
    ...row,
    ahead: availableFrom !== undefined && !hasCome(availableFrom, nowMs + leewayMs),
    deprecated: row.deprecated || hasCome(deprecatedAt, nowMs - leewayMs),
  };
}

/** Whether nobody can choose the version yet, in a catalog of a moment. */
export const isAhead = ({ ahead }: VersionAt): boolean => ahead === true;

export const hasCome = (time: string | undefined, nowMs: number): boolean =>
  time !== undefined && Date.parse(time) <= nowMs;

/** Milliseconds until the next date of a version comes; `undefined`: there is none. */
export function nextDateMs(spec: CatalogSpec, nowMs: number): number | undefined {
  const ahead = datesOf(spec).filter((time) => !hasCome(time, nowMs));
  return ahead.length === 0
    ? undefined
    : Math.min(...ahead.map((time) => Date.parse(time) - nowMs));
}

/** Number of the dates of versions that have come. */
export const datesPassed = (spec: CatalogSpec, nowMs: number): number =>
  datesOf(spec).filter((time) => hasCome(time, nowMs)).length;

const datesOf = ({ engines }: CatalogSpec): readonly string[] =>
  engines
    .flatMap(({ versions }) => versions)
    .flatMap(({ availableFrom, deprecatedAt }) => [availableFrom, deprecatedAt])
    .filter((time) => time !== undefined);

/** Compares the numbers of `1.2.3`; a suffix (`-rc.1`) is ignored. */
export function isNewer(one: string, other: string): boolean {
  const [these, those] = [one, other].map((text) =>
    text.split(/[-+]/, 1)[0]?.split('.').map(Number),
  );
  const at = these?.findIndex((number, index) => number !== those?.[index]) ?? -1;
  return at !== -1 && (these?.[at] ?? 0) > (those?.[at] ?? 0);
}

/** Versions from which a database can be updated to this one: never from a newer one, although the catalog may have a way back. */
export const sourcesOf = ({ version, upgradableFrom = [] }: VersionRow): readonly string[] =>
  upgradableFrom.filter((from) => isNewer(version, from));

/**
 * The newest version that a database with this one can be updated to: of the default version and those that were announced.
 * `engine`: of a catalog of a moment.
 */
export function updateOf(
  { defaultVersion, versions }: EngineRow,
  runs: string,
): string | undefined {
  return versions
    .filter((row) => row.version === defaultVersion || row.availableFrom !== undefined)
    .filter((row) => !row.deprecated && !isAhead(row) && sourcesOf(row).includes(runs))
    .map(({ version }) => version)
    .reduce<string | undefined>(
      (best, version) => (best === undefined || isNewer(version, best) ? version : best),
      undefined,
    );
}

/** The first version with `forcedAt` that a database with this one will get. `engine`: of a catalog of a moment. */
export function forcedOf({ versions }: EngineRow, runs: string): VersionRow | undefined {
  return versions
    .filter((row) => row.forcedAt !== undefined && !row.deprecated && sourcesOf(row).includes(runs))
    .reduce<VersionRow | undefined>(
      (first, row) =>
        first === undefined || Date.parse(row.forcedAt ?? '') < Date.parse(first.forcedAt ?? '')
          ? row
          : first,
      undefined,
    );
}
