import { expect, test } from '@jest/globals';
import { notBegun, planOf } from '../../../test/support/operator/plan-of.ts';
import { targetOf } from '../actions.ts';

const running = {
  kind: { engine: 'Builtin', topology: 'single' },
} as const;
const grown = { requestedGb: 5, acknowledgedGb: 2 };
const named = (draft: ReturnType<typeof planOf>['draft']) =>
  draft.actions.map((action) => `${action.verb} ${targetOf(action).resource.kind}`);

test('a volume that somebody deletes while its database runs is told, with what saves it', () => {
  const { condition } = planOf(running, { 0: { claim: 'deleting' } });
  expect(condition('Available')?.status).toBe('True');
  expect(condition('Stalled')).toMatchObject({ status: 'True', reason: 'VolumeBeingDeleted' });
  expect(condition('Stalled')?.message).toContain('data-payments-5e1f0c-0');
  expect(condition('Stalled')?.message).toContain('persistentVolumeReclaimPolicy');
});

test('a volume that is being deleted and does not grow is not said to be growing', () => {
  const changes = { size: 'lh-40', sizeGb: 5, version: 'old' } as const;
  const { condition } = planOf({ ...running, changes }, { 0: { claim: 'deleting' } });
  expect(condition('StorageReady')).toMatchObject({
    status: 'False',
    message: expect.stringContaining('is being deleted and does not grow'),
  });
});

test('a pod that holds a deleted volume is not stopped by suspending: its data would go with it', () => {
  const asked = { ...running, suspend: true, set: 'awake' } as const;
  const { draft, condition } = planOf(asked, { 0: { claim: 'deleting' } });
  expect(named(draft)).toEqual([]);
  expect(condition('Stalled')?.reason).toBe('VolumeBeingDeleted');
  // Without it the database is stopped, after the API server's own data about its volumes was read.
  const stopped = planOf(asked).draft.actions;
  expect(stopped).toMatchObject([{ verb: 'apply', purpose: 'workload', guarded: true }]);
});

test('a status that was lost does not keep a running database waiting for a volume that is being deleted', () => {
  const { draft, condition } = planOf(
    { ...running, known: 'nothing' },
    { 0: { claim: 'deleting' } },
  );
  expect(draft.facts.bootstrapped).toBe(true);
  expect(condition('Bootstrapped')?.status).toBe('True');
  expect(condition('Available')?.reason).toBe('QuorumServing');
});

test('a volume that is gone is not made and formatted anew when another one shows that the database has lived', () => {
  const { draft } = planOf(
    { kind: { engine: 'TigerBeetle', topology: 'ha-3' }, known: 'nothing', set: 'absent' },
    {
      0: { pod: 'absent' },
      1: { pod: 'absent', claim: 'absent' },
      2: { pod: 'absent' },
    },
  );
  expect(draft.facts.bootstrapped).toBe(true);
  expect(named(draft).filter((what) => what.startsWith('create'))).toEqual(['create StatefulSet']);
});

test('a claim that never got a volume is made anew when its size is corrected', () => {
  const unborn = {
    ...running,
    set: 'absent',
    known: 'some',
    knows: notBegun,
    changes: { size: 'lh-40', sizeGb: 2, version: 'old' },
  } as const;
  const first = { pod: 'absent', claim: 'pending', formatted: false, recorded: false } as const;
  const { draft } = planOf(unborn, { 0: { ...first, requestedGb: 5 } });
  expect(draft.actions.filter(({ purpose }) => purpose === 'volume')).toMatchObject([
    { verb: 'delete', guarded: true },
  ]);
  const right = planOf(unborn, { 0: { ...first, requestedGb: 2 } });
  expect(right.draft.actions.filter(({ purpose }) => purpose === 'volume')).toEqual([]);
});

test.each([
  ['for good', { allocatedResourceStatuses: { storage: 'ControllerResizeInfeasible' } }],
  ['on the node', { allocatedResourceStatuses: { storage: 'NodeResizeInfeasible' } }],
  [
    'with a message',
    { conditions: [{ type: 'ControllerResizeError', status: 'True', message: 'no room' }] },
  ],
])('a growth that the storage refuses %s is told, with the way back', (_, says) => {
  const changes = { size: 'lh-40', sizeGb: 5, version: 'old' } as const;
  const { condition } = planOf({ ...running, changes }, {}, ({ database, owned }) => ({
    database: { ...database, status: { ...database.status, storage: { ...grown, summary: '' } } },
    owned: {
      ...owned,
      claims: owned.claims.map((claim) => ({
        ...claim,
        status: Object.assign({}, claim.status, says),
      })),
    },
  }));
  expect(condition('StorageReady')).toMatchObject({ status: 'False', reason: 'ExpansionFailed' });
  expect(condition('StorageReady')?.message).toMatch(
    /(?:Infeasible|no room); to undo the growth, set spec\.storage\.sizeGb to 2$/,
  );
});

test('a Job that made the data file of a volume that somebody deleted is not taken for that of the next volume', () => {
  const begins = { ...running, known: 'all', knows: notBegun, set: 'absent' } as const;
  const gone = { claim: 'absent', pod: 'absent' } as const;
  const { draft } = planOf(begins, { 0: { ...gone, format: 'succeeded' } });
  expect(named(draft).filter((what) => /Claim|Job/.test(what))).toEqual(['delete Job']);
  expect(named(planOf(begins, { 0: gone }).draft)).toContain('create PersistentVolumeClaim');
});
