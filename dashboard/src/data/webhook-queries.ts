/** Queries of the webhook pages. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { keptRows } from './kept-rows.ts';
import type { WebhookDelivery } from '../../../gen/api.ts';
import { ask } from './client.ts';
import { every } from './polling.ts';

const listMs = 10_000;
/** While something is under way. */
const soonMs = 2_000;
const rows = 50;

export const webhooksQuery = (organizationId: string) =>
  queryOptions({
    queryKey: ['webhooks', organizationId],
    queryFn: async ({ signal }) =>
      (await ask(organizationId, 'get', '/api/v1/webhook-endpoints', {}, { signal })).data,
    refetchInterval: every(listMs),
  });

/** One endpoint as it is now, with its ETag. */
export const webhookQuery = (organizationId: string, endpointId: string) =>
  queryOptions({
    queryKey: ['webhook', organizationId, endpointId],
    queryFn: ({ signal }) =>
      ask(
        organizationId,
        'get',
        '/api/v1/webhook-endpoints/{endpointId}',
        { params: { endpointId } },
        { signal },
      ),
    staleTime: 0,
  });

export interface DeliveryFilter {
  readonly endpointId?: string;
  readonly eventType?: string;
  readonly deliveryId?: string;
  readonly eventId?: string;
  /** `503`, `5xx` or `none`. */
  readonly answer?: string;
  readonly createdAfter?: string;
  readonly createdBefore?: string;
  readonly status?: WebhookDelivery['status'];
}

export const deliveriesQuery = (organizationId: string, filter: DeliveryFilter) =>
  infiniteQueryOptions({
    queryKey: ['deliveries', organizationId, filter],
    initialPageParam: '',
    queryFn: async ({ signal, pageParam }) => {
      const { status, ...rest } = filter;
      const query = {
        limit: rows,
        ...rest,
        ...(status !== undefined && { status: [status] }),
        ...(pageParam !== '' && { cursor: pageParam }),
      };
      const path = '/api/v1/webhook-deliveries';
      return (await ask(organizationId, 'get', path, { query }, { signal })).data;
    },
    getNextPageParam: (last) => last.page.nextCursor ?? undefined,
    placeholderData: (before) => keptRows(before),
    refetchInterval: every(listMs),
  });

/** A delivery, the body of its requests, and its attempts. */
export const deliveryQuery = (organizationId: string, deliveryId: string) =>
  queryOptions({
    queryKey: ['deliveries', organizationId, 'one', deliveryId],
    queryFn: async ({ signal }) => {
      const path = '/api/v1/webhook-deliveries/{deliveryId}';
      const parts = { params: { deliveryId } };
      const [one, attempts] = await Promise.all([
        ask(organizationId, 'get', path, parts, { signal }),
        ask(organizationId, 'get', `${path}/attempts`, parts, { signal }),
      ]);
      return { ...one.data, attempts: attempts.data.data };
    },
    refetchInterval: (query) =>
      every(query.state.data?.webhookDelivery.status === 'PENDING' ? soonMs : listMs)(),
  });
