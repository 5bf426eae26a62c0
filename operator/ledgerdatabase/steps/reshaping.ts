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

/** What such a volume notes when it is adopted: its file is made the database's own, whatever it is now. */
export const reshapingNote = (
  claim: Claim,
  topology: string,
  from: string,
): {
  readonly labels: Record<string, string>;
  readonly annotations: Record<string, string | null>;
} => ({
  labels: { [labels.topology]: topology },
  annotations: {
    [annotations.formatted]: null,
    ...(indexOf(claim) === 0 ? { [annotations.reshaping]: from } : {}),
  },
});
