import { expect, test } from '@jest/globals';
import { apiPath } from './api-path.ts';
import { resources } from '../../domain/kinds.ts';

test('paths of the core group, of other groups, of cluster-wide resources, of subresources', () => {
  expect(apiPath(resources.pod, {})).toBe('/api/v1/pods');
  expect(apiPath(resources.pod, { namespace: 'a', name: 'b' })).toBe('/api/v1/namespaces/a/pods/b');
  expect(apiPath(resources.storageClass, { name: 'fast' })).toBe(
    '/apis/storage.k8s.io/v1/storageclasses/fast',
  );
  expect(apiPath(resources.database, { namespace: 'a', name: 'b', subresource: 'status' })).toBe(
    '/apis/ledgerhouse.dev/v1alpha1/namespaces/a/ledgerdatabases/b/status',
  );
});

test('a name cannot lead to another path, least of all to the collection', () => {
  expect(apiPath(resources.pod, { namespace: 'a', name: 'b/../c' })).toBe(
    '/api/v1/namespaces/a/pods/b%2F..%2Fc',
  );
  for (const name of ['', '.', '..']) {
    expect(() => apiPath(resources.pod, { namespace: 'a', name })).toThrow();
  }
  expect(() => apiPath(resources.pod, { name: 'b' })).toThrow();
  expect(() => apiPath(resources.storageClass, { namespace: 'a', name: 'b' })).toThrow();
});
