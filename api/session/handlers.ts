import type { BootstrapToken } from '../auth/bootstrap-token.ts';
import { isGuest, type Caller, type PersonFacts } from '../auth/principal.ts';
import { hasRight, rightsOf, type Permission, type Right, type Role } from '../model/access.ts';
import type { sessionRoutes } from '../contract/routes/session.ts';
import { notThere } from '../http/gate.ts';
import type { HandlersOf } from '../http/handler.ts';
import type { IdempotentRequests } from '../http/idempotent.ts';
import { readCursor, shownPage } from '../http/paging.ts';
import { localAdministrator } from '../model/actor.ts';
import { Refusal } from '../model/refusal.ts';
import { shownScope } from '../members/database-scope.ts';
import { belongingsOf } from '../organizations/belongings.ts';
import { shownOrganization } from '../organizations/shown-organization.ts';
import { closedSessionCookies, openBrowserSession } from '../sign-in/browser-session.ts';
import type { Cursors } from '../store/cursor.ts';
import {
  endOwnSession,
  endSession,
  listSessions,
  type Session,
  type SessionOwner,
} from '../store/sessions.ts';
import type { Store } from '../store/store.ts';

interface SessionServices {
  readonly store: Store;
  readonly requests: IdempotentRequests;
  readonly cursors: Cursors;
  readonly bootstrapToken: BootstrapToken;
  /** Facts about the service in the answer. */
  readonly service: { readonly version: string; readonly notice: string | null };
  readonly limits: { readonly maxDatabases: number; readonly requestsPerMinute: number };
}

/** Maximum number of a person's organizations in the answer to GET /session; GET /organizations returns all. */
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
          rights: shownRights(person?.role),
        },
        organizations: rows.map((row) => ({
          ...shownOrganization(row.organization, row.role),
          rights: shownRights(row.role),
        })),
        limits: {
          ...services.limits,
          maxDatabases: organization?.databasesMax ?? services.limits.maxDatabases,
        },
        service: services.service,
        serverTime: new Date().toISOString(),
        apiVersion: 'v1',
      },
    };
  },
  openAdministratorSession: (request) => open(services, request),
  async closeSession({ principal, author }) {
    await services.store.change(author, (change) => endSession(change, principal.credentialId));
    return { status: 204, cookies: closedSessionCookies };
  },
  async listSessions({ query, principal }) {
    const { limit, cursor } = query;
    const { store, cursors } = services;
    const owner = await ownerOf(services, principal);
    const list = { of: 'sessions', userId: principal.user?.id ?? null };
    const position = readCursor(cursors, list, cursor, 2);
    const page = await listSessions(store.read, owner, { limit, ...(position && { position }) });
    const show = (session: Session) => shownSession(session, principal.credentialId);
    return { status: 200, body: shownPage(cursors, list, limit, page, show) };
  },
  async endSession({ params, principal, author }) {
    const { sessionId } = params;
    const owner = await ownerOf(services, principal);
    const ended = await services.store.change(author, (change) =>
      endOwnSession(change, owner, sessionId),
    );
    if (!ended) throw notThere('sessionId', sessionId);
    return { status: 204 };
  },
});

const ownerOf = async (
  { bootstrapToken }: SessionServices,
  { user }: { readonly user: PersonFacts | null },
): Promise<SessionOwner> => user?.id ?? { bootstrapMacs: await bootstrapToken.macs() };

type Opening = Parameters<HandlersOf<typeof sessionRoutes>['openAdministratorSession']>[0];

async function open(
  { requests, bootstrapToken }: SessionServices,
  { body, requestId, ip, userAgent, idempotency }: Opening,
) {
  const bootstrapMac = await bootstrapToken.macOf(body.token);
  if (bootstrapMac === undefined) {
    throw new Refusal('invalid_credentials', {
      detail: 'The token is wrong. The Secret of the bootstrap token has the right one.',
    });
  }
  const from = { requestId, ip, userAgent };
  // The holders of a token share their keys; the holder of another token gets none of their sessions.
  const principal = { credentialId: `bootstrap ${bootstrapMac.toString('hex')}` };
  return requests.change(
    { principal, author: { ...from, actor: localAdministrator }, idempotency },
    async (change) => {
      const { session, csrfToken, cookies } = await openBrowserSession(change, {
        user: null,
        bootstrapMac,
      });
      return {
        status: 201 as const,
        cookies,
        body: { success: true as const, csrfToken, expiresAt: session.expiresAt.toISOString() },
      };
    },
  );
}

const shownRights = (role: Role | null | undefined) => [...(role ? rightsOf(role) : [])];

const shownSession = (session: Session, currentId: string) => ({
  id: session.id,
  kind: session.kind,
  current: session.id === currentId,
  ip: session.ip,
  userAgent: session.userAgent,
  createdAt: session.createdAt.toISOString(),
  lastUsedAt: session.lastUsedAt.toISOString(),
  expiresAt: session.expiresAt.toISOString(),
});

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
