import { expect, test } from '@jest/globals';
import type { DatabaseObject } from '../../domain/custom-resources.ts';
import type { Database } from '../store/database-record.ts';
import { belongs } from './belonging.ts';

const row = (more: Partial<Database>): Database =>
  ({ kubernetesNamespace: 'org-a', name: 'one', status: 'READY', ...more }) as Database;
const resource = { metadata: { namespace: 'org-a', name: 'one', uid: 'u-1' } } as DatabaseObject;

test.each([
  ['its recorded uid', { kubernetesUid: 'u-1' }, true],
  ['another uid', { kubernetesUid: 'u-2' }, false],
  ['no uid yet, while it is made', { kubernetesUid: null, status: 'PROVISIONING' }, true],
  // Made just before the deletion, by a process that died before it recorded the UID.
  ['no uid, while it is deleted', { kubernetesUid: null, status: 'DELETING' }, true],
  ['no uid, after it was deleted', { kubernetesUid: null, status: 'DELETED' }, false],
  ['another namespace', { kubernetesUid: 'u-1', kubernetesNamespace: 'org-b' }, false],
  ['another name', { kubernetesUid: 'u-1', name: 'two' }, false],
] as const)('a resource counts for a row with %s: %s', (_what, more, expected) => {
  expect(belongs(row(more), resource)).toBe(expected);
});
