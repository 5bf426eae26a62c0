import { expect, test } from '@jest/globals';
import type { CreateCatalog, Import } from '../../../../gen/api.ts';
import {
  beginWith,
  haveOnePrice,
  labelsOf,
  requestOf,
  takeFiles,
  topologies,
  whenBillingRefuses,
  type Draft,
} from './draft.ts';
import { asCli, asCurl, asYaml } from './copies.ts';

const draft: Draft = {
  name: 'payments',
  mode: 'new',
  files: undefined,
  provider: 'local',
  region: 'local-1',
  clusterConfiguration: 'single',
  clusterSize: 'lh-5',
  storageTier: 'network-ssd',
  storageGb: '20',
  engine: 'Builtin',
  engineVersion: '',
  parameters: { cache: '' },
  archiveSeconds: '',
  protection: true,
  labels: 'team=pay=ments\n\n env = prod \nbare',
};

test('labels are lines of key=value; a value may hold an equals sign', () => {
  expect(labelsOf(draft.labels)).toEqual({ team: 'pay=ments', env: 'prod', bare: '' });
});

test('the request holds the choices, and parameters only that were given', () => {
  expect(requestOf(draft, 'v1')).toEqual({
    name: 'payments',
    mode: 'new',
    provider: 'local',
    region: 'local-1',
    clusterConfiguration: 'single',
    clusterSize: 'lh-5',
    storageTier: 'network-ssd',
    selectedStorageGb: 20,
    engine: 'Builtin',
    labels: { team: 'pay=ments', env: 'prod', bare: '' },
    deletionProtection: true,
    catalogVersion: 'v1',
  });
});

test('the log of the built-in engine is archived if seconds are given, also in the copies', () => {
  const request = requestOf({ ...draft, archiveSeconds: ' 7 ' }, undefined);
  expect(request.continuousArchiving).toEqual({ rpoSeconds: 7 });
  expect(asCli(request)).toContain('--archive-within-seconds 7');
  expect(asYaml(request, 'org-acme')).toContain('      rpoSeconds: 7\n');
  // The service says what is wrong with other text.
  const wrong = requestOf({ ...draft, archiveSeconds: 'soon' }, undefined);
  expect(wrong.continuousArchiving).toEqual({ rpoSeconds: 0 });
  const tigers = { ...draft, archiveSeconds: '7', engine: 'TigerBeetle' };
  expect(requestOf(tigers, undefined).continuousArchiving).toBeUndefined();
});

test('the copies quote what a shell or YAML would read otherwise', () => {
  const request = requestOf({ ...draft, labels: "it=o'clock" }, undefined);
  expect(asCurl('https://l.example', request)).toContain(`"it":"o'\\''clock"`);
  expect(asCli(request)).toContain(`--label 'it=o'\\''clock'`);
  expect(asYaml(request, 'org-acme')).toContain('  namespace: "org-acme"');
});

const clusterConfigurations = [
  { id: 'single', name: 'Single', replicas: 1, engines: ['Builtin', 'TigerBeetle'] },
  { id: 'ha-3', name: 'HA', replicas: 3, engines: ['Builtin', 'TigerBeetle'] },
];
const clusterSizes = [
  { id: 'lh-5', engines: ['Builtin'], available: true },
  { id: 'lh-10', engines: ['Builtin', 'TigerBeetle'], available: true },
];
const catalog = { clusterConfigurations, clusterSizes } as unknown as CreateCatalog;
const files = { id: 'imp_1', replicaCount: 3, files: [{ head: null }] } as unknown as Import;
const ofTigerBeetle = {
  ...files,
  files: [{ head: { engine: 'TigerBeetle' } }],
} as unknown as Import;

test('an import decides the topology and the engine, and is asked for once its files are there', () => {
  const tigers: Draft = { ...draft, engine: 'TigerBeetle', engineVersion: '0.17.9' };
  const begun: Draft = { ...tigers, ...beginWith(catalog, tigers, 'import') };
  expect(begun).toMatchObject({ engine: 'Builtin', engineVersion: '', parameters: {} });
  expect(requestOf(begun, undefined)).toMatchObject({ mode: 'new' });
  const taken: Draft = { ...begun, ...takeFiles(catalog, begun, files) };
  expect(requestOf(taken, undefined)).toMatchObject({
    mode: 'import',
    importId: 'imp_1',
    clusterConfiguration: 'ha-3',
    engine: 'Builtin',
  });
  expect(topologies(catalog, taken).map(({ refused }) => refused)).toEqual([
    'the files are of 3 replicas',
    undefined,
  ]);
  const copied: Draft = { ...taken, ...takeFiles(catalog, taken, ofTigerBeetle) };
  // The size that was chosen does not run TigerBeetle.
  expect(copied).toMatchObject({
    engine: 'TigerBeetle',
    clusterConfiguration: 'ha-3',
    clusterSize: 'lh-10',
  });
  expect(takeFiles(catalog, copied, undefined)).toMatchObject({ engine: 'Builtin' });
  expect(requestOf({ ...taken, ...beginWith(catalog, taken, 'new') }, undefined)).toMatchObject({
    mode: 'new',
  });
});

test('a shown price is that of the choices, whatever the name; of another size, it is not', () => {
  const body = (change: Partial<Draft>) => JSON.stringify(requestOf({ ...draft, ...change }, 'v1'));
  expect(haveOnePrice(body({}), body({ name: 'other' }))).toBe(true);
  expect(haveOnePrice(body({}), body({ clusterSize: 'lh-40' }))).toBe(false);
  expect(haveOnePrice(body({}), JSON.stringify(requestOf(draft, 'v2')))).toBe(false);
});

test('a database that begins with an import is not promised for later: the service keeps no such request', () => {
  expect(whenBillingRefuses({ mode: 'new' })).toContain('is kept');
  expect(whenBillingRefuses({ mode: 'import' })).toContain('is not kept');
});
