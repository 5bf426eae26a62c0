/** Who asks. */
import type { Actor } from '../events/actor.ts';
import type { Permission, Role } from '../contract/access.ts';
import type { Organization } from '../store/organizations.ts';

export type DatabaseScope =
  | { readonly type: 'ALL' }
  | { readonly type: 'DATABASE'; readonly databaseId: string };

interface Common {
  /** TypeID of the credential: `key_…`, `ses_…`. */
  readonly credentialId: string;
  readonly name: string;
  readonly expiresAt: Date | null;
  /** The one that is acted for. */
  readonly organization: Organization;
  readonly actor: Actor;
}

export interface KeyPrincipal extends Common {
  readonly type: 'api_key';
  readonly permissions: readonly Permission[];
  readonly databaseScope: DatabaseScope;
}

export interface PersonPrincipal extends Common {
  readonly type: 'session';
  readonly role: Role;
  /** May do what only the installation's administrator may: make organizations. */
  readonly administrator: boolean;
  /** SHA-256 of the token that must come with what changes something. */
  readonly csrfHash: Buffer;
}

export type Principal = KeyPrincipal | PersonPrincipal;

/** Whether what belongs to this database may be shown to it. */
export const seesDatabase = (principal: Principal, databaseId: string): boolean =>
  principal.type === 'session' ||
  principal.databaseScope.type === 'ALL' ||
  principal.databaseScope.databaseId === databaseId;

/** For lists: the one database that it may see; `undefined`: all. */
export const onlyDatabase = (principal: Principal): string | undefined =>
  principal.type === 'api_key' && principal.databaseScope.type === 'DATABASE'
    ? principal.databaseScope.databaseId
    : undefined;
