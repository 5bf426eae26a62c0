/** The operator's requests to the API server between two instants. */
import type { Requests } from './operator-process.ts';

const writes = ['create', 'patch', 'delete'];

export interface Asked {
  /** By verb; the lease, which is renewed all the time, aside. */
  readonly byVerb: ReadonlyMap<string, number>;
  readonly total: number;
  readonly writes: number;
  /** get and list: what a watch would have told. */
  readonly reads: number;
  readonly leases: number;
  /** `verb resource`, the most frequent first. */
  readonly kinds: readonly (readonly [string, number])[];
}

export function askedBetween(before: Requests, after: Requests): Asked {
  const kinds: [string, number][] = [];
  const byVerb = new Map<string, number>();
  let leases = 0;
  for (const [key, count] of after) {
    const asked = count - (before.get(key) ?? 0);
    const [verb = '', resource] = key.split(' ');
    if (asked === 0) continue;
    if (resource === 'leases') {
      leases += asked;
      continue;
    }
    kinds.push([key, asked]);
    byVerb.set(verb, (byVerb.get(verb) ?? 0) + asked);
  }
  const sum = (verbs: readonly string[]) =>
    verbs.reduce((total, verb) => total + (byVerb.get(verb) ?? 0), 0);
  return {
    byVerb,
    total: sum([...byVerb.keys()]),
    writes: sum(writes),
    reads: sum(['get', 'list']),
    leases,
    kinds: kinds.sort(([, a], [, b]) => b - a),
  };
}
