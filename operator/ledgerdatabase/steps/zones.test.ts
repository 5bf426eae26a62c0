import { expect, test } from '@jest/globals';
import { notBegun, planOf } from '../../../test/support/operator/plan-of.ts';
import type { Observation } from '../observation.ts';

const kind = { engine: 'TigerBeetle', topology: 'ha-3' } as const;
const unformatted = { formatted: false, recorded: false, hasFile: false, pod: 'absent' } as const;

/** A database whose first two volumes have nodes, in a region that says `zoneSpread` or nothing. */
const making = (zones: Observation['zones'], zoneSpread?: 'Required') =>
  planOf(
    {
      kind,
      set: 'absent',
      knows: notBegun,
    },
    { 0: unformatted, 1: unformatted, 2: unformatted },
    (observed) => ({
      zones,
      database: {
        ...observed.database,
        status: {
          ...observed.database.status,
          resolved: {
            ...observed.database.status?.resolved,
            placement: {
              provider: 'local',
              region: 'local-1',
              ...observed.database.status?.resolved?.placement,
              ...(zoneSpread === undefined ? {} : { zoneSpread }),
            },
          },
        },
      },
      owned: {
        ...observed.owned,
        claims: observed.owned.claims.map((claim, index) => ({
          ...claim,
          metadata: {
            ...claim.metadata,
            annotations: index < 2 ? { 'volume.kubernetes.io/selected-node': `node-${index}` } : {},
          },
        })),
      },
    }),
  ).draft;

const jobsOf = (draft: ReturnType<typeof making>) =>
  draft.actions.flatMap((action) =>
    action.verb === 'create' && action.purpose === 'format' ? [JSON.stringify(action.object)] : [],
  );

test('the zones of chosen nodes are read before another volume is placed', () => {
  const draft = making(undefined);
  expect([...draft.needs]).toContain('zones');
  expect(jobsOf(draft)).toHaveLength(1);
});

test('a Job names the zones that the other volumes are in', () => {
  const zones = new Map([
    ['node-0', 'zone-a'],
    ['node-1', 'zone-b'],
  ]);
  const [first, second, third] = jobsOf(making(zones));
  expect(first).not.toContain('zone-a');
  expect(second).toContain('"values":["zone-a"]');
  expect(third).toContain('"values":["zone-a","zone-b"]');
});

test('Required: while the zone of a volume is unknown, the next one waits and says why', () => {
  const draft = making(new Map([['node-0', 'zone-a']]), 'Required');
  expect(jobsOf(draft)).toHaveLength(2);
  expect(draft.waiting).toContain(
    'the zone of node node-1 is unknown: give it the label topology.kubernetes.io/zone',
  );
  expect(jobsOf(making(new Map([['node-0', 'zone-a']])))).toHaveLength(3);
});
