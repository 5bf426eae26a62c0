/**
 * Invariants of every plan. The generator also makes observations that cannot occur in a cluster. OBSERVATIONS sets how many of
 * them each promise sees at least (300 by default); `make soak` has many more.
 */
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ConditionType } from '../../domain/conditions.ts';
import { annotations, labels } from '../../domain/names.ts';
import {
  disorder,
  recipe,
  uid,
  type Recipe,
} from '../../test/support/operator/disordered-database.ts';
import { cachesOf, type SimulatedCluster } from '../../test/support/operator/simulated-cluster.ts';
import type { Claim, StatefulSet } from '../../domain/kinds.ts';
import { targetOf, type Action } from './actions.ts';
import type { Plan } from './draft.ts';
import { isReady, replicaPods } from './replica-pods.ts';
import type { Observation, Polls } from './observation.ts';
import { observeCaches } from './observe.ts';
import { plan } from './plan.ts';
import { capacityGb, requestedGb } from './steps/volumes.ts';
import { gigabytesOf } from './quantity.ts';
import { statusOf } from './status.ts';

const options = { operatorNamespace: 'ledgerhouse-system' };
const observations = Number(process.env['OBSERVATIONS'] ?? '300');

const asked = fc.record({
  live: fc.boolean(),
  polled: fc.constantFrom('not', 'all', 'all', 'silent', 'syncing'),
  storageClass: fc.boolean(),
});
type Asked = typeof asked extends fc.Arbitrary<infer T> ? T : never;

function observationOf(cluster: SimulatedCluster, made: Recipe, given: Asked): Observation {
  const caches = cachesOf(cluster.objects);
  const database = cluster.all('LedgerDatabase').find((one) => one.metadata.uid === uid);
  if (database === undefined) throw new Error('there is no database');
  const [found] = cluster.all('StorageClass');
  const [catalog] = cluster.all('LedgerCatalog');
  return {
    nowMs: cluster.nowMs,
    live: given.live,
    database,
    catalog,
    ...observeCaches(caches, database),
    polls: pollsOf(made, given.polled),
    capacity: undefined,
    storageClass: given.storageClass ? { found } : undefined,
  };
}

function pollsOf({ replicas }: Recipe, polled: Asked['polled']): Polls | undefined {
  if (polled === 'not') return undefined;
  const said = replicas.map((_, index) => {
    const silent = polled === 'silent' && index === 1;
    const status = { role: index === 0 ? 'primary' : 'backup', release: '0.17.8', op: 1 };
    const syncing = polled === 'syncing' && index === 2;
    return [index, silent ? { problem: 'silent' } : { ...status, syncing }] as const;
  });
  return new Map(said) as unknown as Polls;
}

interface Planned {
  readonly observed: Observation;
  readonly draft: Plan;
}

/**
 * Checks a promise over many observations and their plans. The promise returns whether it applied: one that never applies
 * proves nothing. `enough`: whether all cases were met that the test wants to see.
 */
function always(promise: (planned: Planned) => boolean, enough: () => boolean = () => true): void {
  let checked = 0;
  // Rare cases need more than one round.
  for (let rounds = 0; rounds < 50; rounds += 1) {
    if (checked >= 5 && enough()) break;
    fc.assert(
      fc.property(recipe, asked, (made, given) => {
        const observed = observationOf(disorder(made), made, given);
        if (promise({ observed, draft: plan(observed, options) })) checked += 1;
      }),
      { numRuns: observations },
    );
  }
  expect(checked).toBeGreaterThanOrEqual(5);
}

/** Of either engine, after the loss of a leader. A single replica has no others. */
const quorumOf = (replicas: number) => (replicas === 1 ? 0 : Math.floor(replicas / 2) + 1);

const ofKind = (draft: Plan, verb: Action['verb'], kind: string) =>
  draft.actions.filter((action) => action.verb === verb && targetOf(action).resource.kind === kind);

test('every observation has a plan, and every plan a status', () => {
  always(({ observed, draft }) => {
    const types = statusOf(observed, draft).conditions?.map(({ type }) => type);
    expect(types).toEqual(Object.values(ConditionType));
    return true;
  });
});

test('the same observation gives the same plan', () => {
  always(({ observed, draft }) => {
    expect(plan(observed, options)).toEqual(draft);
    return true;
  });
});

/** Whether a deletion or a creation can do no harm, however old the knowledge that it is planned from. */
function isHarmless({ facts }: Plan, action: Action): boolean {
  const { resource, name } = targetOf(action);
  if (action.verb === 'delete') {
    // Its data file is made, which the latch keeps on record for ever.
    return resource.kind === 'Job' && name.includes('-format-') && facts.bootstrapped === true;
  }
  if (action.verb !== 'create') return false;
  if (resource.kind !== 'StatefulSet') return resource.kind !== 'Job';
  const { spec }: StatefulSet = action.object;
  return (spec?.replicas ?? 0) > 0;
}

