import { expect, test } from '@jest/globals';
import type { CatalogSpec } from '../../domain/custom-resources.ts';
import type { DatabaseView } from '../store/database-record.ts';
import { shownDatabase, type Surroundings } from './present.ts';

const viewOf = (engineVersion: string) =>
  ({
    database: {
      observed: { engineVersion },
      labels: {},
      createdAt: new Date(),
      updatedAt: new Date(),
    },
    profile: { engine: 'Builtin', engineVersion, clusterConfiguration: 'single', price: null },
  }) as unknown as DatabaseView;

function around(defaultVersion: string, upgradableFrom: readonly string[]): Surroundings {
  const versions = [{ version: defaultVersion, upgradableFrom }];
  return {
    catalog: { engines: [{ name: 'Builtin', defaultVersion, versions }] } as unknown as CatalogSpec,
    observed: true,
    gateway: () => ({}),
    usage: () => null,
  } as unknown as Surroundings;
}

test.each([
  ['a newer default that it can be upgraded to', '0.2.0', '0.3.0', ['0.2.0'], true],
  ['a default of two digits', '0.9.0', '0.10.0', ['0.9.0'], true],
  ['a newer default that it cannot be upgraded to', '0.1.0', '0.3.0', ['0.2.0'], false],
  ['an older default', '0.3.0', '0.2.0', ['0.3.0'], false],
  ['the default itself', '0.3.0', '0.3.0', [], false],
])('an update is available only if it is one: %s', (_what, runs, offered, from, isAvailable) => {
  const shown = shownDatabase(viewOf(runs), around(offered, from));
  expect(shown.engine).toMatchObject({ version: runs, updateAvailable: isAvailable });
});
