import { expect, test } from '@jest/globals';
import { parseSearch, stringifySearch } from './search.ts';

test('the largest integers stay digits through an address', () => {
  const search = { id: '340282366920938463463374607431768211455', after: '9007199254740993' };
  expect(parseSearch(stringifySearch(search))).toEqual(search);
});

test('filters without a value are left out of the address', () => {
  expect(stringifySearch({ q: '', status: undefined, deleted: false })).toBe('');
  expect(stringifySearch({ q: 'a&b=c', deleted: true })).toBe('?q=a%26b%3Dc&deleted=1');
});
