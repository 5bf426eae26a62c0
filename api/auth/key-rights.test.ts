import { expect, test } from '@jest/globals';
import type { Permission, Role } from '../model/access.ts';
import type { Actor } from '../model/actor.ts';
import { mayMakeKey, mayManageKey } from './key-rights.ts';
import type { MemberPrincipal } from './principal.ts';

const me: Actor = { type: 'user', id: 'usr_me', display: 'me' };
const other: Actor = { type: 'user', id: 'usr_other', display: 'other' };
const read: readonly Permission[] = ['db:read'];
const both: readonly Permission[] = ['db:read', 'db:write'];

const member = (role: Role, databaseIds: readonly string[] | null = null) =>
  ({ type: 'session', role, databaseIds, actor: me }) as unknown as MemberPrincipal;

test.each([
  ['owner', both, null, true],
  ['admin', both, null, true],
  ['developer', both, null, false],
  ['developer', read, null, true],
  ['viewer', read, null, false],
  ['billing', read, null, false],
] as const)('%s makes a key with %j: %s', (role, permissions, databaseId, may) => {
  expect(mayMakeKey(member(role), { permissions, databaseId })).toBe(may);
});

test('a key opens no database that its maker may not use', () => {
  const restricted = member('developer', ['db_1', 'db_2']);
  expect(mayMakeKey(restricted, { permissions: read, databaseId: 'db_2' })).toBe(true);
  expect(mayMakeKey(restricted, { permissions: read, databaseId: 'db_3' })).toBe(false);
  expect(mayMakeKey(restricted, { permissions: read, databaseId: null })).toBe(false);
});

test('a developer manages the keys that they made, and no longer those that do more than read', () => {
  const key = { permissions: read, databaseId: null };
  expect(mayManageKey(member('developer'), { ...key, createdBy: me })).toBe(true);
  expect(mayManageKey(member('developer'), { ...key, createdBy: other })).toBe(false);
  expect(mayManageKey(member('developer'), { ...key, permissions: both, createdBy: me })).toBe(
    false,
  );
  expect(mayManageKey(member('viewer'), { ...key, createdBy: me })).toBe(false);
  expect(mayManageKey(member('admin'), { ...key, createdBy: other })).toBe(true);
});
