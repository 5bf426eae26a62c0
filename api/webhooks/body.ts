import type { StoredEvent } from '../model/event.ts';

/** Body of a webhook, minified. It depends only on the event, so it is the same in every attempt. */
export const webhookBody = (event: StoredEvent): string =>
  JSON.stringify({
    id: event.id,
    type: event.type,
    timestamp: event.occurredAt.toISOString(),
    apiVersion: 'v1',
    organizationId: event.organizationId,
    databaseId: event.databaseId,
    sequence: String(event.sequence),
    actor: event.author.actor,
    data: event.data,
  });
