import { expect, test } from '@jest/globals';
import { planOf } from '../../test/support/operator/plan-of.ts';
import { cachesOf } from '../../test/support/operator/simulated-cluster.ts';
import type { DatabaseObject } from '../../domain/custom-objects.ts';
import type { KubeObject } from '../../base/kube/kube.ts';
import { observeCaches } from './observe.ts';

test('a copy of a namespace counts into no database of the first one', () => {
  const { observed } = planOf({ kind: { engine: 'TigerBeetle', topology: 'ha-3' } });
  const original: readonly KubeObject[] = Object.values(observed.owned).flat();
  expect(original.length).toBeGreaterThan(10);
  const copies = original.map((object) => ({
    ...object,
    metadata: { ...object.metadata, namespace: 'org-copy', uid: `copy-${object.metadata.uid}` },
  }));
  const all = new Map(
    [...original, ...copies].map((object) => [
      `${object.kind}/${object.metadata.namespace}/${object.metadata.name}`,
      object,
    ]),
  );
  const database = observed.database as unknown as DatabaseObject;
  expect(observeCaches(cachesOf(all), database).owned).toEqual(observed.owned);
});
