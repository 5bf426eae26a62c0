/** Chooses the connections to close first when there are too many, or when together they hold too much. */
import type { ClientLimits, CloseReason } from './client-limits.ts';

interface Holding {
  readonly client: bigint;
  readonly hasSpoken: boolean;
  readonly heardAtMs: number;
  readonly unsentBytes: number;
  readonly unsentSinceMs: number | undefined;
  readonly begunBytes: number;
  readonly begunAtMs: number | undefined;
}

/**
 * Returns the connection that has been silent for longest among those without a session, first among those that have never
 * sent a message. Returns `undefined` if every connection's client has a session.
 */
export function mostDispensable<T extends Holding>(
  connections: Iterable<T>,
  hasSession: (client: bigint) => boolean,
): T | undefined {
  const rank = (each: T): number => Number(each.hasSpoken);
  return [...connections]
    .filter(({ client }) => !hasSession(client))
    .sort((a, b) => rank(a) - rank(b) || a.heardAtMs - b.heardAtMs)[0];
}

/** Connections to close until the rest is within the bounds, longest holders first. */
export function overBounds<T extends Holding>(
  connections: ReadonlySet<T>,
  { allUnsentBytesMax, allBegunBytesMax }: ClientLimits,
): readonly (readonly [T, CloseReason])[] {
  let [unsent, begun] = [0, 0];
  for (const { unsentBytes, begunBytes } of connections) {
    unsent += unsentBytes;
    begun += begunBytes;
  }
  if (unsent <= allUnsentBytesMax && begun <= allBegunBytesMax) return [];
  const closed: [T, CloseReason][] = [];
  for (const each of oldest(connections, ({ unsentSinceMs }) => unsentSinceMs)) {
    if (unsent <= allUnsentBytesMax) break;
    unsent -= each.unsentBytes;
    closed.push([each, 'too_many_unsent_bytes']);
  }
  for (const each of oldest(connections, ({ begunAtMs }) => begunAtMs)) {
    if (begun <= allBegunBytesMax) break;
    begun -= each.begunBytes;
    closed.push([each, 'too_many_begun_bytes']);
  }
  return closed;
}

function oldest<T>(items: Iterable<T>, since: (item: T) => number | undefined): readonly T[] {
  return [...items]
    .filter((item) => since(item) !== undefined)
    .sort((a, b) => (since(a) ?? 0) - (since(b) ?? 0));
}
