import { expect, test } from '@jest/globals';
import { planOf } from '../../../test/support/operator/plan-of.ts';
import { targetOf } from '../actions.ts';

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

test('a database goes once all its volumes do', () => {
  const stopped = { ...going, suspend: true } as const;
  expect(named(planOf(stopped, { 0: { claim: 'deleting' } }))).toEqual(['patch LedgerDatabase']);
});
