/** Deliveries over HTTP: their content, their results, and sending them again. */
import type { deliveryRoutes } from '../contract/routes/webhooks.ts';
import { replayMax } from '../contract/schemas/webhook-delivery.ts';
import type { HandlersOf } from '../http/handler.ts';
import type { IdempotentRequests } from '../http/idempotent.ts';
import { readCursor, shownPage } from '../http/paging.ts';
import { Refusal } from '../model/refusal.ts';
import type { DeliveryStatus } from '../model/webhook.ts';
import type { Change } from '../store/change.ts';
import type { Cursors } from '../store/cursor.ts';
import { channels, notify } from '../store/listener.ts';
import type { Store } from '../store/store.ts';
import {
  countReplay,
  eventOfDelivery,
  findDelivery,
  listAttempts,
  listDeliveries,
  replayDeliveries,
  type DeliveryFilter,
  type Replay,
} from '../store/webhook-deliveries.ts';
import { webhookBody } from './body.ts';
import { shownAttempt, shownDelivery } from './shown.ts';

interface DeliveryServices {
  readonly store: Store;
  readonly requests: IdempotentRequests;
  readonly cursors: Cursors;
}

type Handlers = HandlersOf<typeof deliveryRoutes>;

const attemptsShown = 100;

export const deliveryHandlers = (services: DeliveryServices): Handlers => ({
  ...readers(services),
  ...replayers(services),
});

function readers({
  store,
  cursors,
}: DeliveryServices): Pick<
  Handlers,
  'listWebhookDeliveries' | 'getWebhookDelivery' | 'listWebhookAttempts'
> {
  const find = async (organizationId: string, id: string) => {
    const delivery = await findDelivery(store.read, organizationId, id);
    if (delivery === undefined) throw notThere(id);
    return delivery;
  };
  return {
    async listWebhookDeliveries({ query, principal }) {
      const { limit, cursor, status, ...rest } = query;
      const list = { of: 'webhook-deliveries', status, ...rest };
      const position = readCursor(cursors, list, cursor, 2);
      const page = await listDeliveries(
        store.read,
        principal.organization.id,
        filterOf({ ...rest, statuses: status }),
        { limit, ...(position && { position }) },
      );
      return { status: 200, body: shownPage(cursors, list, limit, page, shownDelivery) };
    },
    async getWebhookDelivery({ params, principal }) {
      const delivery = await find(principal.organization.id, params.deliveryId);
      const event = await eventOfDelivery(store.read, delivery);
      const requestBody = event === undefined ? null : webhookBody(event);
      return { status: 200, body: { webhookDelivery: shownDelivery(delivery), requestBody } };
    },
    async listWebhookAttempts({ params, principal }) {
      const delivery = await find(principal.organization.id, params.deliveryId);
      const attempts = await listAttempts(store.read, delivery.id, attemptsShown);
      return { status: 200, body: { data: attempts.map(shownAttempt) } };
    },
  };
}

function replayers({
  store,
  requests,
}: DeliveryServices): Pick<Handlers, 'replayWebhookDelivery' | 'replayWebhookDeliveries'> {
  return {
    replayWebhookDelivery(request) {
      const { id: organizationId } = request.principal.organization;
      const { deliveryId: id } = request.params;
      return requests.change(request, async (change) => {
        const before = await findDelivery(change.db, organizationId, id);
        if (before === undefined) throw notThere(id);
        const replay = await replayDeliveries(change, organizationId, { id }, 1);
        if (replay.skipped > 0) {
          throw new Refusal('webhook_endpoint_disabled', {
            detail: `The webhook endpoint ${before.endpointId} is disabled.`,
          });
        }
        await tell(change, organizationId, before.endpointId, replay);
        const after = (await findDelivery(change.db, organizationId, id)) ?? before;
        return { status: 202, body: { success: true, webhookDelivery: shownDelivery(after) } };
      });
    },
    replayWebhookDeliveries(request) {
      const { id: organizationId } = request.principal.organization;
      const { dryRun, ...rest } = request.body;
      const filter = filterOf(rest);
      return requests.run(request, async (keep) => {
        if (dryRun)
          return answerOf(await countReplay(store.read, organizationId, filter, replayMax), true);
        return store.change(request.author, async (change) => {
          const replay = await replayDeliveries(change, organizationId, filter, replayMax);
          await tell(change, organizationId, rest.endpointId ?? null, replay);
          const answer = answerOf(replay, false);
          await keep(change, answer);
          return answer;
        });
      });
    },
  };
}

const answerOf = (replay: Replay, dryRun: boolean) => ({
  status: 202 as const,
  body: {
    success: true as const,
    dryRun,
    ...replay,
    more: replay.replayed + replay.expedited + replay.skipped === replayMax,
  },
});

/** Records the replay in the audit log, and wakes the workers. */
async function tell(
  change: Change,
  organizationId: string,
  endpointId: string | null,
  { replayed, expedited }: Replay,
): Promise<void> {
  const count = replayed + expedited;
  if (count === 0) return;
  change.emit({
    organizationId,
    type: 'webhook.deliveries_replayed',
    subject: { type: 'webhook_endpoint', id: endpointId, display: endpointId ?? 'all' },
    data: { count },
  });
  await notify(change.db, channels.webhook);
}

interface AskedFilter {
  readonly endpointId?: string | undefined;
  readonly eventType?: string | undefined;
  readonly deliveryId?: string | undefined;
  readonly eventId?: string | undefined;
  readonly answer?: string | undefined;
  readonly statuses?: readonly DeliveryStatus[] | undefined;
  readonly createdAfter?: string | undefined;
  readonly createdBefore?: string | undefined;
}

const filterOf = (asked: AskedFilter): DeliveryFilter => ({
  ...(asked.endpointId !== undefined && { endpointId: asked.endpointId }),
  ...(asked.eventType !== undefined && { eventType: asked.eventType }),
  ...(asked.deliveryId !== undefined && { deliveryId: asked.deliveryId }),
  ...(asked.eventId !== undefined && { eventId: asked.eventId }),
  ...(asked.answer !== undefined && { codes: codesOf(asked.answer) }),
  ...(asked.statuses !== undefined && { statuses: asked.statuses }),
  ...(asked.createdAfter !== undefined && { createdAfter: new Date(asked.createdAfter) }),
  ...(asked.createdBefore !== undefined && { createdBefore: new Date(asked.createdBefore) }),
});

/** `503`, `5xx` or `none`. */
function codesOf(answer: string): NonNullable<DeliveryFilter['codes']> {
  if (answer === 'none') return 'none';
  const from = Number(answer.replace('xx', '00'));
  return { from, to: answer.endsWith('xx') ? from + 99 : from };
}

const notThere = (id: string) =>
  new Refusal('webhook_delivery_not_found', { detail: `There is no webhook delivery ${id}.` });
