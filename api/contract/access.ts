/** Who may call a route. */
export const permissions = ['db:read', 'db:write'] as const;
export type Permission = (typeof permissions)[number];

export const roles = ['owner', 'admin', 'developer', 'viewer', 'billing'] as const;
export type Role = (typeof roles)[number];

/** The roles of a person for whom each line of the table of rights is open. */
const readers: readonly Role[] = ['owner', 'admin', 'developer', 'viewer'];
const developers: readonly Role[] = ['owner', 'admin', 'developer'];
const admins: readonly Role[] = ['owner', 'admin'];

/**
 * What a key's database scope must be. `organization`: all databases. `database`: it includes the one in the path.
 * `visible`: any; the handler shows only what the scope includes.
 */
export type ScopeRule = 'organization' | 'database' | 'visible';

export type Access =
  | { readonly kind: 'public' }
  /** Any valid credential. */
  | { readonly kind: 'any' }
  /** A key with the permission and the scope, or a person in one of the roles. */
  | {
      readonly kind: 'database';
      readonly permission: Permission;
      readonly scope: ScopeRule;
      readonly roles: readonly Role[];
    }
  /** A person only: a key cannot make keys. */
  | { readonly kind: 'person'; readonly roles: readonly Role[] };

export const access = {
  public: { kind: 'public' },
  any: { kind: 'any' },
  listDatabases: { kind: 'database', permission: 'db:read', scope: 'visible', roles: readers },
  readDatabase: { kind: 'database', permission: 'db:read', scope: 'database', roles: readers },
  createDatabase: {
    kind: 'database',
    permission: 'db:write',
    scope: 'organization',
    roles: developers,
  },
  changeDatabase: {
    kind: 'database',
    permission: 'db:write',
    scope: 'organization',
    roles: admins,
  },
  writeLedger: { kind: 'database', permission: 'db:write', scope: 'database', roles: developers },
  anyPerson: { kind: 'person', roles },
  administer: { kind: 'person', roles: admins },
} as const satisfies Record<string, Access>;
