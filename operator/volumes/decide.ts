/**
 * Decides about one volume. Pure. A volume is kept while its database exists, another one waits for it or anything uses it,
 * and after that for the whole retention.
 */
import { annotations, databaseIdOf, labels, managedBy, uidOf } from '../../domain/names.ts';
import { isDataVolume } from '../ledgerdatabase/belongs-to.ts';
import type { LedgerDatabase } from '../../domain/custom-resources.ts';
import type { Claim, Pod, StatefulSet } from '../../domain/kinds.ts';

type Decision =
  | { readonly kind: 'nothing' }
  /** Records the time from which the volume may be deleted. */
  | { readonly kind: 'mark'; readonly purgeAt: string }
  /** Removes that time: the volume is needed again. */
  | { readonly kind: 'unmark' }
  | { readonly kind: 'wait'; readonly forMs: number }
  /** It was handed over, and nobody has adopted it for so long. It is kept until a person decides. */
  | { readonly kind: 'left'; readonly forMs: number }
  | { readonly kind: 'purge'; readonly purgeAt: string };

/** Objects in the volume's namespace. */
export interface Surroundings {
  /** Whether this process has seen the database go, and take its volumes with it by its policy. Default false. */
  readonly goneWithVolumes?: boolean;
  /** Whether the database that the volume's labels name lives in another namespace. Default false. */
  readonly livesElsewhere?: boolean;
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
  // Removing the label of the maker from a volume that has no database keeps the volume.
  const isOurs = metadata.labels?.[labels.managedBy] === managedBy && isDataVolume(claim);
  if (!isOurs || metadata.deletionTimestamp !== undefined) return { kind: 'nothing' };
  // A copy of a namespace: the database that the labels name lives in another.
  if (near.livesElsewhere === true) return { kind: 'nothing' };
  const text = metadata.annotations?.[annotations.purgeAt];
  const since = handedOverMs(claim);
  const needed = isNeeded(claim, near);
  if (text !== undefined && (since !== undefined || needed)) return { kind: 'unmark' };
  if (needed) return { kind: 'nothing' };
  if (since !== undefined) return { kind: 'left', forMs: nowMs - since };
  const time = Date.parse(text ?? '');
  // An unreadable time would keep the volume for ever, or be read as the past.
  if (text === undefined || Number.isNaN(time)) {
    // The note alone may be older than the policy, or come with a restored volume whose database is restored later.
    const noted = metadata.annotations?.[annotations.deletionPolicy] === 'Delete';
    const goesAtOnce = noted && near.goneWithVolumes === true;
    const keptMs = goesAtOnce ? 0 : retentionDays * dayMs;
    const purgeAt = new Date(nowMs + keptMs).toISOString().replace(/\.\d+Z$/, 'Z');
    return { kind: 'mark', purgeAt };
  }
  if (nowMs < time) return { kind: 'wait', forMs: Math.min(time - nowMs, waitMaxMs) };
  return { kind: 'purge', purgeAt: text };
}

/** Since when it is left to another database; 0 if the mark does not say it. */
export function handedOverMs({ metadata }: Claim): number | undefined {
  const text = metadata.annotations?.[annotations.handedOver];
  if (text === undefined) return undefined;
  const time = Date.parse(text);
  return Number.isNaN(time) ? 0 : time;
}

function isNeeded(claim: Claim, { databases, pods, statefulSets }: Surroundings): boolean {
  const { name = '', labels: of, annotations: noted } = claim.metadata;
  // A database that goes on from the last backup has the same ID, and does not need the volume.
  const isReplaced = noted?.[annotations.replacedBy] !== undefined;
  const databaseId = isReplaced ? undefined : of?.[labels.databaseId];
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
