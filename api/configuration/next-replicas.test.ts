/** Tests of when a change of shape stops the single replica: once the others have their volumes, or nobody will make them. */
import { expect, test } from '@jest/globals';
import type { DatabaseObject } from '../../domain/custom-resources.ts';
import { annotations } from '../../domain/names.ts';
import { nextReplicas } from './next-replicas.ts';

const nowMs = Date.parse('2026-11-28T10:00:00Z');

/** Asked for this long ago, for a quarter of an hour. */
const asked = (secondsAgo: number, said?: object, topology = 'ha-3') => {
  const until = new Date(nowMs - secondsAgo * 1_000 + 15 * 60_000).toISOString();
  const noted = { [annotations.nextTopology]: `${topology}/${until}` };
  return {
    metadata: { name: 'payments', annotations: noted },
    status: { nextTopology: said },
  } as unknown as DatabaseObject;
};
const made = { name: 'ha-3', ready: true };
const open = { name: 'ha-3', ready: false, message: 'no node has room' };

test.each([
  ['nobody has asked', { metadata: {} } as DatabaseObject, 'awaited'],
  ['all are made', asked(2, made), 'ready'],
  ['some are not', asked(2, open), 'awaited'],
  ['the operator has not heard yet', asked(2), 'awaited'],
  ['those of another topology are made', asked(2, { name: 'ha-6', ready: true }), 'awaited'],
  ['those were asked for by another change', asked(2, made, 'ha-6'), 'awaited'],
  ['an operator of an earlier release leads', asked(31), 'ready'],
  ['they get no place', asked(301, open), 'failed'],
  ['they came late', asked(301, made), 'ready'],
  ['they were asked for too long ago', asked(901, made), 'awaited'],
])('if %s', (_, object, kind) => {
  expect(nextReplicas(object, 'ha-3', nowMs).kind).toBe(kind);
});

test('the reason why they cannot be made is reported', () => {
  expect(nextReplicas(asked(301, open), 'ha-3', nowMs).message).toBe('no node has room');
});
