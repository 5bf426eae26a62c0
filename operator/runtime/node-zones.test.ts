import { expect, test } from '@jest/globals';
import { ApiError, type Kube, type Reference } from '../../base/kube/kube.ts';
import { zoneLabel } from '../../domain/names.ts';
import { NodeZones } from './node-zones.ts';

const kubeOf = (read: (name: string) => object | undefined) => {
  const asked: string[] = [];
  const kube = {
    read: async ({ name }: Reference) => {
      asked.push(name);
      return read(name);
    },
  } as unknown as Kube;
  return { kube, asked };
};

const node = (labels: Record<string, string>) => ({ metadata: { labels } });

test('each node is read once, and again after some minutes', async () => {
  let nowMs = 0;
  const zones = new NodeZones(() => nowMs);
  const { kube, asked } = kubeOf((name) => node({ [zoneLabel]: `zone-of-${name}` }));
  const wanted = new Map([
    ['a', 'zone-of-a'],
    ['b', 'zone-of-b'],
  ]);
  expect(await zones.of(kube, ['a', 'b', 'a'])).toEqual(wanted);
  expect(await zones.of(kube, ['a', 'b'])).toEqual(wanted);
  expect(asked).toEqual(['a', 'b']);
  nowMs += 5 * 60_000;
  await zones.of(kube, ['a']);
  expect(asked).toEqual(['a', 'b', 'a']);
});

test('without the right to read nodes, and for nodes without a zone, nothing is known', async () => {
  const forbidden = kubeOf(() => {
    throw new ApiError('no', { status: 403, reason: 'Forbidden' });
  });
  expect(await new NodeZones().of(forbidden.kube, ['a'])).toEqual(new Map());
  for (const found of [undefined, node({}), node({ [zoneLabel]: '' })]) {
    expect(await new NodeZones().of(kubeOf(() => found).kube, ['a'])).toEqual(new Map());
  }
});

test('an API server that fails is not taken for a node without a zone', async () => {
  const failing = kubeOf(() => {
    throw new ApiError('later', { status: 500, reason: 'InternalError' });
  });
  await expect(new NodeZones().of(failing.kube, ['a'])).rejects.toThrow('later');
});
