/** Access rules: the credentials and roles that may call a route. */
export const permissions = ['db:read', 'db:write'] as const;
export type Permission = (typeof permissions)[number];

export const roles = ['owner', 'admin', 'developer', 'viewer', 'billing'] as const;
export type Role = (typeof roles)[number];

/** Roles whose members may be restricted to some databases. The other roles act for the organization as a whole. */
export const restrictableRoles: readonly Role[] = ['developer', 'viewer'];

/** The table of rights: for each right, the roles that have it. No other place defines this. */
export const rights = {
  readDatabases: ['owner', 'admin', 'developer', 'viewer'],
  writeLedger: ['owner', 'admin', 'developer'],
  createDatabase: ['owner', 'admin', 'developer'],
  /** Right to configure, delete and restore. */
  changeDatabase: ['owner', 'admin'],
  /** Right to set a database back to an earlier state of its ledger. */
  restoreInPlace: ['owner'],
  /** Keys that the person made; they can only read. */
  manageOwnKeys: ['owner', 'admin', 'developer'],
  manageKeys: ['owner', 'admin'],
  manageWebhooks: ['owner', 'admin'],
  manageMembers: ['owner', 'admin'],
  manageOwners: ['owner'],
  manageBilling: ['owner', 'billing'],
  readAuditLog: ['owner', 'admin'],
} as const satisfies Readonly<Record<string, readonly Role[]>>;
export type Right = keyof typeof rights;

/** The rights of a role, in the order of the table. */
export const rightsOf = (role: Role): readonly Right[] =>
  (Object.keys(rights) as Right[]).filter((right) => hasRight(role, right));

export const hasRight = (role: Role, right: Right): boolean =>
  (rights[right] as readonly Role[]).includes(role);

/**
 * Rule for a key's database scope. `organization`: all databases. `database`: it includes the one in the path. `visible`: any;
 * the handler shows only the databases in the scope.
 */
type ScopeRule = 'organization' | 'database' | 'visible';

export type Access =
  | { readonly kind: 'public' }
  /** Any valid credential that acts for an organization. */
  | { readonly kind: 'any' }
  /** Routes about the caller. A person without an organization may call them too; `keys`: API keys may, too. */
  | { readonly kind: 'self'; readonly keys: boolean }
  /** A key with the permission and the scope, or a person in one of the roles. */
  | {
      readonly kind: 'database';
      readonly permission: Permission;
      /** A key with this permission may, too. */
      readonly orPermission?: Permission;
      readonly scope: ScopeRule;
      readonly roles: readonly Role[];
    }
  /** A person only, because a key must not make keys. */
  | { readonly kind: 'person'; readonly roles: readonly Role[] };

const database = <const Scope extends ScopeRule, const Needed extends Permission>(
  permission: Needed,
  scope: Scope,
  right: Right,
) => ({ kind: 'database', permission, scope, roles: rights[right] }) as const;

const person = (right: Right) => ({ kind: 'person', roles: rights[right] }) as const;

export const access = {
  public: { kind: 'public' },
  any: { kind: 'any' },
  caller: { kind: 'self', keys: true },
  ownPerson: { kind: 'self', keys: false },
  listDatabases: database('db:read', 'visible', 'readDatabases'),
  readDatabase: database('db:read', 'database', 'readDatabases'),
  createDatabase: database('db:write', 'organization', 'createDatabase'),
  changeDatabase: database('db:write', 'organization', 'changeDatabase'),
  writeLedger: database('db:write', 'database', 'writeLedger'),
  /** Each operation is checked by itself. */
  connect: { ...database('db:read', 'database', 'readDatabases'), orPermission: 'db:write' },
  anyPerson: { kind: 'person', roles },
  keys: person('manageOwnKeys'),
  webhooks: person('manageWebhooks'),
  /** A person only: a key that leaks must not take records away. */
  restoreInPlace: person('restoreInPlace'),
  /** A person only, because a stream sends a ledger out of the service. */
  changeStreams: person('changeDatabase'),
  /** A person only. Of the databases that they may see. */
  savedQueries: person('readDatabases'),
  members: person('manageMembers'),
  billing: person('manageBilling'),
  auditLog: person('readAuditLog'),
} as const satisfies Record<string, Access>;
