import type { webhookRoutes } from '../contract/routes/events.ts';
import { checkMatch, etagOf } from '../http/conditional.ts';
import type { HandlersOf } from '../http/handler.ts';
import type { IdempotentRequests } from '../http/idempotent.ts';
import { Refusal } from '../model/refusal.ts';
import { findDatabase } from '../store/databases.ts';
import type { Sealer } from '../store/sealing.ts';
import type { Store } from '../store/store.ts';
import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  findWebhookEndpoint,
  listWebhookEndpoints,
  updateWebhookEndpoint,
  webhookEndpointsMax,
  type WebhookEndpoint,
} from '../store/webhook-endpoints.ts';
import type { Reader } from '../store/tables.ts';

export interface WebhookServices {
  readonly store: Store;
  readonly requests: IdempotentRequests;
  readonly sealer: Sealer;
}

type Scope = { readonly type: 'ALL' } | { readonly type: 'DATABASE'; readonly databaseId: string };

type Handlers = HandlersOf<typeof webhookRoutes>;

export const webhookHandlers = (services: WebhookServices): Handlers => ({
  ...makers(services),
  ...changers(services),
});

function makers({
  store,
  requests,
  sealer,
}: WebhookServices): Pick<
  Handlers,
  'createWebhookEndpoint' | 'listWebhookEndpoints' | 'getWebhookEndpoint'
> {
  return {
    createWebhookEndpoint(request) {
      const { body, principal } = request;
      return requests.change(request, async (change) => {
        const { id: organizationId } = principal.organization;
        const { databaseScope, ...rest } = body;
        const databaseId = await databaseOf(change.db, organizationId, databaseScope);
        const made = await createWebhookEndpoint(change, sealer, {
          ...rest,
          organizationId,
          databaseId,
        });
        if (made === 'too_many') {
          throw new Refusal('quota_exceeded', {
            detail: `The organization has ${webhookEndpointsMax} webhook endpoints, the maximum. Delete one first.`,
          });
        }
        return {
          status: 201,
          headers: { Location: `/api/v1/webhook-endpoints/${made.endpoint.id}` },
          body: { success: true, webhookEndpoint: shown(made.endpoint), secret: made.secret },
        };
      });
    },
    async listWebhookEndpoints({ query, principal }) {
      const endpoints = await listWebhookEndpoints(store.read, principal.organization.id);
      // There are at most ten endpoints, so the first page has all of them.
      const page = { limit: query.limit, nextCursor: null, hasMore: false };
      return { status: 200, body: { data: endpoints.map(shown), page } };
    },
    async getWebhookEndpoint({ params, principal }) {
      const { endpointId } = params;
      const endpoint = await findWebhookEndpoint(store.read, principal.organization.id, endpointId);
      if (endpoint === undefined) throw notThere(endpointId);
      return {
        status: 200,
        etag: etagOf(endpoint.id, endpoint.version),
        body: { webhookEndpoint: shown(endpoint) },
      };
    },
  };
}

function changers({
  store,
}: WebhookServices): Pick<Handlers, 'updateWebhookEndpoint' | 'deleteWebhookEndpoint'> {
  return {
    async updateWebhookEndpoint({ params, body, principal, author, ifMatch }) {
      const { id: organizationId } = principal.organization;
      const { endpointId } = params;
      const { databaseScope, url, description, eventTypes, status } = body;
      const databaseId =
        databaseScope && (await databaseOf(store.read, organizationId, databaseScope));
      const changed = await store.change(author, async (change) => {
        const before = await findWebhookEndpoint(change.db, organizationId, endpointId);
        if (before === undefined) throw notThere(endpointId);
        checkMatch(ifMatch, etagOf(before.id, before.version));
        return updateWebhookEndpoint(
          change,
          organizationId,
          endpointId,
          {
            ...(url !== undefined && { url }),
            ...(description !== undefined && { description }),
            ...(eventTypes !== undefined && { eventTypes }),
            ...(databaseId !== undefined && { databaseId }),
            ...(status !== undefined && { status }),
          },
          before.version,
        );
      });
      if (changed === undefined) throw notThere(endpointId);
      if (changed === 'stale') {
        throw new Refusal('precondition_failed', {
          detail: 'Another request changed the endpoint at the same moment. Read it again.',
        });
      }
      return {
        status: 200,
        etag: etagOf(changed.id, changed.version),
        body: { success: true, webhookEndpoint: shown(changed) },
      };
    },
    async deleteWebhookEndpoint({ params, principal, author, ifMatch }) {
      const { id: organizationId } = principal.organization;
      const { endpointId } = params;
      await store.change(author, async (change) => {
        const before = await findWebhookEndpoint(change.db, organizationId, endpointId);
        if (before === undefined) throw notThere(endpointId);
        checkMatch(ifMatch, etagOf(before.id, before.version));
        await deleteWebhookEndpoint(change, organizationId, endpointId);
      });
      return { status: 204 };
    },
  };
}

/** Null: all databases. */
async function databaseOf(
  db: Reader,
  organizationId: string,
  scope: Scope,
): Promise<string | null> {
  if (scope.type === 'ALL') return null;
  const { databaseId } = scope;
  if ((await findDatabase(db, organizationId, databaseId)) !== undefined) return databaseId;
  throw new Refusal('database_not_found', { detail: `There is no database ${databaseId}.` });
}

const shown = (endpoint: WebhookEndpoint) => ({
  id: endpoint.id,
  url: endpoint.url,
  description: endpoint.description,
  eventTypes: endpoint.eventTypes,
  databaseScope:
    endpoint.databaseId === null
      ? ({ type: 'ALL' } as const)
      : ({ type: 'DATABASE', databaseId: endpoint.databaseId } as const),
  status: endpoint.status,
  disabledReason: endpoint.disabledReason,
  version: endpoint.version,
  createdAt: endpoint.createdAt.toISOString(),
  updatedAt: endpoint.updatedAt.toISOString(),
});

const notThere = (id: string) =>
  new Refusal('webhook_endpoint_not_found', { detail: `There is no webhook endpoint ${id}.` });
