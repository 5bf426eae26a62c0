import { expect, test } from '@jest/globals';
import type { CatalogSpec } from '../../domain/custom-resources.ts';
import { catalogSpec } from '../../test/fixtures/catalog.ts';
import { choose, specOf } from './choose.ts';

const catalog: CatalogSpec = {
  ...catalogSpec(),
  capabilities: [
    {
      tier: 'local-nvme',
      topology: 'single',
      available: false,
      reason: 'it is lost with its node',
    },
  ],
};

test('omitted fields get the catalog’s defaults, and the answer is complete', () => {
  const chosen = choose(catalog, {});
  if (!chosen.ok) throw new Error(JSON.stringify(chosen.errors));
  const { defaults } = catalog;
  expect(chosen.choice).toMatchObject({
    provider: defaults.provider,
    region: defaults.region,
    clusterConfiguration: defaults.topology,
    clusterSize: defaults.size,
    storageTier: defaults.storageTier,
    engine: defaults.engine,
    parameters: {},
  });
  expect(chosen.automatic).toBe(true);
});

test('a request with an earlier choice resolves to it, even if the defaults have changed', () => {
  const first = choose(catalog, {});
  if (!first.ok) throw new Error('refused');
  const later = { ...catalog, defaults: { ...catalog.defaults, storageGb: 77 } };
  expect(choose(later, first.choice)).toMatchObject({ choice: first.choice });
});

test.each([
  ['provider', '#/provider', 'unknown_provider'],
  ['region', '#/region', 'unknown_region'],
  ['clusterConfiguration', '#/clusterConfiguration', 'unknown_topology'],
  ['clusterSize', '#/clusterSize', 'unknown_size'],
  ['storageTier', '#/storageTier', 'unknown_tier'],
  ['engine', '#/engine', 'unknown_engine'],
  ['engineVersion', '#/engineVersion', 'unknown_version'],
])('%s that the catalog does not have: its place, and what there is', (field, pointer, code) => {
  const chosen = choose(catalog, { [field]: 'none-such' });
  expect(chosen).toMatchObject({ ok: false, supportedTopologies: undefined });
  if (chosen.ok) return;
  const error = chosen.errors.find((row) => row.pointer === pointer);
  expect(error).toMatchObject({ code });
  expect(error?.meta?.allowed.length).toBeGreaterThan(0);
});

test('storage out of the tier’s range', () => {
  expect(choose(catalog, { selectedStorageGb: 1_000_000 })).toMatchObject({
    ok: false,
    errors: [{ pointer: '#/selectedStorageGb', code: 'storage_out_of_range' }],
  });
});

test('a parameter that the engine does not have', () => {
  expect(choose(catalog, { parameters: { 'no-such': '1' } })).toMatchObject({
    ok: false,
    errors: [{ pointer: '#/parameters/no-such', code: 'unknown_parameter' }],
  });
});

test('local storage of a single replica is refused with the topologies that it is there for', () => {
  expect(choose(catalog, { storageTier: 'local-nvme' })).toMatchObject({
    ok: false,
    supportedTopologies: ['ha-3', 'ha-6'],
    errors: [{ pointer: '#/storageTier', code: 'tier_unavailable' }],
  });
});

test('a provider whose databases people make is no reason to refuse', () => {
  const providers = catalog.providers.map((row) => ({ ...row, provisioning: 'MANUAL' as const }));
  expect(choose({ ...catalog, providers }, {})).toMatchObject({ ok: true, automatic: false });
});

test('the resource has exactly the chosen values, and keeps its volumes when it is deleted', () => {
  const chosen = choose(catalog, {});
  if (!chosen.ok) throw new Error('refused');
  const { choice } = chosen;
  expect(specOf(choice, { clusterId: '7', deletionProtection: true })).toEqual({
    engine: choice.engine,
    version: choice.engineVersion,
    provider: choice.provider,
    region: choice.region,
    topology: choice.clusterConfiguration,
    size: choice.clusterSize,
    storage: { tier: choice.storageTier, sizeGb: choice.selectedStorageGb },
    parameters: {},
    clusterId: '7',
    deletionProtection: true,
    deletionPolicy: 'Retain',
    suspend: false,
  });
});
