/** Makes deliveries of an organization's new events, in the order of the events, each once. */
import { systemAuthor } from '../model/actor.ts';
import type { StoredEvent } from '../model/event.ts';
import { isSubscribed } from '../model/subscriptions.ts';
import { lastSequence, skipEvents, takeEvents } from '../store/event-positions.ts';
import type { Change } from '../store/change.ts';
import type { Store } from '../store/store.ts';
import { createDeliveries, type NewDelivery } from '../store/webhook-deliveries.ts';
import { listWebhookEndpoints, type WebhookEndpoint } from '../store/webhook-endpoints.ts';

export const webhookConsumer = 'webhooks';
/** Events of one transaction. */
const eventsMax = 200;

/** Returns whether there may be more events. */
export function fanOut(store: Store, organizationId: string): Promise<boolean> {
  return store.change(systemAuthor('webhooks'), async (change) => {
    // Read before the endpoints: an event up to this number was written before any endpoint that is not seen below.
    const last = await lastSequence(change.db, organizationId);
    if ((await enabledEndpoints(change, organizationId)).length === 0) {
      await skipEvents(change, webhookConsumer, organizationId, last);
      return false;
    }
    const events = await takeEvents(change, webhookConsumer, organizationId, eventsMax);
    if (events.length === 0) return false;
    // Read after the events: an endpoint that was made meanwhile gets those that happened after it was made.
    const endpoints = await enabledEndpoints(change, organizationId);
    await createDeliveries(
      change,
      events.flatMap((event) =>
        endpoints.filter((one) => wants(one, event)).map((one) => deliveryFor(one, event)),
      ),
    );
    return events.length === eventsMax;
  });
}

async function enabledEndpoints(
  change: Change,
  organizationId: string,
): Promise<readonly WebhookEndpoint[]> {
  const all = await listWebhookEndpoints(change.db, organizationId);
  return all.filter(({ status }) => status === 'ENABLED');
}

/** A test's delivery is made with its event, for the tested endpoint alone. */
const wants = ({ eventTypes, databaseId, createdAt }: WebhookEndpoint, event: StoredEvent) =>
  event.type !== 'webhook.test' &&
  isSubscribed(eventTypes, event.type) &&
  (databaseId === null || databaseId === event.databaseId) &&
  event.occurredAt >= createdAt;

const deliveryFor = (endpoint: WebhookEndpoint, event: StoredEvent): NewDelivery => ({
  organizationId: event.organizationId,
  endpointId: endpoint.id,
  eventId: event.id,
  eventType: event.type,
  databaseId: event.databaseId,
});
