/**
 * A database that adopts the volume of a single replica with another number of replicas (`spec.bootstrap.volumes` and another
 * `spec.topology`): the first replica takes over the data file where it is, and the others fetch its state once they run. Until a replica
 * has run, the volume can be adopted with any topology again.
 */
import { annotations, labels } from '../../../domain/names.ts';
import type { Claim } from '../../../domain/kinds.ts';
import { indexOf } from '../observation.ts';

export const firstOf = (claims: readonly Claim[]): Claim | undefined =>
  claims.find((claim) => indexOf(claim) === 0);

/** The topology whose data file is on the first volume, if no replica has run since another one adopted it. */
export const reshapingOf = (claims: readonly Claim[]): string | undefined =>
  firstOf(claims)?.metadata.annotations?.[annotations.reshaping];

/** The topology from which volumes that are to be adopted with this one come; `undefined` if the file stays as it is. */
export const reshapedFrom = (
  claims: readonly Claim[],
  topology: string | undefined,
): string | undefined => {
  const of = firstOf(claims)?.metadata.labels?.[labels.topology];
  return reshapingOf(claims) ?? (of === topology ? undefined : of);
};

/**
 * What such a volume notes when it is adopted: its file is made the database's own, whatever it is now. One that was made for this topology
 * before has its file.
 */
export const reshapingNote = (
  claim: Claim,
  topology: string,
  from: string,
): {
  readonly labels: Record<string, string>;
  readonly annotations: Record<string, string | null>;
} => {
  const made = madeFor(claim);
  const isOfAnother = made !== undefined && made.topology !== topology;
  return {
    labels: { [labels.topology]: topology },
    annotations: {
      [annotations.formatted]: (!isOfAnother && made?.formatted) || null,
      // Its file cannot be made this topology's, so that it goes (steps/volumes.ts).
      ...(isOfAnother ? {} : { [annotations.madeFor]: null }),
      ...(indexOf(claim) === 0 ? { [annotations.reshaping]: from } : {}),
    },
  };
};

/** For which topology the volume of a further replica was made, and what its file is once it has one. */
export function madeFor({
  metadata,
}: Claim): { readonly topology: string; readonly formatted: string | undefined } | undefined {
  const [topology, formatted] = metadata.annotations?.[annotations.madeFor]?.split(' ') ?? [];
  return topology === undefined ? undefined : { topology, formatted };
}

/**
 * Whether the volume was made for a topology to which its database was about to change. Nothing has run on it: a database that adopts it notes
 * its file as every database does.
 */
export const isMadeForNext = (claim: Claim): boolean =>
  indexOf(claim) > 0 &&
  madeFor(claim) !== undefined &&
  claim.metadata.annotations?.[annotations.formatted] === undefined;
