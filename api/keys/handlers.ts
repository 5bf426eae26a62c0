import { keysOnlyOf, mayMakeKey, mayManageKey } from '../auth/key-rights.ts';
import type { MemberPrincipal } from '../auth/principal.ts';
import { requireStillMember } from '../auth/still-member.ts';
import { rights } from '../model/access.ts';
import { generateApiKey, type NewApiKeyText } from '../auth/api-key-format.ts';
import type { apiKeyRoutes } from '../contract/routes/api-keys.ts';
import { checkMatch, settingsTag } from '../http/conditional.ts';
import { notThere } from '../http/gate.ts';
import type { Handler, HandlersOf } from '../http/handler.ts';
import type { IdempotentRequests } from '../http/idempotent.ts';
import { readCursor, shownPage } from '../http/paging.ts';
import { Refusal } from '../model/refusal.ts';
import {
  apiKeyStatus,
  createApiKey,
  findApiKey,
  revokeApiKey,
  rotateApiKey,
  type ApiKey,
} from '../store/api-keys.ts';
import type { Cursors } from '../store/cursor.ts';
import { listApiKeys } from '../store/key-list.ts';
import { requireKeyRoom } from './quota.ts';
import { shownKey } from './shown-key.ts';
import { renewApiKey } from '../store/key-expiry.ts';
import { updateApiKey } from '../store/key-settings.ts';
import { findDatabase } from '../store/databases.ts';
import type { Store } from '../store/store.ts';
import type { Reader } from '../store/tables.ts';

interface KeyServices {
  readonly store: Store;
  readonly requests: IdempotentRequests;
  readonly cursors: Cursors;
  /** Makes this process forget its cached data about a key. */
  readonly forget: (publicId: string) => void;
}

const lifetimeDefaultMs = 90 * 24 * 60 * 60 * 1_000;

type Handlers = HandlersOf<typeof apiKeyRoutes>;

export const apiKeyHandlers = (services: KeyServices): Handlers => ({
  createApiKey: create(services),
  rotateApiKey: rotate(services),
  renewApiKey: renew(services),
  listApiKeys: list(services),
  getApiKey: get(services),
  updateApiKey: update(services),
  revokeApiKey: revoke(services),
});

const create =
  ({ requests }: KeyServices): Handler<'createApiKey'> =>
  (request) => {
    const { body, principal } = request;
    return requests.change(request, async (change) => {
      await requireStillMember(change, principal);
      const { id: organizationId } = principal.organization;
      const { databaseScope: scope, name, permissions, ipAllowList } = body;
      const databaseId = scope.type === 'ALL' ? null : scope.databaseId;
      if (databaseId !== null) {
        const database = await findDatabase(change.db, organizationId, databaseId);
        if (database === undefined) throw notThere('databaseId', databaseId);
      }
      if (!mayMakeKey(principal, { permissions, databaseId })) throw readOnlyKeys();
      const expiresAt = expiryOf(body.expiresAt, Date.now());
      await requireKeyRoom(change, organizationId);
      const secret = generateApiKey();
      const key = await createApiKey(
        change,
        { organizationId, name, databaseId, permissions, ipAllowList, expiresAt },
        stored(secret),
      );
      return withSecret(key, secret);
    });
  };

const rotate =
  ({ requests, forget }: KeyServices): Handler<'rotateApiKey'> =>
  async (request) => {
    const { params, body, principal } = request;
    let oldId: string | undefined;
    const reply = await requests.change(request, async (change) => {
      await requireStillMember(change, principal);
      const { id } = await manageableKey(change.db, principal, params.keyId);
      const { id: organizationId } = principal.organization;
      const secret = generateApiKey();
      const graceMs = body.gracePeriodSeconds * 1_000;
      const rotated = await rotateApiKey(change, { organizationId, id, graceMs }, stored(secret));
      if (rotated !== undefined) {
        oldId = rotated.old.publicId;
        return withSecret(rotated.key, secret);
      }
      throw notActive(await manageableKey(change.db, principal, id));
    });
    if (oldId !== undefined) forget(oldId);
    return reply;
  };

const renew =
  ({ requests, forget }: KeyServices): Handler<'renewApiKey'> =>
  async (request) => {
    const { params, body, principal } = request;
    let publicId: string | undefined;
    const reply = await requests.change(request, async (change) => {
      await requireStillMember(change, principal);
      const { id } = await manageableKey(change.db, principal, params.keyId);
      const expiresAt = expiryOf(body.expiresAt, Date.now());
      const renewed = await renewApiKey(change, principal.organization.id, id, expiresAt);
      if (renewed === undefined) {
        throw notActive(await manageableKey(change.db, principal, id));
      }
      ({ publicId } = renewed);
      return {
        status: 200 as const,
        body: { success: true as const, apiKey: shownKey(renewed) },
      };
    });
    if (publicId !== undefined) forget(publicId);
    return reply;
  };

