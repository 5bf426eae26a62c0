import { expect, test } from '@jest/globals';
import { readUserCode } from './device-tokens.ts';
import { ownPath } from './own-path.ts';

test.each([
  ['/device?user_code=BCDF-GHJK', '/device?user_code=BCDF-GHJK'],
  ['/a/../b', '/b'],
  [undefined, '/'],
  ['https://evil.example', '/'],
  ['//evil.example', '/'],
  ['/\\evil.example', '/'],
  ['/\t/evil.example', '/'],
  ['/.//evil.example', '/'],
  ['javascript:alert(1)', '/'],
])('after signing in, %j leads to %s', (given, path) => {
  expect(ownPath(given)).toBe(path);
});

test('a user code is read however it is typed', () => {
  expect(readUserCode(' bcdf ghjk ')).toBe('BCDF-GHJK');
  expect(readUserCode('BCDF-GHJK')).toBe('BCDF-GHJK');
});
