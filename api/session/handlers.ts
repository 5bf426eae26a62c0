import type { Logger } from 'pino';
import { hashOf, randomDigits } from '../auth/api-key-format.ts';
import { csrfCookie, sessionCookie } from '../auth/credentials.ts';
import { isGuest, type Caller } from '../auth/principal.ts';
import { hasRight, type Permission, type Right } from '../contract/access.ts';
import type { sessionRoutes } from '../contract/routes/session.ts';
import type { Author } from '../events/actor.ts';
import type { HandlersOf } from '../http/handler.ts';
import { Refusal } from '../http/refusal.ts';
import { shownScope } from '../members/database-scope.ts';
import { belongingsOf } from '../organizations/belongings.ts';
import { shownOrganization } from '../organizations/shown-organization.ts';
import { endSession, openSession } from '../store/administrator-sessions.ts';
import type { Change } from '../store/change.ts';
import { defaultSlug, findOrganizationBySlug } from '../store/organizations.ts';
import type { Store } from '../store/store.ts';
import { isBootstrapToken } from './bootstrap-token.ts';

export interface SessionServices {
  readonly store: Store;
  readonly logger: Logger;
  readonly bootstrapTokenFile: string | undefined;
  readonly limits: { readonly maxDatabases: number; readonly requestsPerMinute: number };
}

const lifetimeMs = 12 * 60 * 60 * 1_000;
/** 238 bits each. */
const tokenLength = 40;
/** Of a person's organizations in the answer to GET /session; all are in GET /organizations. */
const organizationsShown = 100;

export const sessionHandlers = (services: SessionServices): HandlersOf<typeof sessionRoutes> => ({
  async getSession({ principal }) {
    const { organization } = principal;
    const person = principal.type === 'api_key' ? undefined : principal;
    const { rows } = person
      ? await belongingsOf(services.store, person, { limit: organizationsShown })
      : { rows: [] };
    return {
      status: 200,
      body: {
        authenticated: true,
        credential: shownCredential(principal),
        user: person
          ? {
              id: person.user?.id ?? null,
              display: person.actor.display,
              email: person.user?.email ?? null,
              administrator: person.administrator,
            }
          : null,
        organization: organization && {
          id: organization.id,
          name: organization.name,
          slug: organization.slug,
          role: person?.role ?? null,
        },
        organizations: rows.map((row) => shownOrganization(row.organization, row.role)),
        limits: services.limits,
        serverTime: new Date().toISOString(),
        apiVersion: 'v1',
      },
    };
  },
  openAdministratorSession: (request) => open(services, request),
  async closeSession({ principal, author }) {
    await services.store.change(author, async (change) => {
      await endSession(change, principal.credentialId);
      if (principal.organization !== null) {
        tell(change, 'session.closed', principal.organization.id, principal.credentialId);
      }
    });
    return { status: 204, cookies: [cookie(sessionCookie, '', 0), cookie(csrfCookie, '', 0)] };
  },
});

type Opening = Parameters<HandlersOf<typeof sessionRoutes>['openAdministratorSession']>[0];

async function open(
  { store, logger, bootstrapTokenFile }: SessionServices,
  { body, requestId, ip, userAgent }: Opening,
) {
  if (!(await isBootstrapToken(bootstrapTokenFile, body.token, logger))) {
    throw new Refusal('invalid_credentials', {
      detail: 'This is not the bootstrap token. The installation keeps it in a Secret.',
    });
  }
  const [token, csrfToken] = [randomDigits(tokenLength), randomDigits(tokenLength)];
  const actor = { type: 'user', id: null, display: 'local administrator' } as const;
  const author: Author = { actor, requestId, ip, userAgent };
  const session = await store.change(author, async (change) => {
    const opened = await openSession(change, {
      tokenHash: hashOf(token),
      csrfHash: hashOf(csrfToken),
      lifetimeMs,
    });
    const first = await findOrganizationBySlug(change.db, defaultSlug);
    if (first !== undefined) tell(change, 'session.opened', first.id, opened.id);
    return opened;
  });
  const seconds = Math.floor(lifetimeMs / 1_000);
  return {
    status: 201 as const,
    cookies: [
      `${cookie(sessionCookie, token, seconds)}; HttpOnly`,
      // Read by our own pages, which send it back as a header.
      cookie(csrfCookie, csrfToken, seconds),
    ],
    body: { success: true as const, csrfToken, expiresAt: session.expiresAt.toISOString() },
  };
}

function tell(
  change: Change,
  type: 'session.opened' | 'session.closed',
  organizationId: string,
  id: string,
): void {
  const subject = { type: 'session', id, display: 'local administrator' } as const;
  change.emit({ organizationId, type, subject, data: {} });
}

/** Browsers take the prefix `__Host-` with Secure and this path only, and Secure from localhost without TLS too. */
const cookie = (name: string, value: string, seconds: number): string =>
  `${name}=${value}; Path=/; Max-Age=${seconds}; Secure; SameSite=Lax`;

function shownCredential(caller: Caller) {
  return {
    type: caller.type,
    id: caller.credentialId,
    name: caller.name,
    ...powersOf(caller),
    expiresAt: caller.expiresAt?.toISOString() ?? null,
  };
}

const rightsBehind: readonly (readonly [Permission, Right])[] = [
  ['db:read', 'readDatabases'],
  ['db:write', 'writeLedger'],
];

function powersOf(caller: Caller) {
  if (caller.type === 'api_key') {
    return { permissions: caller.permissions, databaseScope: caller.databaseScope };
  }
  if (isGuest(caller)) return { permissions: [], databaseScope: { type: 'ALL' } as const };
  return {
    permissions: rightsBehind
      .filter(([, right]) => hasRight(caller.role, right))
      .map(([permission]) => permission),
    databaseScope: shownScope(caller.databaseIds),
  };
}
