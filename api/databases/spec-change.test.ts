import { expect, test } from '@jest/globals';
import type { DatabaseObject } from '../../domain/custom-resources.ts';
import { managerOf } from './spec-change.ts';

const change = { path: '/selectedStorageGb', from: 20, to: 24 };
const written = (sizeGb: number) =>
  ({
    metadata: {
      managedFields: [
        {
          manager: 'kubectl-edit',
          time: '2026-01-01T00:00:00Z',
          fieldsV1: { 'f:spec': { 'f:storage': { 'f:sizeGb': {} } } },
        },
      ],
    },
    spec: { storage: { sizeGb, autogrow: { limitGb: 100 } } },
    status: { autogrow: { sizeGb: 24 } },
  }) as unknown as DatabaseObject;

test('storage that grew by itself is the operator’s change, not that of the last writer of the spec', () => {
  expect(managerOf(written(20), [change])).toBe('ledgerhouse-operator');
  expect(managerOf(written(24), [change])).toBe('kubectl-edit');
  const others = [change, { path: '/clusterSize', from: 'lh-5', to: 'lh-10' }];
  expect(managerOf(written(20), others)).toBe('kubectl-edit');
});
