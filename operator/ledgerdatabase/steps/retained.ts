/**
 * A database that is made again under the name of a deleted one would begin empty beside the volumes that the other left. Whoever lost it by
 * mistake and applies the manifest again would find an empty ledger: so a person says which of the two is meant.
 */
import { annotations, databaseIdOf, labels } from '../../../domain/names.ts';
import type { Claim } from '../../../domain/kinds.ts';
import type { Draft } from '../draft.ts';
import type { Observation } from '../observation.ts';

const LOOK_AGAIN_MS = 30_000;

/** Returns whether the database waits for a person. */
export function refuseRetained(
  { database, owned, retained = [] }: Observation,
  draft: Draft,
): boolean {
  // Volumes of its own, which have lost its status, are no other database's.
  const hasBegun = owned.claims.length > 0 || owned.statefulSets.length > 0;
  const newest = retained.toSorted((one, other) =>
    purgeAtOf(other).localeCompare(purgeAtOf(one)),
  )[0];
  if (hasBegun || newest === undefined) return false;
  const { namespace, name, annotations: noted = {} } = database.metadata;
  const left = newest.metadata.labels?.[labels.databaseId] ?? '';
  if (left === databaseIdOf(database) || noted[annotations.beginEmpty] === left) return false;
  const until = purgeAtOf(newest);
  draft.stallWith(
    'VolumesRetained',
    `a deleted database of this name (${left}) left its volumes, which are kept${until === '' ? '' : ` until ${until}`}. To have its data, delete this ` +
      `resource and make it with spec.bootstrap.volumes.databaseId: ${left}. To begin empty: ` +
      `kubectl -n ${namespace} annotate ldb ${name} ${annotations.beginEmpty}=${left}`,
  );
  draft.again(LOOK_AGAIN_MS);
  return true;
}

const purgeAtOf = ({ metadata }: Claim): string =>
  metadata.annotations?.[annotations.purgeAt] ?? '';
