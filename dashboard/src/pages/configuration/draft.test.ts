import { expect, test } from '@jest/globals';
import type { Configuration } from '../../../../gen/api.ts';
import { draftOf, requestOf } from './draft.ts';

const configuration = {
  clusterConfiguration: 'single',
  clusterSize: 'lh-5',
  selectedStorageGb: 10,
  autogrow: { limitGb: 100 },
  engineVersion: '0.1.0',
  continuousArchiving: { rpoSeconds: 5 },
  parameters: { limitConnections: '512' },
} as unknown as Configuration;
const draft = draftOf(configuration);

test('a draft that is as the database asks for nothing', () => {
  expect(requestOf(draft, configuration)).toBeUndefined();
});

test('only what is different is asked for', () => {
  expect(requestOf({ ...draft, clusterSize: 'lh-10', storageGb: '40' }, configuration)).toEqual({
    clusterSize: 'lh-10',
    selectedStorageGb: 40,
  });
});

test('another topology is asked for as it is named', () => {
  expect(requestOf({ ...draft, clusterConfiguration: 'ha-3' }, configuration)).toEqual({
    clusterConfiguration: 'ha-3',
  });
});

test('an empty field takes a parameter back to its default, and growth by itself away', () => {
  const emptied = { ...draft, autogrowGb: '', parameters: { limitConnections: '' } };
  expect(requestOf(emptied, configuration)).toEqual({
    autogrow: null,
    parameters: { limitConnections: null },
  });
});

test('archiving is asked for in seconds, and switched off by an empty field', () => {
  expect(requestOf({ ...draft, archiveSeconds: '' }, configuration)).toEqual({
    continuousArchiving: null,
  });
  expect(requestOf({ ...draft, archiveSeconds: '30' }, configuration)).toEqual({
    continuousArchiving: { rpoSeconds: 30 },
  });
});

test('a text that is no number of GiB is left to the service to refuse', () => {
  expect(requestOf({ ...draft, storageGb: 'ten' }, configuration)).toEqual({
    selectedStorageGb: 0,
  });
});
