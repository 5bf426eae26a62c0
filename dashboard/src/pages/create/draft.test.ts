import { expect, test } from '@jest/globals';
import { labelsOf, requestOf, type Draft } from './draft.ts';
import { asCli, asCurl, asYaml } from './copies.ts';

const draft: Draft = {
  name: 'payments',
  provider: 'local',
  region: 'local-1',
  clusterConfiguration: 'single',
  clusterSize: 'lh-5',
  storageTier: 'network-ssd',
  storageGb: '20',
  engine: 'Builtin',
  engineVersion: '',
  parameters: { cache: '' },
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

test('the copies quote what a shell or YAML would read otherwise', () => {
  const request = requestOf({ ...draft, labels: "it=o'clock" }, undefined);
  expect(asCurl('https://l.example', request)).toContain(`"it":"o'\\''clock"`);
  expect(asCli(request)).toContain(`--label 'it=o'\\''clock'`);
  expect(asYaml(request, 'org-acme')).toContain('  namespace: "org-acme"');
});
