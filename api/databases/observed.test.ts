import { expect, test } from '@jest/globals';
import type { DatabaseObject } from '../../domain/custom-resources.ts';
import { observe } from './observed.ts';

const withCapacity = (reason: string) =>
  ({
    metadata: { name: 'payments' },
    spec: {},
    status: { conditions: [{ type: 'CapacityLeft', status: 'True', reason, message: 'why' }] },
  }) as unknown as DatabaseObject;

test.each([
  ['NearLimit', { level: 'NearLimit', message: 'why' }],
  ['Full', { level: 'Full', message: 'why' }],
  ['NotKnown', null],
])('of the room that is left, %s is seen', (reason, capacity) => {
  expect(observe(withCapacity(reason), true, new Date(0)).observed.capacity).toEqual(capacity);
});