test('destructive and final actions are based on a read from the API server, and deletions name the version that was read', () => {
  const kinds = new Set<string>();
  const promise = ({ draft }: Planned): boolean => {
    const once = draft.actions.filter(
      (action) =>
        ['delete', 'create', 'issue'].includes(action.verb) || action.purpose === 'adoption',
    );
    const open = once.filter((action) => !action.guarded && !isHarmless(draft, action));
    expect(open).toEqual([]);
    for (const action of once.filter(({ guarded }) => guarded)) {
      // A process that was frozen after its decision may send it much later: then the API server refuses it.
      if (action.verb === 'delete') {
        expect([action.uid, action.resourceVersion]).not.toContain(undefined);
      }
      kinds.add(`${action.verb} ${targetOf(action).resource.kind}`);
    }
    return once.length > 0;
  };
  const all = [
    'create ConfigMap',
    'create Job',
    'create NetworkPolicy',
    'create Service',
    'create StatefulSet',
    'delete Job',
    'delete PersistentVolumeClaim',
    'delete Pod',
    'delete Service',
    'issue Secret',
    'patch PersistentVolumeClaim',
  ];
  always(promise, () => kinds.size >= all.length);
  expect(kinds).toEqual(new Set(all));
});

test('no data file is made when there is any sign of an earlier life', () => {
  always(({ observed, draft }) => {
    const formats = ofKind(draft, 'create', 'Job').filter((one) => one.purpose === 'format');
    if (formats.length === 0) return false;
    expect(observed.database.status?.bootstrapped).not.toBe(true);
    expect(observed.owned.statefulSets).toEqual([]);
    expect(replicaPods(observed.owned.pods)).toEqual([]);
    for (const job of formats) {
      const index = targetOf(job).name.slice(-1);
      const claim = observed.owned.claims.find((one) => one.metadata.name?.endsWith(`-${index}`));
      expect(claim?.metadata.annotations?.[annotations.formatted]).toBeUndefined();
    }
    return true;
  });
});

test('no volume is deleted but with its database, under the policy Delete', () => {
  always(({ observed, draft }) => {
    const { database } = observed;
    if (database.metadata.deletionTimestamp === undefined) return false;
    if (ofKind(draft, 'delete', 'PersistentVolumeClaim').length === 0) return false;
    expect(database.spec.deletionPolicy).toBe('Delete');
    return true;
  });
});

test('only bound volumes are asked to grow', () => {
  always(({ observed, draft }) => {
    const grown = draft.actions.filter((one) => one.purpose === 'growth');
    for (const action of grown) {
      const { name } = targetOf(action);
      const claim = observed.owned.claims.find(({ metadata }) => metadata.name === name);
      expect(claim?.status?.phase).toBe('Bound');
    }
    return grown.length > 0;
  });
});

test('the volumes of a database that is there are never taken over', () => {
  always(({ observed, draft }) => {
    const adoptions = draft.actions.filter((one) => one.purpose === 'adoption');
    for (const action of adoptions) {
      const claim = observed.inheritance?.claims.find(
        (one) => one.metadata.name === targetOf(action).name,
      );
      const owner = claim?.metadata.labels?.[labels.uid] ?? '';
      expect(observed.inheritance?.livingOwners).not.toContain(owner);
    }
    return adoptions.length > 0;
  });
});

test('a plan for a database that stays deletes no ready pod that a quorum needs, and never two pods', () => {
  always(({ observed, draft }) => {
    // Of a deleted one none is to stay: pods that have lost their StatefulSet are ended, ready or not.
    if (draft.deleting === true) return false;
    const pods = replicaPods(observed.owned.pods);
    const names = new Set(ofKind(draft, 'delete', 'Pod').map((one) => targetOf(one).name));
    const deleted = pods.filter((pod) => names.has(pod.metadata.name ?? ''));
    if (!deleted.some(isReady)) return false;
    // All replicas of a database that goes stop, also those that have lost their StatefulSet.
    if (observed.database.metadata.deletionTimestamp !== undefined) return false;
    expect(deleted).toHaveLength(1);
    const replicas = draft.subject?.resolved.topology.replicas ?? 0;
    expect(pods).toHaveLength(replicas);
    expect(pods.filter(isReady).length - 1).toBeGreaterThanOrEqual(quorumOf(replicas));
    return true;
  });
});

test('a volume’s request is not lowered below the volume’s capacity', () => {
  always(({ observed, draft }) => {
    let lowered = false;
    for (const action of ofKind(draft, 'patch', 'PersistentVolumeClaim')) {
      if (action.verb !== 'patch' || action.purpose !== 'growth') continue;
      const { spec } = action.patch as { spec: NonNullable<Claim['spec']> };
      const claim = observed.owned.claims.find((one) => one.metadata.name === action.target.name);
      if (claim === undefined) throw new Error(`${action.target.name} is not there`);
      const asks = gigabytesOf(spec.resources?.requests?.['storage']) ?? 0;
      if (asks >= requestedGb(claim)) continue;
      expect(asks).toBeGreaterThanOrEqual(capacityGb(claim) ?? 0);
      lowered = true;
    }
    return lowered;
  });
});

test('a database that is being deleted gets nothing new', () => {
  always(({ observed, draft }) => {
    if (observed.database.metadata.deletionTimestamp === undefined) return false;
    const makes = ['create', 'apply', 'issue'];
    expect(draft.actions.filter(({ verb }) => makes.includes(verb))).toEqual([]);
    return true;
  });
});
