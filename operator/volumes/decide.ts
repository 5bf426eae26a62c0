/**
 * Decides about one volume. Pure. A volume is kept while its database exists, another one waits for it or anything uses it,
 * and after that for the whole retention.
 */
import { annotations, databaseIdOf, labels, uidOf } from '../../domain/names.ts';
import { isDataVolume } from '../ledgerdatabase/belongs-to.ts';
import type { LedgerDatabase } from '../../domain/resources.ts';
import type { Claim, Pod, StatefulSet } from '../../domain/kinds.ts';

export type Decision =
  | { readonly kind: 'nothing' }
  /** Records the time from which the volume may be deleted. */
  | { readonly kind: 'mark'; readonly purgeAt: string }
  /** Removes that time: the volume is needed again. */
  | { readonly kind: 'unmark' }
  | { readonly kind: 'wait'; readonly forMs: number }
  | { readonly kind: 'purge'; readonly purgeAt: string };

/** Objects in the volume's namespace. */
export interface Surroundings {
  readonly databases: readonly LedgerDatabase[];
  readonly pods: readonly Pod[];
  readonly statefulSets: readonly StatefulSet[];
}

const dayMs = 24 * 3_600_000;
/** Maximum wait. Timers reach some 24 days at most, and a look now and then costs nothing. */
const waitMaxMs = 12 * 3_600_000;

/** Decides what to do with the volume. `nowMs` is the API server's clock. */
export function decide(
  claim: Claim,
  near: Surroundings,
  retentionDays: number,
  nowMs: number,
): Decision {
  const { metadata } = claim;
  const isOurs = metadata.labels?.[labels.uid] !== undefined && isDataVolume(claim);
  if (!isOurs || metadata.deletionTimestamp !== undefined) return { kind: 'nothing' };
  const text = metadata.annotations?.[annotations.purgeAt];
  if (isNeeded(claim, near)) return { kind: text === undefined ? 'nothing' : 'unmark' };
  const time = Date.parse(text ?? '');
  // An unreadable time would keep the volume for ever, or be read as the past.
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

/** Whether a database waits to adopt these volumes. One that is being deleted adopts none. */
const awaits = (database: LedgerDatabase, databaseId: string): boolean =>
  database.metadata.deletionTimestamp === undefined &&
  (database.spec.bootstrap?.volumes?.databaseId === databaseId ||
    databaseIdOf(database) === databaseId);

/** Names of the claims that a pod mounts, whether it runs or has ended. */
export const claimsOf = ({ spec }: Pod): readonly string[] =>
  (spec?.volumes ?? []).flatMap(({ persistentVolumeClaim: mounted }) =>
    mounted === undefined ? [] : [mounted.claimName],
  );

/** Whether a claim belongs to a StatefulSet, whatever its current number of replicas: the name has template, set and index. */
const makes = ({ metadata, spec }: StatefulSet, claim: string): boolean =>
  (spec?.volumeClaimTemplates ?? []).some(({ metadata: template }) => {
    const start = `${template?.name ?? ''}-${metadata.name ?? ''}-`;
    return claim.startsWith(start) && /^\d+$/.test(claim.slice(start.length));
  });
