import { expect, test } from '@jest/globals';
import { planOf } from '../../../test/support/operator/plan-of.ts';
import { annotations, handOverFinalizer } from '../../../domain/names.ts';
import { targetOf } from '../actions.ts';
import type { Observation } from '../observation.ts';

const going = {
  kind: { engine: 'Builtin', topology: 'single' },
  deleting: true,
  held: true,
  deletionPolicy: 'Delete',
} as const;
const named = ({ draft }: ReturnType<typeof planOf>) =>
  draft.actions.map((action) => `${action.verb} ${targetOf(action).resource.kind}`);

test('volumes that are deleted with their database are not made anew: what would make them is stopped first', () => {
  const first = planOf(going);
  expect(first.draft.actions).toMatchObject([
    { verb: 'patch', guarded: true, patch: { spec: { replicas: 0 } } },
  ]);
  // The StatefulSet is scaled down, but its controller has not seen that yet.
  expect(named(planOf({ ...going, suspend: true, set: 'unseen' }))).toEqual([]);
  const stopped = planOf({ ...going, suspend: true });
  expect(named(stopped)).toEqual(['delete PersistentVolumeClaim']);
  expect(named(planOf({ ...going, set: 'absent' }, { 0: { pod: 'absent' } }))).toEqual([
    'delete PersistentVolumeClaim',
  ]);
});

test('a namespace whose rights go with it is held by no finalizer, and the volumes know that they go', () => {
  const namespaced = { namespaced: true };
  const staying = { ...going, deleting: false };
  const { draft } = planOf(staying, {}, undefined, namespaced);
  expect(draft.actions).toMatchObject([
    {
      target: { resource: { kind: 'PersistentVolumeClaim' } },
      patch: { metadata: { annotations: { 'ledgerhouse.dev/deletion-policy': 'Delete' } } },
    },
    { target: { resource: { kind: 'LedgerDatabase' } }, patch: { metadata: { finalizers: [] } } },
  ]);
  const kept = { ...staying, held: false, deletionPolicy: 'Retain' } as const;
  expect(planOf(kept, {}, undefined, namespaced).draft.actions).toEqual([]);
  const waits = { ...staying, deletionPolicy: 'BackupThenDelete' } as const;
  expect(planOf(waits, {}, undefined, namespaced).draft.actions).toEqual([]);
});

/** Volumes with the note that they go with their database. */
const noted = ({ owned, database }: Observation): Partial<Observation> => ({
  owned: {
    ...owned,
    claims: owned.claims.map((claim) => ({
      ...claim,
      metadata: {
        ...claim.metadata,
        annotations: { ...claim.metadata.annotations, [annotations.deletionPolicy]: 'Delete' },
      },
    })),
  },
  database,
});
const unnoted = {
  purpose: 'policy',
  patch: { metadata: { annotations: { [annotations.deletionPolicy]: null } } },
};

test('a policy that is changed back to Retain while the database is being deleted keeps the volumes, without a finalizer too', () => {
  const rescued = { ...going, deletionPolicy: 'Retain' } as const;
  const { draft } = planOf(rescued, {}, noted, { namespaced: true });
  expect(draft.actions).toMatchObject([unnoted]);
  expect(planOf(going, {}, noted, { namespaced: true }).draft.actions).not.toContainEqual(
    expect.objectContaining({ purpose: 'policy' }),
  );
});

test.each(['Retain', 'Delete'] as const)(
  'volumes of a paused database under %s do not go with it, where no finalizer holds it',
  (deletionPolicy) => {
    const staying = { ...going, deleting: false, held: false, deletionPolicy };
    const paused = (observed: Observation): Partial<Observation> => ({
      ...noted(observed),
      database: { ...observed.database, spec: { ...observed.database.spec, paused: true } },
    });
    const { draft } = planOf(staying, {}, paused, { namespaced: true });
    expect(draft.actions).toMatchObject([unnoted]);
    expect(draft.leftUndone?.join()).not.toContain('policy');
  },
);

test('a spec that cannot be met keeps no note on volumes that are to stay', () => {
  const refused = {
    ...going,
    deleting: false,
    held: false,
    deletionPolicy: 'Retain',
    known: 'nothing',
    changes: { size: 'lh-7', sizeGb: 2, version: 'old' },
  } as const;
  const { draft } = planOf(refused, {}, noted, { namespaced: true });
  expect(draft.stall?.reason).toBe('UnknownSize');
  expect(draft.actions).toMatchObject([unnoted]);
});

test('a database goes once all its volumes do', () => {
  const stopped = { ...going, suspend: true } as const;
  expect(named(planOf(stopped, { 0: { claim: 'deleting' } }))).toEqual(['patch LedgerDatabase']);
});

