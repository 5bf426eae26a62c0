/**
 * Pure: what becomes of one volume. It is kept for as long as its database is there, another one waits for it or anything uses
 * it; after the last of these it is kept for the whole time of retention.
 */
import { annotations, databaseIdOf, labels, uidOf } from '../../domain/names.ts';
import type { LedgerDatabase } from '../../domain/resources.ts';
import type { Claim, Pod, StatefulSet } from '../../domain/kinds.ts';

export type Decision =
  | { readonly kind: 'nothing' }
  /** Gets the time from which it may be deleted. */
  | { readonly kind: 'mark'; readonly purgeAt: string }
  /** Loses that time: it is needed again. */
  | { readonly kind: 'unmark' }
  | { readonly kind: 'wait'; readonly forMs: number }
  | { readonly kind: 'purge'; readonly purgeAt: string };

/** What there is in the volume's namespace. */
export interface Surroundings {
  readonly databases: readonly LedgerDatabase[];
  readonly pods: readonly Pod[];
  readonly statefulSets: readonly StatefulSet[];
}

const dayMs = 24 * 3_600_000;
/** Timers reach no further than some 24 days; a look now and then costs nothing. */
const waitMaxMs = 12 * 3_600_000;

/** `nowMs`: by the API server's clock. */
export function decide(
  claim: Claim,
  near: Surroundings,
  retentionDays: number,
  nowMs: number,
): Decision {
  const { metadata } = claim;
  if (metadata.labels?.[labels.uid] === undefined || metadata.deletionTimestamp !== undefined)
    return { kind: 'nothing' };
  const text = metadata.annotations?.[annotations.purgeAt];
  if (isNeeded(claim, near)) return { kind: text === undefined ? 'nothing' : 'unmark' };
  const time = Date.parse(text ?? '');
  // A time that nobody can read would keep the volume for ever, or be read as the past.
  if (text === undefined || Number.isNaN(time)) {
    const purgeAt = new Date(nowMs + retentionDays * dayMs).toISOString().replace(/\.\d+Z$/, 'Z');
    return { kind: 'mark', purgeAt };
  }
  if (nowMs < time) return { kind: 'wait', forMs: Math.min(time - nowMs, waitMaxMs) };
  return { kind: 'purge', purgeAt: text };
}

function isNeeded(claim: Claim, { databases, pods, statefulSets }: Surroundings): boolean {
  const { name = '', labels: of } = claim.metadata;
  const databaseId = of?.[labels.databaseId];
  return (
    databases.some(
      (database) =>
        uidOf(database) === of?.[labels.uid] ||
        (databaseId !== undefined && awaits(database, databaseId)),
    ) ||
    pods.some((pod) => claimsOf(pod).includes(name)) ||
    statefulSets.some((set) => makes(set, name))
  );
}

/** Whether a database is to take these volumes over. One that is going takes nothing over any more. */
const awaits = (database: LedgerDatabase, databaseId: string): boolean =>
  database.metadata.deletionTimestamp === undefined &&
  (database.spec.bootstrap?.volumes?.databaseId === databaseId ||
    databaseIdOf(database) === databaseId);

/** The names of the claims that a pod mounts, whether it runs or has ended. */
export const claimsOf = ({ spec }: Pod): readonly string[] =>
  (spec?.volumes ?? []).flatMap(({ persistentVolumeClaim: mounted }) =>
    mounted === undefined ? [] : [mounted.claimName],
  );

/** Whether a claim belongs to a StatefulSet, however many replicas that has just now: it is named after template, set and index. */
const makes = ({ metadata, spec }: StatefulSet, claim: string): boolean =>
  (spec?.volumeClaimTemplates ?? []).some(({ metadata: template }) => {
    const start = `${template?.name ?? ''}-${metadata.name ?? ''}-`;
    return claim.startsWith(start) && /^\d+$/.test(claim.slice(start.length));
  });
