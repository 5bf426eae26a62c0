/** Whether a credential may use a route, as far as its row in the route table tells: a pure function. */
import type { Access } from '../contract/access.ts';
import { Refusal } from '../http/refusal.ts';
import { seesDatabase, type Principal } from './principal.ts';

export type Authorization =
  | { readonly kind: 'allowed' }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  /** The key is for another database: refused, but as what is not there unless the organization has it. */
  | { readonly kind: 'other_database'; readonly databaseId: string };

const allowed: Authorization = { kind: 'allowed' };

export function authorize(
  access: Exclude<Access, { kind: 'public' }>,
  principal: Principal,
  databaseId: string | undefined,
): Authorization {
  if (access.kind === 'any') return allowed;
  if (principal.type === 'session') {
    return access.roles.includes(principal.role)
      ? allowed
      : refused(`This takes one of the roles ${access.roles.join(', ')}.`, {
          requiredRoles: access.roles,
        });
  }
  if (access.kind === 'person') {
    const detail = 'API keys cannot do this; open a session.';
    return { kind: 'refused', refusal: new Refusal('session_required', { detail }) };
  }
  const { permission, scope } = access;
  const requires = {
    requiredPermissions: [permission],
    ...(scope === 'organization' && { requiredDatabaseScope: 'ALL' }),
  };
  if (!principal.permissions.includes(permission)) {
    const has = principal.permissions.join(', ');
    return refused(`This takes the permission ${permission}; the key has ${has}.`, requires);
  }
  if (scope === 'organization' && principal.databaseScope.type !== 'ALL') {
    return refused('This takes a key for all databases; the key is for one.', requires);
  }
  if (databaseId !== undefined && !seesDatabase(principal, databaseId)) {
    return { kind: 'other_database', databaseId };
  }
  return allowed;
}

const refused = (detail: string, members: Readonly<Record<string, unknown>>): Authorization => ({
  kind: 'refused',
  refusal: new Refusal('insufficient_scope', { detail, members }),
});

export const otherDatabase = (databaseId: string): Refusal =>
  new Refusal('insufficient_scope', {
    detail: 'The key is for another database.',
    members: { requiredDatabaseScope: databaseId },
  });
