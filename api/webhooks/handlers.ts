import type { webhookRoutes } from '../contract/routes/webhooks.ts';
import { checkMatch, etagOf } from '../http/conditional.ts';
import type { Handler, HandlersOf } from '../http/handler.ts';
import type { IdempotentRequests } from '../http/idempotent.ts';
import { Refusal } from '../model/refusal.ts';
import type { Change } from '../store/change.ts';
import { findDatabase } from '../store/databases.ts';
import type { Sealer } from '../store/sealing.ts';
import type { Store } from '../store/store.ts';
import { channels, notify } from '../store/listener.ts';
import {
  countDeliveries,
  createDeliveries,
  type DeliveryCounts,
} from '../store/webhook-deliveries.ts';
import {
  beginTest,
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  findWebhookEndpoint,
  listWebhookEndpoints,
  revealWebhookSecret,
  rotateWebhookSecret,
  updateWebhookEndpoint,
  webhookEndpointsMax,
  type WebhookEndpoint,
} from '../store/webhook-endpoints.ts';
import type { Reader } from '../store/tables.ts';
import { checkUrl } from './endpoint-url.ts';
import { shownDelivery } from './shown.ts';

interface WebhookServices {
  readonly store: Store;
  readonly requests: IdempotentRequests;
  readonly sealer: Sealer;
  /** Address ranges that may get webhooks although they are not public. */
  readonly ranges: readonly string[];
}

type Scope = { readonly type: 'ALL' } | { readonly type: 'DATABASE'; readonly databaseId: string };

type Handlers = HandlersOf<typeof webhookRoutes>;

export const webhookHandlers = (services: WebhookServices): Handlers => ({
  createWebhookEndpoint: create(services),
  listWebhookEndpoints: list(services),
  getWebhookEndpoint: get(services),
  updateWebhookEndpoint: update(services),
  deleteWebhookEndpoint: remove(services),
  showWebhookSecret: showSecret(services),
  rotateWebhookSecret: rotateSecret(services),
  testWebhookEndpoint: test(services),
});

const create =
  ({ requests, sealer, ranges }: WebhookServices): Handler<'createWebhookEndpoint'> =>
  (request) => {
    const { body, principal } = request;
    checkUrl(body.url, ranges, '#/url');
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
        body: {
          success: true,
          webhookEndpoint: shown(made.endpoint, noCounts),
          secret: made.secret,
        },
      };
    });
  };

const list =
  ({ store }: WebhookServices): Handler<'listWebhookEndpoints'> =>
  async ({ query, principal }) => {
    const endpoints = await listWebhookEndpoints(store.read, principal.organization.id);
    // There are at most ten endpoints, so the first page has all of them.
    const page = { limit: query.limit, nextCursor: null, hasMore: false };
    const counts = await countsOf(store, endpoints);
    return { status: 200, body: { data: endpoints.map((one) => shown(one, counts(one))), page } };
  };

const get =
  ({ store }: WebhookServices): Handler<'getWebhookEndpoint'> =>
  async ({ params, principal }) => {
    const { endpointId } = params;
    const endpoint = await findWebhookEndpoint(store.read, principal.organization.id, endpointId);
    if (endpoint === undefined) throw notThere(endpointId);
    const counts = await countsOf(store, [endpoint]);
    return {
      status: 200,
      etag: tagOf(endpoint),
      body: { webhookEndpoint: shown(endpoint, counts(endpoint)) },
    };
  };

const update =
  ({ store, ranges }: WebhookServices): Handler<'updateWebhookEndpoint'> =>
  async ({ params, body, principal, author, ifMatch }) => {
    const { id: organizationId } = principal.organization;
    const { endpointId } = params;
    const { databaseScope, url, description, eventTypes, status } = body;
    if (url !== undefined) checkUrl(url, ranges, '#/url');
    const databaseId =
      databaseScope && (await databaseOf(store.read, organizationId, databaseScope));
    const changed = await store.change(author, async (change) => {
      if (status === 'ENABLED') await notify(change.db, channels.webhook);
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
        (before) => checkMatch(ifMatch, tagOf(before)),
      );
    });
    if (changed === undefined) throw notThere(endpointId);
    const counts = await countsOf(store, [changed]);
    return {
      status: 200,
      etag: tagOf(changed),
      body: { success: true, webhookEndpoint: shown(changed, counts(changed)) },
    };
  };

