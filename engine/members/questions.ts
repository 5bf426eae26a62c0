/** Questions to a replica about etcd's membership, over the peer link, and their answers: JSON both ways. */

export type Question =
  /** Asks the leader to replace the member: the volume is lost, and `peerUrl` will reach the new member. */
  | { readonly ask: 'replace'; readonly peerUrl: string }
  /** Asks which replicas have a member in the etcd cluster. */
  | { readonly ask: 'members' };

/**
 * - `added`: the others expect the new member; it starts with `initialCluster`.
 * - `not_leading`: ask another replica.
 * - `lives`: the replica was heard of lately. If the answer repeats, it is a refusal.
 * - `wait`: not now; ask again.
 * - `refused`: not in this state; a person has to look.
 */
export type Replacement =
  | { readonly outcome: 'added'; readonly initialCluster: string }
  | { readonly outcome: 'not_leading' }
  | { readonly outcome: 'lives'; readonly reason: string }
  | { readonly outcome: 'wait'; readonly reason: string }
  | { readonly outcome: 'refused'; readonly reason: string };

/** Ids of members, in decimal. */
export interface MemberIds {
  readonly members: readonly string[];
}

type Fields = Readonly<Record<string, unknown>>;
export const fieldsOf = (json: unknown): Fields =>
  typeof json === 'object' && json !== null ? (json as Fields) : {};

export function questionOf(json: unknown): Question | undefined {
  const { ask, peerUrl } = fieldsOf(json);
  if (ask === 'members') return { ask };
  const isWhole = ask === 'replace' && typeof peerUrl === 'string' && isPeerUrl(peerUrl);
  return isWhole ? { ask, peerUrl } : undefined;
}

/** Whether `value` is a URL at which etcd members reach each other: `http` or `https`, a host, a port. */
export const isPeerUrl = (value: string): boolean => /^https?:\/\/[^\s/,=]+:\d{1,5}$/.test(value);

export function replacementOf(json: unknown): Replacement | undefined {
  const { outcome, reason, initialCluster } = fieldsOf(json);
  if (outcome === 'not_leading') return { outcome };
  if (outcome === 'added' && typeof initialCluster === 'string') return { outcome, initialCluster };
  const isReasoned = outcome === 'wait' || outcome === 'refused' || outcome === 'lives';
  return isReasoned && typeof reason === 'string' ? { outcome, reason } : undefined;
}

export function memberIdsOf(json: unknown): readonly bigint[] | undefined {
  const { members } = fieldsOf(json);
  if (!Array.isArray(members)) return undefined;
  const ids = members.filter((id) => typeof id === 'string' && /^\d{1,20}$/.test(id)) as string[];
  return ids.length === members.length ? ids.map(BigInt) : undefined;
}
