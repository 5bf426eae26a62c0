/**
 * The keys of an organization that a member may make, see and manage: all, or only read-only keys that they made themselves.
 */
import { hasRight, type Permission } from '../model/access.ts';
import type { Actor } from '../model/actor.ts';
import { seesDatabase, visibleDatabases, type MemberPrincipal } from './principal.ts';

interface KeyFacts {
  readonly createdBy: Actor;
  readonly permissions: readonly Permission[];
  readonly databaseId: string | null;
}

export function mayManageKey(member: MemberPrincipal, key: KeyFacts): boolean {
  if (hasRight(member.role, 'manageKeys')) return true;
  const isOwn = key.createdBy.type === 'user' && key.createdBy.id === member.actor.id;
  return isOwn && mayMakeKey(member, key);
}

/** Whether the member may make this key: a key opens no more than its maker may read. */
export function mayMakeKey(
  member: MemberPrincipal,
  { permissions, databaseId }: Pick<KeyFacts, 'permissions' | 'databaseId'>,
): boolean {
  if (hasRight(member.role, 'manageKeys')) return true;
  if (!hasRight(member.role, 'manageOwnKeys')) return false;
  const reads = permissions.every((permission) => permission === 'db:read');
  const seen =
    databaseId === null ? visibleDatabases(member) === undefined : seesDatabase(member, databaseId);
  return reads && seen;
}

/** For lists: the person whose keys the member sees; `undefined`: the keys of everybody. */
export const keysOnlyOf = (member: MemberPrincipal): Actor | undefined =>
  hasRight(member.role, 'manageKeys') ? undefined : member.actor;
