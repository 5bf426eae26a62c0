import { expect, test } from '@jest/globals';
import { catalogAt } from '../../domain/catalog/versions.ts';
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

const nextWeek = new Date(Date.now() + 7 * 86_400_000).toISOString();
const before = new Date(0).toISOString();

test.each([
  ['was announced and can be chosen', { availableFrom: before }, '0.4.0'],
  ['can be chosen next week', { availableFrom: nextWeek }, '0.3.0'],
  ['is deprecated since', { availableFrom: before, deprecatedAt: before }, '0.3.0'],
  ['was not announced', {}, '0.3.0'],
  ['cannot be reached', { availableFrom: before, upgradableFrom: ['0.1.0'] }, '0.3.0'],
])('a version that is newer than the default one, and %s', (_what, dates, latestVersion) => {
  const versions = [
    { version: '0.3.0', upgradableFrom: ['0.2.0'], deprecated: false },
    { version: '0.4.0', upgradableFrom: ['0.2.0'], deprecated: false, ...dates },
  ];
  const engines = [{ name: 'Builtin', defaultVersion: '0.3.0', versions }];
  const catalog = catalogAt({ engines } as unknown as CatalogSpec, Date.now());
  const shown = shownDatabase(viewOf('0.2.0'), { ...around('0.3.0', []), catalog });
  expect(shown.engine).toMatchObject({ latestVersion, updateAvailable: true });
});

test('a version that the catalog forces is shown to the databases that get it, and to no newer one', () => {
  const row = { version: '0.3.0', deprecated: false, availableFrom: before, forcedAt: nextWeek };
  const versions = [{ ...row, upgradableFrom: ['0.2.0', '0.4.0'] }];
  const engines = [{ name: 'Builtin', defaultVersion: '0.3.0', versions }];
  const catalog = { engines } as unknown as CatalogSpec;
  const forced = (runs: string) =>
    shownDatabase(viewOf(runs), { ...around('0.3.0', []), catalog }).engine.forcedUpdate;
  expect(forced('0.2.0')).toEqual({ version: '0.3.0', forcedAt: nextWeek });
  expect([forced('0.1.0'), forced('0.3.0'), forced('0.4.0')]).toEqual([null, null, null]);
});
