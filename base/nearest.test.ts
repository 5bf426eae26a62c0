import { expect, test } from '@jest/globals';
import { nearest } from './nearest.ts';

test.each([
  ['databses', 'databases'],
  ['--ledgr', '--ledger'],
  ['lsit', 'list'],
  ['create', 'create-accounts'],
  ['zzz', undefined],
  ['', undefined],
])('%s: %s', (word, meant) => {
  expect(nearest(word, ['databases', '--ledger', 'list', 'create-accounts'])).toBe(meant);
});
