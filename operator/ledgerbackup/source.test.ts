import { expect, test } from '@jest/globals';
import type { LedgerDatabase } from '../../domain/custom-resources.ts';
import { chooseSource } from './source.ts';

const stopped = (replicas: number): LedgerDatabase =>
  ({
    metadata: { name: 'payments' },
    spec: {},
    status: {
      resolved: { topology: { replicas } },
      conditions: [{ type: 'Suspended', status: 'True' }],
      members: [],
    },
  }) as unknown as LedgerDatabase;
const nobody = () => Promise.reject(new Error('nobody is to be asked'));

test('a stopped database of one replica is backed up from its closed file', async () => {
  expect(await chooseSource(stopped(1), [], nobody)).toEqual({
    replica: 0,
    file: { kind: 'stopped' },
  });
});

test('a stopped database of several replicas is not backed up from a file that may be behind', async () => {
  expect(await chooseSource(stopped(3), [], nobody)).toEqual({
    problem: expect.stringContaining('only one that runs'),
  });
});
