/** Restores facts about a database from its volumes and pods when its status lacks them, so that it goes on as it was. */
import { annotations, labels } from '../../../domain/names.ts';
import type { DatabaseSpec, EngineName, TopologyName } from '../../../domain/custom-resources.ts';
import type { Claim } from '../../../domain/kinds.ts';
import type { Observation } from '../observation.ts';
import { gigabytesOf } from '../quantity.ts';
import { firstOf } from './reshaping.ts';

export interface Memory {
  readonly workload: string | undefined;
  readonly clusterId: string | undefined;
  readonly storageGb: number;
  /** Version that every replica ran last; `undefined` before that. */
  readonly activeVersion: string | undefined;
  /** Resolved choices for a spec that leaves them open; during an upgrade, the version that the pods are changing to. */
  readonly choices: Pick<DatabaseSpec, 'engine' | 'topology' | 'version'>;
}

/** Returns `undefined` when there are no volumes. */
export function remember(
  claims: readonly Claim[],
  { catalog, owned }: Pick<Observation, 'catalog' | 'owned'>,
): Memory | undefined {
  // Others may be of a topology to which the database was about to change.
  const first = firstOf(claims) ?? claims[0];
  if (first === undefined) return undefined;
  const of = first.metadata.labels ?? {};
  const noted = claims
    .map((claim) => claim.metadata.annotations?.[annotations.engineVersion])
    .filter((version) => version !== undefined);
  const rows = catalog?.spec.engines.find(({ name }) => name === of[labels.engine])?.versions ?? [];
  const sets = owned.statefulSets.map(({ spec }) => spec?.template.spec?.containers);
  const images = sets.map((all) => all?.find(({ name }) => name === 'engine')?.image);
  const made = rows.filter(({ image }) => images.includes(image)).map(({ version }) => version);
  const both = made.find((version) => noted.includes(version));
  // While the end of an upgrade is being recorded, some volumes still have the old version.
  const activeVersion = both ?? noted[0];
  const version = both ?? made[0] ?? activeVersion;
  const { [labels.engine]: engine, [labels.topology]: topology } = of;
  return {
    workload: of[labels.workload],
    clusterId: of[labels.clusterId],
    storageGb: Math.max(
      ...claims.map((claim) => gigabytesOf(claim.spec?.resources?.requests?.['storage']) ?? 0),
    ),
    activeVersion,
    choices: {
      ...(engine === undefined ? {} : { engine: engine as EngineName }),
      ...(topology === undefined ? {} : { topology: topology as TopologyName }),
      ...(version === undefined ? {} : { version }),
    },
  };
}
