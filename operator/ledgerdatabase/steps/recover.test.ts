import { expect, test } from '@jest/globals';
import { planOf } from '../../../test/support/operator/plan-of.ts';
import { targetOf } from '../actions.ts';

const lost = { pod: 'missing', hasFile: false } as const;
const madeBy = (draft: ReturnType<typeof planOf>['draft']) =>
  draft.actions
    .filter(({ purpose }) => purpose === 'recovery')
    .map((action) => `${action.verb} ${targetOf(action).resource.kind} ${targetOf(action).name}`);

test('a replica that lost its data file is made again from the others', () => {
  const { draft, condition } = planOf({}, { 1: lost });
  expect(madeBy(draft)).toEqual(['create Job payments-5e1f0c-recover-1']);
  expect(condition('Stalled')?.status).toBe('False');
});

test.each([
  ['single', [0]],
  ['ha-3', [0, 2]],
  ['ha-3', [0, 1, 2]],
  ['ha-6', [0, 1, 2]],
] as const)(
  'when too few replicas of %s have their data file (%j lost), a person is told; nothing waits for ever',
  (topology, gone) => {
    const { draft, condition } = planOf(
      { kind: { engine: 'TigerBeetle', topology } },
      Object.fromEntries(gone.map((index) => [index, lost])),
    );
    expect(draft.actions).toEqual([]);
    expect(condition('Stalled')).toMatchObject({ status: 'True', reason: 'ReplicaDataLost' });
    for (const index of gone) {
      expect(condition('Stalled')?.message).toContain(`data-payments-5e1f0c-${index}`);
    }
  },
);

const six = { kind: { engine: 'TigerBeetle', topology: 'ha-6' } } as const;

test('two lost replicas of six are recovered, one after the other', () => {
  const first = planOf(six, { 1: lost, 4: lost });
  expect(madeBy(first.draft)).toEqual(['create Job payments-5e1f0c-recover-1']);
  const second = planOf(six, { 1: { ...lost, recover: 'running' }, 4: lost });
  expect(madeBy(second.draft)).toEqual([]);
  const third = planOf(six, { 4: lost });
  expect(madeBy(third.draft)).toEqual(['create Job payments-5e1f0c-recover-4']);
});

test('a replica of ours that lost its member alone is made again, too: nobody has to take its volume away', () => {
  const kind = { engine: 'Builtin', topology: 'ha-3' } as const;
  const { draft, condition } = planOf({ kind }, { 1: { pod: 'memberMissing' } });
  expect(madeBy(draft)).toEqual(['create Job payments-5e1f0c-recover-1']);
  expect(condition('Stalled')?.status).toBe('False');
});

test('a lost replica waits until the others could go on without any one of them', () => {
  const { draft, condition } = planOf(six, {
    1: lost,
    2: { pod: 'starting' },
    3: { pod: 'starting' },
  });
  expect(madeBy(draft)).toEqual([]);
  expect(condition('Ready')).toMatchObject({
    reason: 'Recovering',
    message: expect.stringContaining('once 4 others are ready, now 3 are'),
  });
});

test('a replica that loses its data file once more after it was made again is made again once more', () => {
  const { draft } = planOf({}, { 1: { ...lost, recover: 'succeeded' } });
  // This pod is younger than the Job's data file.
  expect(madeBy(draft)).toEqual(['delete Job payments-5e1f0c-recover-1']);
});

test('the Job that recovered a replica is deleted when the replica runs, however the Job ended', () => {
  const { draft } = planOf({}, { 0: { recover: 'failed' }, 1: { recover: 'succeeded' } });
  expect(madeBy(draft)).toEqual([
    'delete Job payments-5e1f0c-recover-0',
    'delete Job payments-5e1f0c-recover-1',
  ]);
});
