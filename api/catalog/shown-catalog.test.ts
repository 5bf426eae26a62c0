import { expect, test } from '@jest/globals';
import { capacityOfSize } from '../../domain/catalog/capacity.ts';
import { catalogSpec } from '../../test/fixtures/catalog.ts';
import { createCatalog } from '../contract/schemas/catalog.ts';
import { shownCatalog } from './shown-catalog.ts';

const spec = catalogSpec();
const imports = { supported: true, bytesMax: undefined };

test('every pair of tier and topology is there, and one that is not available says why', () => {
  const shown = shownCatalog(
    {
      version: '1',
      spec: {
        ...spec,
        capabilities: [
          {
            tier: 'local-nvme',
            topology: 'single',
            available: false,
            reason: 'lost with its node',
          },
        ],
      },
    },
    imports,
  );
  const { storageCapabilities: pairs } = shown;
  expect(pairs).toHaveLength(spec.storageTiers.length * spec.topologies.length);
  expect(pairs.filter(({ supported }) => !supported)).toEqual([
    {
      id: 'local-nvme.single',
      storageTierId: 'local-nvme',
      clusterConfigurationId: 'single',
      supported: false,
      reason: 'lost with its node',
    },
  ]);
  expect(createCatalog.safeParse(shown).error).toBeUndefined();
});

test('a size that admits no engine of the catalog is not available', () => {
  const sizes = spec.sizes.map((size) => ({ ...size, engines: ['TigerBeetle' as const] }));
  const engines = spec.engines.filter(({ name }) => name === 'Builtin');
  const shown = shownCatalog({ version: '1', spec: { ...spec, sizes, engines } }, imports);
  expect(shown.clusterSizes.some(({ available }) => available)).toBe(false);
  expect(shown.clusterSizes.map(({ capacity }) => capacity)).toEqual(sizes.map(() => null));
});

test('a size says how much it holds with the built-in engine, and what rate it is for', () => {
  const { clusterSizes } = shownCatalog({ version: '1', spec }, imports);
  expect(clusterSizes.map(({ id, capacity }) => [id, capacity])).toEqual([
    ['lh-5', capacityOfSize(spec.sizes[0]!)],
    ['lh-10', capacityOfSize(spec.sizes[1]!)],
    ['lh-40', capacityOfSize(spec.sizes[2]!)],
  ]);
});

test('the built-in engine runs several replicas if one of its versions names an etcd image', () => {
  const enginesOf = (engines: typeof spec.engines) =>
    shownCatalog({ version: '1', spec: { ...spec, engines } }, imports).clusterConfigurations.map(
      (row) => [row.id, row.engines] as const,
    );
  const both = ['Builtin', 'TigerBeetle'];
  expect(enginesOf(spec.engines)).toEqual([
    ['single', both],
    ['ha-3', both],
    ['ha-6', both],
  ]);
  const without = spec.engines.map((engine) => ({
    ...engine,
    versions: engine.versions.map((row) => {
      const { etcdImage: taken, ...rest } = row;
      return taken === undefined ? row : rest;
    }),
  }));
  expect(enginesOf(without)).toEqual([
    ['single', both],
    ['ha-3', ['TigerBeetle']],
    ['ha-6', ['TigerBeetle']],
  ]);
});

test('the defaults can be chosen', () => {
  const { defaults, ...shown } = shownCatalog({ version: '1', spec }, imports);
  const ids = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id);
  expect(ids(shown.providers)).toContain(defaults.provider);
  expect(ids(shown.regions)).toContain(defaults.region);
  expect(ids(shown.clusterConfigurations)).toContain(defaults.clusterConfiguration);
  expect(ids(shown.clusterSizes)).toContain(defaults.clusterSize);
  expect(ids(shown.storageTiers)).toContain(defaults.storageTier);
});

test('it says whether files can be imported, of which release, and how many bytes', () => {
  const shown = shownCatalog({ version: '1', spec }, imports).import;
  const largest = Math.max(...spec.storageTiers.map(({ maxGb }) => maxGb));
  expect(shown).toMatchObject({ supported: true, reason: null, headBytes: 16_384 });
  expect(shown.maxOrganizationBytes).toBe(largest * 1024 ** 3);
  const builtin = spec.engines.find(({ name }) => name === 'Builtin');
  expect(builtin?.versions.map(({ release }) => release)).toContain(shown.newestRelease);
  const without = shownCatalog({ version: '1', spec }, { supported: false, bytesMax: 7 }).import;
  expect(without).toMatchObject({ supported: false, maxOrganizationBytes: 7 });
  expect(without.reason).toContain('imports');
  const engines = spec.engines.filter(({ name }) => name !== 'Builtin');
  const foreign = shownCatalog({ version: '1', spec: { ...spec, engines } }, imports).import;
  expect(foreign).toMatchObject({ supported: false, newestRelease: null });
});
