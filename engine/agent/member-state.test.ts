import { expect, test } from '@jest/globals';
import { stateOf } from './member-state.ts';

const place = (sequence: number) => ({
  incarnation: 1,
  sequence,
  fence: 4,
  seal: new Uint8Array(16),
});

test.each([
  ['formatted, never begun', undefined, false, 'new'],
  ['formatted, with what it has run until now', undefined, true, 'new'],
  ['made by recover', place(0), false, 'existing'],
  ['made by recover, begun', place(0), true, 'existing'],
  ['with a checkpoint and its member', place(9), true, 'existing'],
] as const)('%s', (_, where, hasData, state) => {
  expect(stateOf(where, hasData, '/data/etcd')).toBe(state);
});

test('a replica that has lost its member of etcd does not begin a new one: who has voted cannot forget', () => {
  expect(stateOf(place(9), false, '/data/etcd')).toEqual({
    reason: 'LogMemberMissing',
    message: expect.stringMatching(/\/data\/etcd is empty.*block 9.*`recover`/),
  });
});
