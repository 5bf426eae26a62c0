/**
 * Finds the caller of a credential. Every invalid credential gets the same answer after the same time, whatever is wrong with it;
 * only a caller with the right secret gets `credential_expired`. Keys are cached for five seconds, so a revoked key may work for
 * that long.
 */
import { BlockList, isIPv6 } from 'node:net';
import type { Logger } from 'pino';
import { assertNever } from '../../base/assert.ts';
import { systemTimers } from '../../base/timers.ts';
import { localAdministrator } from '../model/actor.ts';
import { Refusal } from '../model/refusal.ts';
import { apiKeyStatus, findApiKeyBySecret, noteApiKeyUse, type ApiKey } from '../store/api-keys.ts';
import {
  defaultSlug,
  findOrganization,
  findOrganizationBySlug,
  type Organization,
} from '../store/organizations.ts';
import { listBelongings, type Belonging } from '../store/members.ts';
import {
  findSession,
  findSessionByAccessToken,
  noteSessionUse,
  type Session,
} from '../store/sessions.ts';
import type { Store } from '../store/store.ts';
import { hashOf, parseApiKey, type ParsedApiKey } from './api-key-format.ts';
import type { BootstrapToken } from './bootstrap-token.ts';
import { accessTokenPrefix, type Credential } from './credentials.ts';
import type { Caller, GuestPrincipal, KeyPrincipal, MemberPrincipal } from './principal.ts';
import { recentMap, type RecentMap } from './recent-map.ts';

/** Origin of a request. */
export interface Origin {
  readonly ip: string;
  readonly userAgent: string | null;
  /** From the header X-Organization-Id. */
  readonly organizationId: string | undefined;
}

/** A process may not know for this long that another one has revoked a key. */
export const rememberedMs = 5_000;
const rememberedMax = 10_000;
/** The store records a key's use once a minute, so it is not asked more often. */
const useNotedMs = 60_000;

interface Known {
  readonly key: ApiKey;
  readonly organization: Organization;
  /** The store's time minus that of `nowMs`, in milliseconds. Machines' clocks differ, and may be set back. */
  readonly storeAheadMs: number;
}

interface AuthenticatorOptions {
  readonly store: Store;
  readonly bootstrapToken: BootstrapToken;
  readonly logger: Logger;
}

export class Authenticator {
  readonly #store: Store;
  readonly #bootstrapToken: BootstrapToken;
  readonly #logger: Logger;
  /** A clock that nobody sets: a cached key must not outlive its five seconds. */
  readonly #nowMs: () => number;
  readonly #keys: RecentMap<Known>;
  /** Look-ups under way: a client's connections all need its key at once, and share one. */
  readonly #asked = new Map<string, Promise<Known | undefined>>();
  readonly #noted: RecentMap<true>;

  constructor(
    { store, bootstrapToken, logger }: AuthenticatorOptions,
    nowMs: () => number = () => systemTimers.nowMs(),
  ) {
    this.#store = store;
    this.#bootstrapToken = bootstrapToken;
    this.#logger = logger;
    this.#nowMs = nowMs;
    this.#keys = recentMap(rememberedMax, rememberedMs, nowMs);
    this.#noted = recentMap(rememberedMax, useNotedMs, nowMs);
  }

  /** Throws a `Refusal` of 400 or 401, and lets failures of the store pass. */
  authenticate(credential: Credential, caller: Origin): Promise<Caller> {
    if (credential.kind === 'session') return this.#browser(credential.token, caller);
    if (credential.kind === 'token') {
      const { text } = credential;
      const isAccess = text.startsWith(accessTokenPrefix);
      return isAccess ? this.#device(text, caller) : this.#key(text, caller);
    }
    return Promise.reject(noCredential(credential.kind));
  }

