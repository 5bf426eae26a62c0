import { expect, test } from '@jest/globals';
import { wordsOfQuery } from './history.ts';

test.each([
  [{}, 'Query accounts'],
  [{ ledger: '978', code: '10' }, 'Query accounts: ledger 978, code 10'],
  [{ op: 'lookup_accounts', ids: '1\n2' }, 'Accounts by ID: ids 1 2'],
] as const)('%j is called %s', (search, words) => {
  expect(wordsOfQuery(search)).toBe(words);
});

test('a long query is cut', () => {
  expect(wordsOfQuery({ op: 'lookup_transfers', ids: '9'.repeat(5_000) })).toHaveLength(98);
});
