import { expect, test } from '@jest/globals';
import { catalogExample } from '../../../../api/contract/schemas/catalog.ts';
import { databaseExample } from '../../../../api/contract/schemas/database.ts';
import type { CreateCatalog, Database } from '../../../../gen/api.ts';
import { withEngine } from '../create/draft.ts';
import { draftLike, engineChoices, restoreRequest } from './restore-draft.ts';

const [builtin] = catalogExample.engines;
const [size] = catalogExample.clusterSizes;
if (builtin === undefined || size === undefined) throw new Error('the example has no engine');
const tigerBeetle = (release: string) => ({
  ...builtin,
  name: 'TigerBeetle' as const,
  defaultVersion: release,
  versions: builtin.versions.map((one) => ({ ...one, version: release, release })),
});
const catalog = {
  ...catalogExample,
  engines: [builtin, tigerBeetle('0.17.9')],
  clusterSizes: [
    size,
    { ...size, id: 'gone', engines: ['Builtin', 'TigerBeetle'], available: false },
    { ...size, id: 'lh-40', engines: ['Builtin', 'TigerBeetle'] },
  ],
} as CreateCatalog;
const original = databaseExample as Database;

test('the price of a restore is that of the built-in engine, whichever engine the original runs', () => {
  const engine = { ...original.engine, name: 'TigerBeetle' as const };
  const draft = draftLike({ ...original, engine }, catalog);
  expect(draft.engine).toBe('Builtin');
  expect(restoreRequest({ ...draft, name: 'again' }, 'v1')).toEqual({
    name: 'again',
    provider: original.provider,
    region: original.region,
    clusterConfiguration: original.clusterConfiguration,
    clusterSize: original.clusterSize,
    storageTier: original.storageTier,
    selectedStorageGb: original.selectedStorageGb,
    engine: 'Builtin',
    // At another price than the one that was shown, it is refused.
    catalogVersion: 'v1',
  });
});

test('another engine comes with a size that it runs, and a look at it changes nothing of what was chosen', () => {
  const draft = draftLike(original, catalog);
  const other = { ...draft, ...withEngine(catalog, draft, 'TigerBeetle') };
  expect(other).toMatchObject({ engine: 'TigerBeetle', engineVersion: '', clusterSize: 'lh-40' });
  expect(other.clusterConfiguration).toBe(draft.clusterConfiguration);
  const again = { ...other, ...withEngine(catalog, other, 'TigerBeetle') };
  expect(withEngine(catalog, again, 'Builtin').clusterSize).toBe(draft.clusterSize);
  // A size that the person chose since stays.
  const chosen = { ...other, clusterSize: 'lh-40', gaveWay: undefined };
  expect(withEngine(catalog, chosen, 'Builtin').clusterSize).toBe('lh-40');
});

test('a ledger is restored into no smaller size because its own is not offered', () => {
  const sized = (id: string, memoryBytes: number, available = true) => ({
    ...size,
    id,
    memoryBytes,
    available,
  });
  const clusterSizes = [sized('s', 1), sized('xl', 9), sized('m', 3, false), sized('l', 5)];
  const sizeFor = (clusterSize: string) =>
    draftLike({ ...original, clusterSize }, { ...catalog, clusterSizes }).clusterSize;
  expect(['s', 'm', 'l', 'xl'].map(sizeFor)).toEqual(['s', 'l', 'l', 'xl']);
});

test('timeouts are dropped only on the way to TigerBeetle', () => {
  const draft = { ...draftLike(original, catalog), dropTimeouts: true };
  expect(restoreRequest(draft, 'v1')).not.toHaveProperty('dropTimeouts');
  const other = { ...draft, engine: 'TigerBeetle' };
  expect(restoreRequest(other, 'v1')).toMatchObject({ engine: 'TigerBeetle', dropTimeouts: true });
  expect(restoreRequest({ ...other, dropTimeouts: false }, 'v1')).not.toHaveProperty(
    'dropTimeouts',
  );
});

test('a version of TigerBeetle that cannot be filled is no choice, and says so', () => {
  const refusals = (release: string) =>
    engineChoices({ engines: [builtin, tigerBeetle(release)] as CreateCatalog['engines'] }).map(
      ({ refused }) => refused,
    );
  expect(refusals('0.17.9')).toEqual([undefined, undefined]);
  expect(refusals('0.16.78')).toEqual([undefined, 'version 0.16.78 cannot be filled']);
});