const marked = ({ owned }: Observation): Partial<Observation> => ({
  owned: {
    ...owned,
    claims: owned.claims.map((claim) => ({
      ...claim,
      metadata: {
        ...claim.metadata,
        annotations: {
          ...claim.metadata.annotations,
          [annotations.handedOver]: '2026-11-21T09:00:00Z',
        },
      },
    })),
  },
});

test('under HandOver the replicas stop, and then each volume is left to whoever goes on with it', () => {
  const leaving = { ...going, deletionPolicy: 'HandOver' } as const;
  // The operator holds it, also where its rights go with the namespace.
  const staying = { ...leaving, deleting: false, held: false };
  const { actions } = planOf(staying, {}, undefined, { namespaced: true }).draft;
  // Not the one that an operator of a release before would take off.
  expect(actions).toMatchObject([{ patch: { metadata: { finalizers: [handOverFinalizer] } } }]);
  // The mark comes first: the resource may lose its policy, or the operator its knowledge of it, in any later step.
  const handed = { metadata: { annotations: { [annotations.handedOver]: expect.any(String) } } };
  expect(planOf(leaving).draft.actions).toMatchObject([{ verb: 'patch', patch: handed }]);
  const stopped = { ...leaving, set: 'absent' } as const;
  // One that has lost its StatefulSet is ended, too.
  expect(named(planOf(stopped))).toEqual(['delete Pod']);
  const ended = { 0: { pod: 'absent' } } as const;
  expect(planOf(stopped, ended).draft.actions).toMatchObject([{ verb: 'patch', patch: handed }]);
  expect(planOf(leaving, {}, marked).draft.actions).toMatchObject([
    { verb: 'patch', guarded: true, patch: { spec: { replicas: 0 } } },
  ]);
  expect(planOf(stopped, ended, marked).draft.actions).toMatchObject([
    { guarded: true, patch: { metadata: { finalizers: [] } } },
  ]);
});

const over = { terminated: { exitCode: 0 } };
const crashed = { terminated: { exitCode: 137 } };
test.each([
  // Others say so of a node that is lost.
  ['has ended everything by its node’s word', 'Failed', 0, [over], true],
  ['runs a container', 'Failed', 0, [{ running: {} }, over], false],
  ['has told nothing', 'Failed', 0, [], false],
  ['has ended everything, as a node tells that knows that it goes', 'Running', 2, [over], true],
  // Its node is about to run it again.
  ['crashed before its node knew that it goes', 'Running', 1, [crashed], false],
  ['crashed on a node that does not tell what it knows', 'Running', 0, [crashed], false],
] as const)(
  'under HandOver a pod that goes and %s holds the volume as it should',
  (_, phase, observedGeneration, states, isOver) => {
    const leaving = { ...going, deletionPolicy: 'HandOver', set: 'absent' } as const;
    const ending = ({ owned }: Observation): Partial<Observation> => ({
      owned: {
        ...owned,
        pods: owned.pods.map(({ metadata, status, ...pod }) => ({
          ...pod,
          metadata: { ...metadata, generation: 2, deletionTimestamp: '2026-11-21T10:00:00Z' },
          status: Object.assign({}, status, {
            phase,
            ...(observedGeneration > 0 && { observedGeneration }),
            containerStatuses: states.map((state) => ({ name: 'engine', state })),
          }),
        })),
      },
    });
    const { actions } = planOf(leaving, {}, ending).draft;
    expect(actions.length > 0).toBe(isOver);
  },
);

test('under HandOver no replica stops whose volume somebody has deleted: it would be gone with the pod', () => {
  const leaving = { ...going, deletionPolicy: 'HandOver' } as const;
  const { draft } = planOf(leaving, { 0: { claim: 'deleting' } });
  expect(draft.actions).toEqual([]);
  expect(draft.stall?.reason).toBe('VolumeBeingDeleted');
});

test('volumes that are left to another database stay under Delete, too; under a policy with a backup they go once it has their data', () => {
  const stopped = [{ ...going, set: 'absent' }, { 0: { pod: 'absent' } }] as const;
  expect(named(planOf(...stopped))).toEqual(['delete PersistentVolumeClaim']);
  expect(named(planOf(...stopped, marked))).toEqual(['patch LedgerDatabase']);
});

test('a mark that stays on the volume of a living database, as after an adoption by an operator of a release before, is taken off', () => {
  const living = { ...going, deleting: false } as const;
  expect(planOf(living, {}, marked).draft.actions).toMatchObject([
    { patch: { metadata: { annotations: { [annotations.handedOver]: null } } } },
  ]);
});