  /** Forgets the cached keys of an organization that this process has just changed. */
  forgetOrganization(id: string): void {
    for (const [name, { organization }] of this.#keys.entries())
      if (organization.id === id) this.#keys.delete(name);
  }

  /** Forgets a cached key that this process has just changed. */
  forget(publicId: string): void {
    for (const [name, { key }] of this.#keys.entries())
      if (key.publicId === publicId) this.#keys.delete(name);
    for (const name of this.#asked.keys()) if (name.startsWith(publicId)) this.#asked.delete(name);
  }

  async #key(text: string, caller: Origin): Promise<KeyPrincipal> {
    const parsed = parseApiKey(text);
    if (parsed === undefined) throw invalid();
    const known = await this.#knownKey(parsed);
    const status = known && apiKeyStatus(known.key, new Date(this.#nowMs() + known.storeAheadMs));
    if (known === undefined || status === 'REVOKED') throw invalid();
    if (status === 'EXPIRED') {
      throw new Refusal('credential_expired', {
        detail: 'The key has expired. Use the key that replaced it, or make another.',
      });
    }
    const { key, organization } = known;
    if (!admits(key.ipAllowList, caller.ip)) {
      throw new Refusal('invalid_credentials', {
        detail:
          'The credential is not valid from this address. A key with an allow list works only from its addresses.',
      });
    }
    ownOrganization(caller, organization.id);
    this.#noteUse(key, caller);
    return {
      type: 'api_key',
      credentialId: key.id,
      name: key.name,
      expiresAt: key.rotationEndsAt ?? key.expiresAt,
      organization,
      actor: { type: 'api_key', id: key.id, display: key.name },
      permissions: key.permissions,
      databaseScope:
        key.databaseId === null
          ? { type: 'ALL' }
          : { type: 'DATABASE', databaseId: key.databaseId },
    };
  }

  #knownKey(parsed: ParsedApiKey): Known | Promise<Known | undefined> {
    // The secret is part of the name: knowing the public ID proves nothing about the sender.
    const name = `${parsed.publicId}${parsed.secretHash.toString('base64')}`;
    const remembered = this.#keys.get(name) ?? this.#asked.get(name);
    if (remembered !== undefined) return remembered;
    const asked = this.#lookUp(parsed).then((known) => {
      // It was changed meanwhile if it is not here any more.
      if (known !== undefined && this.#asked.get(name) === asked) this.#keys.set(name, known);
      return known;
    });
    this.#asked.set(name, asked);
    const end = () => {
      if (this.#asked.get(name) === asked) this.#asked.delete(name);
    };
    asked.then(end, end);
    return asked;
  }

  async #lookUp({ publicId, secretHash }: ParsedApiKey): Promise<Known | undefined> {
    const db = this.#store.read;
    const found = await findApiKeyBySecret(db, publicId, secretHash);
    if (found === undefined) return undefined;
    const { key, at } = found;
    const storeAheadMs = at.getTime() - this.#nowMs();
    const organization = await findOrganization(db, key.organizationId);
    return organization?.deletedAt === null ? { key, organization, storeAheadMs } : undefined;
  }

  async #browser(token: string, caller: Origin): Promise<MemberPrincipal | GuestPrincipal> {
    const session = await findSession(this.#store.read, hashOf(token));
    if (session === undefined) throw invalid();
    return this.#person('session', session, caller);
  }

  async #device(token: string, caller: Origin): Promise<MemberPrincipal | GuestPrincipal> {
    const session = await findSessionByAccessToken(this.#store.read, hashOf(token));
    if (session === undefined) throw invalid();
    return this.#person('access_token', session, caller);
  }

  async #person(
    type: 'session' | 'access_token',
    session: Session,
    caller: Origin,
  ): Promise<MemberPrincipal | GuestPrincipal> {
    const { id, user, bootstrapMac, csrfHash, expiresAt } = session;
    if (user === null && !(await this.#bootstrapToken.isPresent(bootstrapMac))) throw invalid();
    const display = user?.name ?? localAdministrator.display;
    const person = {
      type,
      credentialId: id,
      name: display,
      expiresAt,
      actor: { type: 'user', id: user?.id ?? null, display },
      user,
      administrator: user === null,
      csrfHash,
    } as const;
    const belonging = await this.#belonging(user?.id, caller.organizationId);
    this.#note(id, () => noteSessionUse(this.#store.read, id));
    if (belonging !== undefined) return { ...person, ...belonging };
    if (caller.organizationId !== undefined) throw noOrganization(caller.organizationId);
    return { ...person, organization: null, role: null };
  }

  /** The person's membership in the organization that they name, or in the first that they joined. The administrator owns all. */
  async #belonging(
    userId: string | undefined,
    organizationId: string | undefined,
  ): Promise<Belonging | undefined> {
    const db = this.#store.read;
    if (userId !== undefined) {
      const { rows } = await listBelongings(db, userId, { limit: 1, organizationId });
      return rows[0];
    }
    const organization =
      organizationId === undefined
        ? await findOrganizationBySlug(db, defaultSlug)
        : await findOrganization(db, organizationId);
    return organization?.deletedAt === null
      ? { organization, role: 'owner', databaseIds: null }
      : undefined;
  }

  #noteUse({ id }: ApiKey, { ip, userAgent }: Origin): void {
    this.#note(id, () => noteApiKeyUse(this.#store.read, id, { ip, userAgent }));
  }

  /** Not awaited, because the answer does not depend on it. */
  #note(credentialId: string, write: () => Promise<void>): void {
    if (this.#noted.get(credentialId) !== undefined) return;
    this.#noted.set(credentialId, true);
    write().catch((error: unknown) => {
      this.#logger.warn(
        { err: error, credentialId },
        'the last use of a credential could not be recorded',
      );
    });
  }
}

const invalid = () =>
  new Refusal('invalid_credentials', {
    detail:
      'The credential is not valid. Check that you sent all of it and that it was not revoked.',
  });

function noCredential(kind: 'none' | 'conflict' | 'malformed'): Refusal {
  switch (kind) {
    case 'none':
      return new Refusal('authentication_required', {
        detail: 'Send an API key as x-api-key or as Authorization: Bearer.',
      });
    case 'conflict':
      return new Refusal('conflicting_credentials', {
        detail: 'x-api-key and Authorization carry different credentials; send one of them.',
      });
    case 'malformed':
      return invalid();
    default:
      return assertNever(kind);
  }
}

const noOrganization = (id: string | undefined) =>
  new Refusal('organization_not_found', {
    detail: `The credential belongs to no organization ${id ?? ''}. Check the header X-Organization-Id.`,
  });

function ownOrganization({ organizationId }: Origin, own: string): void {
  if (organizationId !== undefined && organizationId !== own) throw noOrganization(organizationId);
}

function admits(allowList: readonly string[], ip: string): boolean {
  if (allowList.length === 0) return true;
  const list = new BlockList();
  for (const range of allowList) {
    const [address = '', bits] = range.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  // BlockList itself finds IPv4 addresses that are written as IPv6.
  return list.check(ip, isIPv6(ip) ? 'ipv6' : 'ipv4');
}
