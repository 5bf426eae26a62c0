import { expect, test } from '@jest/globals';
import { catalogSpec } from '../../test/fixtures/catalog.ts';
import type { CatalogSpec, DatabaseSpec } from '../custom-resources.ts';
import { nothing, resolve, type Previous } from './resolve.ts';

type Region = CatalogSpec['providers'][number]['regions'][number];

function catalogOf(region: Partial<Region>): CatalogSpec {
  const spec = catalogSpec();
  const [local, ...others] = spec.providers;
  const regions = [{ id: 'local-1', name: 'Local 1', ...region }] as const;
  return local === undefined ? spec : { ...spec, providers: [{ ...local, regions }, ...others] };
}

function podsOf(
  pods: Region['pods'],
  asked: DatabaseSpec['pods'],
  previous: Previous = nothing,
  region: Partial<Region> = {},
) {
  const catalog = catalogOf({ ...region, ...(pods === undefined ? {} : { pods }) });
  const result = resolve(catalog, asked === undefined ? {} : { pods: asked }, previous);
  return result.ok ? { resolved: result.resolved } : { problems: result.problems };
}

test('the spec adds to the lists and maps of the region, which wins where both have a key, and overrides its single values', () => {
  const { resolved } = podsOf(
    {
      tolerations: [{ key: 'ledger', operator: 'Exists' }],
      tolerationKeys: ['fast'],
      priorityClassName: 'databases',
      imagePullSecrets: ['mirror'],
      labels: { 'example.com/cost': '1', team: 'platform' },
      annotations: { a: 'region', c: 'region' },
      architecture: 'amd64',
      qosClass: 'Guaranteed',
      excludeFromMesh: true,
    },
    {
      tolerations: [{ key: 'fast', effect: 'NoSchedule' }],
      imagePullSecrets: ['mirror', 'own'],
      labels: { team: 'payments', shift: 'night' },
      annotations: { b: 'spec', c: 'spec' },
      architecture: 'arm64',
      qosClass: 'Burstable',
      excludeFromMesh: false,
    },
  );
  expect(resolved?.pods).toEqual({
    asked: expect.stringMatching(/^[0-9a-f]{32}$/),
    tolerations: [
      { key: 'ledger', operator: 'Exists' },
      { key: 'fast', effect: 'NoSchedule' },
    ],
    priorityClassName: 'databases',
    imagePullSecrets: ['mirror', 'own'],
    labels: { 'example.com/cost': '1', team: 'platform', shift: 'night' },
    annotations: { a: 'region', b: 'spec', c: 'region' },
    architecture: 'arm64',
  });
});

test('a database tolerates only the taints that its region offers', () => {
  const asked = { tolerations: [{ key: 'billing', operator: 'Exists' }] } as const;
  for (const pods of [undefined, {}, { tolerationKeys: ['fast'] }]) {
    expect(podsOf(pods, asked).problems).toMatchObject([
      { field: 'spec.pods.tolerations', reason: 'PodSettingRefused' },
    ]);
  }
  expect(podsOf({ tolerationKeys: ['billing'] }, asked).problems).toBeUndefined();
});

test('a region that promises less than a size says has no Guaranteed pods', () => {
  const { problems } = podsOf(undefined, { qosClass: 'Guaranteed' }, nothing, {
    cpuRequestPercent: 50,
  });
  expect(problems).toMatchObject([{ field: 'spec.pods.qosClass', choices: ['Burstable'] }]);
});

test('a database cannot leave the nodes of its region by another architecture', () => {
  const region = { nodeSelector: { 'kubernetes.io/arch': 'amd64' } };
  const { problems } = podsOf(undefined, { architecture: 'arm64' }, nothing, region);
  expect(problems).toMatchObject([{ field: 'spec.pods.architecture' }]);
  expect(podsOf(undefined, { architecture: 'amd64' }, nothing, region).problems).toBeUndefined();
});

const previousOf = (made: ReturnType<typeof podsOf>): Previous => ({
  resolved: made.resolved,
  storageGb: 1,
  activeVersion: undefined,
});

test('a running database keeps its settings when the region gets others, until somebody asks for them', () => {
  const plain = previousOf(podsOf(undefined, undefined));
  const later = { priorityClassName: 'databases', labels: { team: 'platform' } };
  expect(podsOf(later, undefined, plain).resolved).toEqual(plain.resolved);
  // By other settings in its spec.
  const asked = podsOf(later, { labels: { shift: 'night' } }, plain);
  expect(asked.resolved?.pods).toMatchObject({
    priorityClassName: 'databases',
    labels: { team: 'platform', shift: 'night' },
  });
  // By a word in its annotation.
  const refreshed = podsOf(later, undefined, { ...plain, refreshPods: true });
  expect(refreshed.resolved?.pods).toEqual(later);
  // And what it then has stays when the region changes once more.
  const kept = podsOf(undefined, { labels: { shift: 'night' } }, previousOf(asked));
  expect(kept.resolved).toEqual(asked.resolved);
});

test('a setting that is taken out of the spec goes, and those of the region stay', () => {
  const pods = { labels: { team: 'platform' } };
  const before = previousOf(podsOf(pods, { labels: { shift: 'night' } }));
  expect(podsOf(pods, undefined, before).resolved?.pods).toEqual(pods);
});