const list =
  ({ store, cursors }: KeyServices): Handler<'listApiKeys'> =>
  async ({ query, principal }) => {
    const { limit, cursor, ...asked } = query;
    const { id } = principal.organization;
    const listing = { of: 'api-keys', organization: id, ...asked };
    const position = readCursor(cursors, listing, cursor, 2);
    const own = keysOnlyOf(principal);
    const { q, status, permission, databaseId, createdBy, expiresWithinDays } = asked;
    const filter = {
      makers: [
        ...(own === undefined ? [] : [own]),
        ...(createdBy === undefined ? [] : [{ type: 'user' as const, id: createdBy }]),
      ],
      ...(q !== undefined && { search: q }),
      ...(status !== undefined && { statuses: status }),
      ...(permission !== undefined && { permission }),
      ...(databaseId !== undefined && { databaseId }),
      ...(expiresWithinDays !== undefined && { expiresWithinDays }),
    };
    const page = await listApiKeys(store.read, id, filter, {
      limit,
      ...(position && { position }),
    });
    return { status: 200, body: shownPage(cursors, listing, limit, page, shownKey) };
  };

const get =
  ({ store }: KeyServices): Handler<'getApiKey'> =>
  async ({ params, principal }) => {
    const key = await manageableKey(store.read, principal, params.keyId);
    return { status: 200, etag: tagOf(key), body: { apiKey: shownKey(key) } };
  };

const update =
  ({ store, forget }: KeyServices): Handler<'updateApiKey'> =>
  async ({ params, body, principal, author, ifMatch }) => {
    const { id: organizationId } = principal.organization;
    const { keyId: id } = params;
    const { name, ipAllowList } = body;
    const key = await store.change(author, async (change) => {
      await requireStillMember(change, principal);
      const check = (before: ApiKey) => {
        if (!mayManageKey(principal, before)) throw notThere('keyId', id);
        checkMatch(ifMatch, tagOf(before));
        if (!worksStill(before)) throw notActive(before);
      };
      const patch = {
        ...(name !== undefined && { name }),
        ...(ipAllowList !== undefined && { ipAllowList }),
      };
      return updateApiKey(change, { organizationId, id }, patch, check);
    });
    if (key === undefined) throw notThere('keyId', id);
    forget(key.publicId);
    return { status: 200, etag: tagOf(key), body: { success: true, apiKey: shownKey(key) } };
  };

const revoke =
  ({ store, forget }: KeyServices): Handler<'revokeApiKey'> =>
  async ({ params, principal, author }) => {
    const { keyId } = params;
    await manageableKey(store.read, principal, keyId);
    const key = await store.change(author, (change) =>
      revokeApiKey(change, principal.organization.id, keyId),
    );
    if (key === undefined) throw notThere('keyId', keyId);
    forget(key.publicId);
    return { status: 204 };
  };

/** A key that the member may not manage is treated as not found. */
async function manageableKey(
  db: Reader,
  principal: MemberPrincipal,
  keyId: string,
): Promise<ApiKey> {
  const key = await findApiKey(db, principal.organization.id, keyId);
  if (key === undefined || !mayManageKey(principal, key)) throw notThere('keyId', keyId);
  return key;
}

const worksStill = (key: ApiKey): boolean =>
  ['ACTIVE', 'ROTATING'].includes(apiKeyStatus(key, new Date()));

const notActive = (key: ApiKey) =>
  new Refusal('api_key_not_active', {
    detail: `The key is ${apiKeyStatus(key, new Date())}; make another.`,
  });

const tagOf = ({ id, name, ipAllowList }: ApiKey): string => settingsTag(id, { name, ipAllowList });

const readOnlyKeys = () =>
  new Refusal('insufficient_scope', {
    detail: `You may only make keys with db:read, for databases that you may use. Other keys need one of the roles ${rights.manageKeys.join(', ')}.`,
    members: { requiredRoles: rights.manageKeys },
  });

const stored = ({ publicId, secretHash, lastFour }: NewApiKeyText) => ({
  publicId,
  secretHash,
  lastFour,
});

function expiryOf(given: string | null | undefined, nowMs: number): Date | null {
  if (given === null) return null;
  if (given === undefined) return new Date(nowMs + lifetimeDefaultMs);
  const expiresAt = new Date(given);
  if (expiresAt.getTime() > nowMs) return expiresAt;
  const detail = 'Must be in the future, or null for never.';
  throw new Refusal('validation_failed', {
    detail: `#/expiresAt: ${detail}`,
    errors: [{ pointer: '#/expiresAt', code: 'in_the_past', detail }],
  });
}

const withSecret = (key: ApiKey, { text }: NewApiKeyText) => ({
  status: 201 as const,
  headers: { Location: `/api/v1/api-keys/${key.id}` },
  body: { success: true as const, apiKey: shownKey(key), secret: text },
});
