/** Computes the next state of a replica of the double from the hellos of the others: a pure function. */
import type { Hello } from './hello.ts';

export interface Member extends Hello {
  /** Same values as `replica_sync_stage`: 3 while a recovered replica catches up. */
  readonly syncStage: number;
}

interface Heard {
  /** Recent hellos of the other replicas, by index. */
  readonly others: ReadonlyMap<number, Hello>;
  /** Whether a recovered replica has had enough time to catch up. */
  readonly caughtUp: boolean;
  /** Whether it is time to look for a release that all replicas have. */
  readonly looksForRelease: boolean;
}

/** More than half of the replicas; equals upstream's view-change quorum for 3 and 6 replicas. */
export const quorumOf = (replicas: number): number => Math.floor(replicas / 2) + 1;

export function next(own: Member, { others, caughtUp, looksForRelease }: Heard): Member {
  const { replicaCount, replicaIndex } = own;
  if (others.size + 1 < quorumOf(replicaCount)) return { ...own, status: 1 };
  const all = [own, ...others.values()];
  const present = new Set([replicaIndex, ...others.keys()]);
  const syncStage = caughtUp ? 0 : own.syncStage;
  const commit = Math.max(...all.map((one) => one.commit));
  let view = Math.max(...all.map((one) => one.view));
  // The view determines the primary; it moves on until its primary is present.
  while (!present.has(view % replicaCount)) view += 1;
  // Releases only rise. A program that has the newer release follows the first replica that switched.
  const followed = Math.max(...all.map((one) => one.release));
  const release = followed <= own.bundled ? followed : own.release;
  const joined = { ...own, status: 0, syncStage, view, release, commit };
  const isPrimary = view % replicaCount === replicaIndex;
  const everyone = all.length === replicaCount;
  const common = Math.min(...all.map((one) => one.bundled));
  return isPrimary && looksForRelease && everyone && common > release
    ? { ...joined, release: common, commit: commit + 1 }
    : joined;
}
