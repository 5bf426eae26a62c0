/** Volumes that a StatefulSet made while somebody had scaled it: they go with their database, and count for nothing else. */
import { expect, test } from '@jest/globals';
import { notBegun, planOf } from '../../../test/support/operator/plan-of.ts';
import type { Claim } from '../../../domain/kinds.ts';
import { labels } from '../../../domain/names.ts';
import { targetOf, type Action } from '../actions.ts';
import type { Observation } from '../observation.ts';

/** The volume of a fourth replica, made from that of the first: nothing runs on it, so that it is not bound. */
function surplusOf([first]: readonly Claim[], changes: object = {}): Claim {
  if (first === undefined) throw new Error('there is no volume');
  const { annotations: _, ...metadata } = first.metadata;
  const name = metadata.name?.replace(/0$/, '3') ?? '';
  return {
    ...first,
    metadata: { ...metadata, name, uid: 'surplus', ...changes },
    spec: Object.assign({}, first.spec, { resources: { requests: { storage: '1Gi' } } }),
    status: { phase: 'Pending' },
  };
}

const withSurplus =
  (changes: object = {}) =>
  ({ owned }: Observation): Partial<Observation> => ({
    owned: { ...owned, claims: [...owned.claims, surplusOf(owned.claims, changes)] },
  });

const names = (actions: readonly Action[], purpose: string) =>
  actions.filter((action) => action.purpose === purpose).map((action) => targetOf(action).name);

test('a surplus volume that is never bound keeps no database from being ready, and its storage from growing by itself', () => {
  const seen = (observed: Observation): Partial<Observation> => {
    const { database, nowMs } = observed;
    const storage = { ...database.spec.storage, autogrow: { limitGb: 100 } };
    const lastTransitionTime = new Date(nowMs - 3_600_000).toISOString();
    const row = {
      type: 'StorageReady',
      status: 'True',
      reason: 'InSize',
      message: '',
      lastTransitionTime,
      observedGeneration: database.metadata.generation ?? 0,
    };
    return {
      ...withSurplus()(observed),
      database: {
        ...database,
        spec: { ...database.spec, storage },
        status: {
          ...database.status,
          conditions: [row],
          storage: { requestedGb: 2, acknowledgedGb: 2 },
        },
      } as unknown as Observation['database'],
      capacity: { reason: 'Enough', message: '', storage: { usedPart: 0.9, atMs: nowMs } },
    };
  };
  const { draft } = planOf({}, {}, seen);
  expect(draft.storageGb).toBe(3);
  expect(names(draft.actions, 'growth')).toHaveLength(3);
  expect(planOf({}, {}, withSurplus()).condition('StorageReady')?.reason).toBe('InSize');
});

test('a surplus volume does not stand in for a lost one', () => {
  const bound = { phase: 'Bound', capacity: { storage: '2Gi' } };
  const { condition } = planOf({}, { 1: { claim: 'absent' } }, ({ owned }) => ({
    owned: { ...owned, claims: [...owned.claims, { ...surplusOf(owned.claims), status: bound }] },
  }));
  expect(condition('StorageReady')).toMatchObject({ status: 'False', reason: 'Provisioning' });
});

test('volumes of a deleted database are taken over with a surplus one, in any order', () => {
  const absent = { claim: 'absent', pod: 'absent', service: 'right' } as const;
  const made = { inherits: 'volumes', known: 'some', knows: notBegun, set: 'absent' } as const;
  const heir = (taken: readonly number[]) =>
    planOf(made, { 0: absent, 1: absent, 2: absent }, ({ database, inheritance, owned }) => {
      const claims = [...(inheritance?.claims ?? []), surplusOf(inheritance?.claims ?? [])];
      const own = { [labels.uid]: database.metadata.uid ?? '' };
      const adopted = claims.map((claim, index) =>
        taken.includes(index)
          ? {
              ...claim,
              metadata: { ...claim.metadata, labels: { ...claim.metadata.labels, ...own } },
            }
          : claim,
      );
      return {
        inheritance: { livingOwners: [], formerPods: [], claims: adopted },
        owned: { ...owned, claims: adopted.filter((_, index) => taken.includes(index)) },
      };
    }).draft;
  expect(heir([]).stall).toBeUndefined();
  expect(names(heir([]).actions, 'adoption')).toHaveLength(4);
  expect(names(heir([0, 1, 3]).actions, 'adoption')).toEqual([expect.stringMatching(/-2$/)]);
  expect(names(heir([0, 1, 2, 3]).actions, 'adoption')).toEqual([]);
});

test('a surplus volume that somebody deletes lets no database go without its last backup', () => {
  const deleting = { deletionPolicy: 'BackupThenDelete', deleting: true, held: true } as const;
  const going = withSurplus({ deletionTimestamp: '2026-11-21T09:00:00Z' });
  const { draft } = planOf(
    { kind: { engine: 'Builtin', topology: 'ha-3' }, ...deleting },
    {},
    going,
  );
  expect(draft.stall?.reason).toBe('BackupsUnavailable');
  expect(names(draft.actions, 'finalizer')).toEqual([]);
});

test('under Delete a surplus volume goes with its database', () => {
  const deleting = { deletionPolicy: 'Delete', deleting: true, held: true } as const;
  const { draft } = planOf({ set: 'absent', ...deleting }, {}, withSurplus());
  expect(names(draft.actions, 'purge')).toHaveLength(4);
});
