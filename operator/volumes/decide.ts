/** Pure: what becomes of one volume. */
import { annotations, databaseIdOf, labels, uidOf } from '../../domain/names.ts';
import type { LedgerDatabase } from '../../domain/resources.ts';
import type { Claim } from '../../domain/kinds.ts';

export type Decision =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'mark'; readonly purgeAt: string }
  | { readonly kind: 'wait'; readonly forMs: number }
  | { readonly kind: 'purge'; readonly purgeAt: string };

const dayMs = 24 * 3_600_000;
/** Timers reach no further than some 24 days; a look now and then costs nothing. */
const waitMaxMs = 12 * 3_600_000;

/** `near`: the databases of the volume's namespace. */
export function decide(
  claim: Claim,
  near: readonly LedgerDatabase[],
  retentionDays: number,
  nowMs: number,
): Decision {
  const uid = claim.metadata.labels?.[labels.uid];
  const databaseId = claim.metadata.labels?.[labels.databaseId];
  if (uid === undefined || claim.metadata.deletionTimestamp !== undefined)
    return { kind: 'nothing' };
  const owned = near.some((database) => uidOf(database) === uid);
  const awaited = near.some(
    (database) =>
      database.metadata.deletionTimestamp === undefined &&
      databaseId !== undefined &&
      (database.spec.bootstrap?.volumes?.databaseId === databaseId ||
        databaseIdOf(database) === databaseId),
  );
  if (owned || awaited) return { kind: 'nothing' };
  const text = claim.metadata.annotations?.[annotations.purgeAt] ?? '';
  const time = Date.parse(text);
  // A time that nobody can read would keep the volume for ever, or be read as the past.
  if (Number.isNaN(time)) {
    const purgeAt = new Date(nowMs + retentionDays * dayMs).toISOString().replace(/\.\d+Z$/, 'Z');
    return { kind: 'mark', purgeAt };
  }
  if (nowMs < time) return { kind: 'wait', forMs: Math.min(time - nowMs, waitMaxMs) };
  return { kind: 'purge', purgeAt: text };
}
