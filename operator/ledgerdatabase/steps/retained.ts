/**
 * A database that is made again under the name of a deleted one would begin empty beside the volumes that the other left. A person who
 * deleted it by mistake and applies the manifest again would find an empty ledger: so a person must choose between both.
 */
import { annotations, databaseIdOf, labels } from '../../../domain/names.ts';
import type { Claim } from '../../../domain/kinds.ts';
import type { Draft } from '../draft.ts';
import type { Observation } from '../observation.ts';

const LOOK_AGAIN_MS = 30_000;

/** Volumes that one deleted database left. */
interface Left {
  readonly databaseId: string;
  /** Time from which they may be deleted; empty while that is not decided, as right after the deletion. */
  readonly until: string;
}

/** Returns whether the database waits for a person. */
export function refuseRetained(
  { database, owned, retained = [] }: Observation,
  draft: Draft,
): boolean {
  // Volumes of its own, which have lost its status, are no other database's.
  const hasBegun = owned.claims.length > 0 || owned.statefulSets.length > 0;
  const { namespace, name, annotations: noted = {} } = database.metadata;
  const left = leftIn(retained).filter(({ databaseId }) => databaseId !== databaseIdOf(database));
  const given = new Set((noted[annotations.beginEmpty] ?? '').split(','));
  // An annotation that stays in a manifest covers the volumes that it names, and none that are left later.
  const [newest] = left.filter(({ databaseId }) => !given.has(databaseId));
  if (hasBegun || newest === undefined) return false;
  const { databaseId, until } = newest;
  const others = left.map((one) => one.databaseId).filter((one) => one !== databaseId);
  draft.stallWith(
    'VolumesRetained',
    `a deleted database of this name (${databaseId}) left its volumes, which are kept${until === '' ? '' : ` until ${until}`}` +
      `${others.length === 0 ? '' : `; so did, before it: ${others.join(', ')}`}. To have its data, delete this ` +
      `resource and make it with spec.bootstrap.volumes.databaseId: ${databaseId}. To begin empty: kubectl -n ${namespace} ` +
      `annotate ldb ${name} --overwrite ${annotations.beginEmpty}=${[databaseId, ...others].join(',')}`,
  );
  draft.again(LOOK_AGAIN_MS);
  return true;
}

/** The newest first. */
function leftIn(claims: readonly Claim[]): readonly Left[] {
  const found = new Map<string, string>();
  for (const { metadata } of claims) {
    const databaseId = metadata.labels?.[labels.databaseId] ?? '';
    const until = metadata.annotations?.[annotations.purgeAt] ?? '';
    const known = found.get(databaseId);
    // One that is not marked yet is the newest: its database was deleted just now.
    if (known === undefined || isNewer(until, known)) found.set(databaseId, until);
  }
  return [...found]
    .map(([databaseId, until]) => ({ databaseId, until }))
    .toSorted((one, other) => (isNewer(one.until, other.until) ? -1 : 1));
}

const isNewer = (until: string, other: string): boolean =>
  other !== '' && (until === '' || until > other);
