import { expect, test } from '@jest/globals';
import type { KubeObject } from './kube.ts';
import { MergedCache } from './merged-cache.ts';
import { ObjectCache } from './object-cache.ts';

const objectOf = (namespace: string, group: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace, name: 'same', uid: namespace, resourceVersion: '1', labels: { group } },
});

test('caches of several namespaces answer like one, which is synced once all are', () => {
  const [a, b] = [new ObjectCache('group'), new ObjectCache('group')];
  const merged = new MergedCache(
    new Map([
      ['a', a],
      ['b', b],
    ]),
  );
  a.put(objectOf('a', 'x'));
  b.put(objectOf('b', 'x'));
  expect(merged.get('b', 'same')?.metadata.namespace).toBe('b');
  expect(merged.get('c', 'same')).toBeUndefined();
  expect(merged.get(undefined, 'same')).toBeUndefined();
  expect(merged.list()).toHaveLength(2);
  expect(merged.byIndex('x').map(({ metadata }) => metadata.namespace)).toEqual(['a', 'b']);
  a.synced = true;
  expect(merged.synced).toBe(false);
  b.synced = true;
  expect(merged.synced).toBe(true);
});
