import { expect, test } from '@jest/globals';
import { placeWithoutState } from '../log/without-state.ts';
import { stateOf } from './member-state.ts';

const place = (sequence: number) => ({
  incarnation: 1,
  sequence,
  fence: 4,
  seal: new Uint8Array(16),
});

const traces = { hasData: false, joins: false, hadMember: false };

test.each([
  ['formatted, never begun', undefined, {}, 'new'],
  ['formatted, with what it has run until now', undefined, { hasData: true }, 'new'],
  ['formatted without a state, never begun', placeWithoutState(1, 'new'), {}, 'new'],
  ['formatted without a state, begun', placeWithoutState(1, 'new'), { hasData: true }, 'existing'],
  ['made by recover', place(0), { joins: true }, 'existing'],
  ['made by recover, begun', place(0), { hasData: true }, 'existing'],
  ['with a checkpoint and its member', place(9), { hasData: true, hadMember: true }, 'existing'],
  ['with a checkpoint, its member replaced', place(9), { joins: true }, 'existing'],
  ['without a checkpoint, its member replaced', undefined, { joins: true }, 'existing'],
] as const)('%s', (_, where, found, state) => {
  expect(stateOf(where, { ...traces, ...found }, '/data/etcd')).toBe(state);
});

test.each([
  ['its checkpoint is in the log', place(9), {}],
  [
    'the engine has seen its member, before the first checkpoint too',
    undefined,
    { hadMember: true },
  ],
  ['made by recover, for a log that is there', placeWithoutState(1, 'lost'), {}],
  ['formatted without a state, and begun', placeWithoutState(1, 'new'), { hadMember: true }],
  ['the one that recover had expected has begun and is gone', place(0), { hadMember: true }],
])(
  'a replica that has lost its member of etcd does not begin a new one, for who has voted cannot forget: %s',
  (_, where, found) => {
    expect(stateOf(where, { ...traces, ...found }, '/data/etcd')).toEqual({
      reason: 'LogMemberMissing',
      message: expect.stringMatching(/\/data\/etcd is empty.*block \d.*`recover`/),
    });
  },
);