const remove =
  ({ store }: WebhookServices): Handler<'deleteWebhookEndpoint'> =>
  async ({ params, principal, author, ifMatch }) => {
    const { id: organizationId } = principal.organization;
    const { endpointId } = params;
    const check = (before: WebhookEndpoint) => checkMatch(ifMatch, tagOf(before));
    const deleted = await store.change(author, (change) =>
      deleteWebhookEndpoint(change, organizationId, endpointId, check),
    );
    if (!deleted) throw notThere(endpointId);
    return { status: 204 };
  };

const showSecret =
  ({ store, sealer }: WebhookServices): Handler<'showWebhookSecret'> =>
  async ({ params, principal, author }) => {
    const { id: organizationId } = principal.organization;
    const secret = await store.change(author, (change) =>
      revealWebhookSecret(change, sealer, organizationId, params.endpointId),
    );
    if (secret === undefined) throw notThere(params.endpointId);
    return { status: 200, body: { secret } };
  };

const rotateSecret =
  ({ requests, sealer }: WebhookServices): Handler<'rotateWebhookSecret'> =>
  (request) => {
    const { params, principal, body } = request;
    return requests.change(request, async (change) => {
      const rotated = await rotateWebhookSecret(change, sealer, {
        organizationId: principal.organization.id,
        id: params.endpointId,
        graceSeconds: body.gracePeriodSeconds,
      });
      if (rotated === undefined) throw notThere(params.endpointId);
      const { endpoint, secret } = rotated;
      return {
        status: 200,
        body: { success: true, webhookEndpoint: shown(endpoint, noCounts), secret },
      };
    });
  };

const test =
  ({ requests }: WebhookServices): Handler<'testWebhookEndpoint'> =>
  (request) => {
    const { params, principal } = request;
    return requests.change(request, async (change) => {
      const { id: organizationId } = principal.organization;
      const { id, url } = await testable(change, organizationId, params.endpointId);
      const eventId = change.emit({
        organizationId,
        type: 'webhook.test',
        subject: { type: 'webhook_endpoint', id, display: url },
        data: { endpoint: { id, url } },
      });
      const delivery = { organizationId, endpointId: id, eventId, databaseId: null };
      const [made] = await createDeliveries(change, [{ ...delivery, eventType: 'webhook.test' }]);
      if (made === undefined) throw new Error('the delivery of a new event was not made');
      await notify(change.db, channels.webhook);
      return { status: 202, body: { success: true, webhookDelivery: shownDelivery(made) } };
    });
  };

/** Seconds between tests of an endpoint. */
const testEverySeconds = 20;

/** The endpoint whose test begins now. */
async function testable(
  change: Change,
  organizationId: string,
  endpointId: string,
): Promise<WebhookEndpoint> {
  const endpoint = await findWebhookEndpoint(change.db, organizationId, endpointId);
  if (endpoint === undefined) throw notThere(endpointId);
  if (endpoint.status !== 'ENABLED') throw disabled(endpointId);
  if (await beginTest(change, endpointId, testEverySeconds)) return endpoint;
  throw new Refusal('rate_limited', {
    detail: `An endpoint can be tested once in ${testEverySeconds} s.`,
    retryAfterSeconds: testEverySeconds,
  });
}

/** Maximum number of an endpoint's deliveries that are counted. */
const countedMax = 10_000;
const noCounts = { success: 0, failed: 0, pending: 0 };

async function countsOf({ read }: Store, endpoints: readonly WebhookEndpoint[]) {
  const ids = endpoints.map(({ id }) => id);
  const counts = await countDeliveries(read, ids, countedMax);
  return ({ id }: WebhookEndpoint) => counts.get(id) ?? noCounts;
}

const tagOf = ({ id, version }: WebhookEndpoint): string => etagOf(id, version);

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

const shown = (endpoint: WebhookEndpoint, stats24h: DeliveryCounts) => ({
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
  signing: 'v1' as const,
  previousSecretUntil: endpoint.previousSecretUntil?.toISOString() ?? null,
  throttledUntil: endpoint.throttledUntil?.toISOString() ?? null,
  failingSince: endpoint.failingSince?.toISOString() ?? null,
  stats24h,
  version: endpoint.version,
  createdAt: endpoint.createdAt.toISOString(),
  updatedAt: endpoint.updatedAt.toISOString(),
});

const notThere = (id: string) =>
  new Refusal('webhook_endpoint_not_found', { detail: `There is no webhook endpoint ${id}.` });

const disabled = (id: string) =>
  new Refusal('webhook_endpoint_disabled', { detail: `The webhook endpoint ${id} is disabled.` });
