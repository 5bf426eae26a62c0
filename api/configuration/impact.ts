/**
 * Consequences of a change for the database's users: how long clients wait, whether pods are replaced, whether it can be taken
 * back. The promised waits are upper bounds that were chosen, not measured: `test/e2e/builtin-ha.test.ts` prints a client's
 * real wait. Pure.
 */
import type { FieldChange } from '../model/event.ts';
import type { Impact } from '../model/configuration-change.ts';

/** Properties that are flags or resources of the pods: a change replaces the pods, one at a time. */
const replacesPods: ReadonlySet<string> = new Set(['clusterSize', 'engineVersion', 'parameters']);

/** Promised waits in seconds: of one replica, whose pod is replaced, and of several, whose leader hands over. */
const promised = { single: 60, several: 20 } as const;

interface ImpactFacts {
  readonly replicas: number;
  /** Whether the database is stopped before the change. */
  readonly suspended: boolean;
  /** Whether the database can go back from the new version to the old one. */
  readonly versionReversible: boolean;
  /** Further sentences about this change, besides those that its difference implies. */
  readonly warnings?: readonly string[];
}

export const memberOf = (path: string): string => path.split('/')[1] ?? '';

export function impactOf(diff: readonly FieldChange[], facts: ImpactFacts): Impact {
  const changes = (member: string) => diff.find(({ path }) => memberOf(path) === member);
  const stops = changes('suspended')?.to === true;
  const replaced = diff.some(({ path }) => replacesPods.has(memberOf(path)));
  const rolls = replaced && !facts.suspended && !stops;
  const several = facts.replicas > 1;
  const grows = changes('selectedStorageGb') !== undefined;
  const irreversible =
    grows || (changes('engineVersion') !== undefined && !facts.versionReversible);
  const warnings = [
    ...(facts.warnings ?? []),
    ...(grows ? ['Storage can grow again, and never shrinks.'] : []),
    ...(changes('engineVersion') !== undefined && !facts.versionReversible
      ? ['There is no way back to the version before.']
      : []),
    ...(rolls && !several
      ? [
          'The only replica is replaced: nobody can use the database until the new one has read its data file.',
        ]
      : []),
    ...(stops
      ? ['Nobody can use the database until it is resumed. Data, addresses and keys stay.']
      : []),
  ];
  return {
    interruption: stops ? 'UNTIL_RESUMED' : rolls ? 'SECONDS' : 'NONE',
    longestWaitSeconds: stops ? null : rolls ? promised[several ? 'several' : 'single'] : 0,
    rollingRestart: rolls,
    reversible: !irreversible,
    warnings,
  };
}
