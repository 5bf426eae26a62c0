import { expect, test } from '@jest/globals';
import { cookieOf, credentialOf } from './credentials.ts';

test.each([
  [{}, { kind: 'none' }],
  [{ 'x-api-key': 'a' }, { kind: 'token', text: 'a' }],
  [{ authorization: 'Bearer a' }, { kind: 'token', text: 'a' }],
  [{ authorization: 'bearer  a ' }, { kind: 'token', text: 'a' }],
  [
    { 'x-api-key': 'a', authorization: 'Bearer a' },
    { kind: 'token', text: 'a' },
  ],
  [{ 'x-api-key': 'a', authorization: 'Bearer b' }, { kind: 'conflict' }],
  [{ 'x-api-key': 'a', authorization: 'Basic b' }, { kind: 'conflict' }],
  [{ authorization: 'Basic b' }, { kind: 'malformed' }],
  [{ authorization: 'Bearer a b' }, { kind: 'malformed' }],
  [{ authorization: '' }, { kind: 'malformed' }],
  [{ cookie: 'a=b; __Host-session=t' }, { kind: 'session', token: 't' }],
  // A key takes precedence over a cookie.
  [
    { cookie: '__Host-session=t', 'x-api-key': 'a' },
    { kind: 'token', text: 'a' },
  ],
])('%j', (headers, expected) => {
  expect(credentialOf(headers)).toEqual(expected);
});

test('the first of two cookies of one name counts, and other names never match', () => {
  expect(cookieOf('x__Host-session=1; __Host-session=2; __Host-session=3', '__Host-session')).toBe(
    '2',
  );
  expect(cookieOf('__Host-sessionx=1', '__Host-session')).toBeUndefined();
  expect(cookieOf(undefined, '__Host-session')).toBeUndefined();
});
