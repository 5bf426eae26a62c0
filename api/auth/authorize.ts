/** Decides whether a credential may use a route, as far as the route table can tell: a pure function. */
import { hasRight, rights, type Access, type Right } from '../model/access.ts';
import { Refusal } from '../model/refusal.ts';
import {
  isGuest,
  seesDatabase,
  visibleDatabases,
  type Caller,
  type MemberPrincipal,
  type Principal,
} from './principal.ts';

type Authorization =
  | { readonly kind: 'allowed' }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  /** The credential is for other databases. Refused; if the organization does not have the database, refused as not found. */
  | { readonly kind: 'other_database'; readonly databaseId: string };

const allowed: Authorization = { kind: 'allowed' };

export function authorize(
  access: Exclude<Access, { kind: 'public' }>,
  caller: Caller,
  databaseId: string | undefined,
): Authorization {
  const isKey = caller.type === 'api_key';
  if (isKey && (access.kind === 'person' || (access.kind === 'self' && !access.keys))) {
    const detail = 'API keys cannot do this; open a session.';
    return { kind: 'refused', refusal: new Refusal('session_required', { detail }) };
  }
  if (access.kind === 'self') return allowed;
  if (isGuest(caller)) {
    const detail = 'You belong to no organization; accept an invitation first.';
    return { kind: 'refused', refusal: new Refusal('organization_required', { detail }) };
  }
  if (access.kind === 'any') return allowed;
  if (caller.type !== 'api_key' && !access.roles.includes(caller.role)) {
    return { kind: 'refused', refusal: wrongRole(access.roles) };
  }
  if (access.kind === 'person') return withinScope(caller, databaseId);
  const { permission, orPermission, scope } = access;
  const requires = {
    requiredPermissions: [permission],
    ...(scope === 'organization' && { requiredDatabaseScope: 'ALL' }),
  };
  if (
    caller.type === 'api_key' &&
    !caller.permissions.some((has) => has === permission || has === orPermission)
  ) {
    const has = caller.permissions.join(', ');
    return refused(`The request needs the permission ${permission}; the key has ${has}.`, requires);
  }
  if (scope === 'organization' && visibleDatabases(caller) !== undefined) {
    const detail = isKey
      ? 'The request needs a key for all databases; this key is for one.'
      : 'The request needs a member who may use all databases; you may use some.';
    return refused(detail, requires);
  }
  return withinScope(caller, databaseId);
}

const withinScope = (caller: Principal, databaseId: string | undefined): Authorization =>
  databaseId === undefined || seesDatabase(caller, databaseId)
    ? allowed
    : { kind: 'other_database', databaseId };

/** For checks that only a handler can make: throws unless the person's role has the right. */
export function requireRight({ role }: MemberPrincipal, right: Right): void {
  if (!hasRight(role, right)) throw wrongRole(rights[right]);
}

const wrongRole = (requiredRoles: readonly string[]): Refusal =>
  new Refusal('insufficient_scope', {
    detail: `The request needs one of the roles ${requiredRoles.join(', ')}.`,
    members: { requiredRoles },
  });

const refused = (detail: string, members: Readonly<Record<string, unknown>>): Authorization => ({
  kind: 'refused',
  refusal: new Refusal('insufficient_scope', { detail, members }),
});

export const otherDatabase = (databaseId: string): Refusal =>
  new Refusal('insufficient_scope', {
    detail: 'The credential does not cover this database.',
    members: { requiredDatabaseScope: databaseId },
  });
