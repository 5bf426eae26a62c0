import { expect, test } from '@jest/globals';
import { choice } from '../../test/support/api/store.ts';
import { differencesOf, entriesOf } from './differences.ts';

test('a price alone is no difference: the agreed one stays until something that costs money changes', () => {
  const dearer = { ...choice, price: null };
  expect(differencesOf(choice, dearer)).toEqual([]);
});

test('each parameter is a difference of its own, and one that is not set is null', () => {
  const before = { ...choice, parameters: { a: '1', b: '2' } };
  const after = { ...choice, parameters: { b: '3', c: '4' }, clusterSize: 'lh-10' };
  expect(differencesOf(before, after)).toEqual([
    { path: '/clusterSize', from: 'lh-5', to: 'lh-10' },
    { path: '/parameters/a', from: '1', to: null },
    { path: '/parameters/b', from: '2', to: '3' },
    { path: '/parameters/c', from: null, to: '4' },
  ]);
});

test('growth by itself and a stop are part of the configuration', () => {
  expect(differencesOf(choice, { ...choice, autogrowLimitGb: 50, suspended: true })).toEqual([
    { path: '/autogrow', from: null, to: { limitGb: 50 } },
    { path: '/suspended', from: false, to: true },
  ]);
});

test('keys are escaped as JSON Pointers have it', () => {
  expect(entriesOf('/labels', {}, { 'a/b~c': '' })).toEqual([
    { path: '/labels/a~1b~0c', from: null, to: '' },
  ]);
});
