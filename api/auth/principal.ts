/** The authenticated caller of a request. */
import type { Actor } from '../model/actor.ts';
import type { Permission, Role } from '../model/access.ts';
import type { Organization } from '../store/organizations.ts';

type DatabaseScope =
  | { readonly type: 'ALL' }
  | { readonly type: 'DATABASE'; readonly databaseId: string };

interface Credential {
  /** TypeID of the credential: `key_…`, `ses_…`. */
  readonly credentialId: string;
  readonly name: string;
  readonly expiresAt: Date | null;
  readonly actor: Actor;
}

export interface KeyPrincipal extends Credential {
  readonly type: 'api_key';
  /** The organization for which the key acts. */
  readonly organization: Organization;
  readonly permissions: readonly Permission[];
  readonly databaseScope: DatabaseScope;
}

interface Person extends Credential {
  readonly type: 'session' | 'access_token';
  /** Null for the local administrator. */
  readonly user: PersonFacts | null;
  /** Has the rights of the installation's administrator alone, such as creating organizations. */
  readonly administrator: boolean;
  /** SHA-256 of the token that must accompany every change; null if the credential is not a cookie. */
  readonly csrfHash: Buffer | null;
}

export interface PersonFacts {
  /** TypeID `usr_…`. */
  readonly id: string;
  readonly name: string;
  /** In lower case. */
  readonly email: string | null;
  /** Whether the identity provider has verified the address. */
  readonly emailVerified: boolean;
}

/** A person who acts for an organization. */
export interface MemberPrincipal extends Person {
  readonly organization: Organization;
  readonly role: Role;
  /** The only databases that they may use; null: all. */
  readonly databaseIds: readonly string[] | null;
}

/** A person who belongs to no organization. */
export interface GuestPrincipal extends Person {
  readonly organization: null;
  readonly role: null;
}

/** A credential's holder who acts for an organization. */
export type Principal = KeyPrincipal | MemberPrincipal;

export type Caller = Principal | GuestPrincipal;

export const isGuest = (caller: Caller): caller is GuestPrincipal => caller.organization === null;

/** Whether the caller may see things of this database. */
export const seesDatabase = (principal: Principal, databaseId: string): boolean =>
  visibleDatabases(principal)?.includes(databaseId) ?? true;

/** For lists: the databases that the caller may see; `undefined`: all. */
export function visibleDatabases(principal: Principal): readonly string[] | undefined {
  if (principal.type !== 'api_key') return principal.databaseIds ?? undefined;
  const { databaseScope: scope } = principal;
  return scope.type === 'ALL' ? undefined : [scope.databaseId];
}
