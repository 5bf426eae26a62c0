/** Queries for a person's notifications and preferences. */
import { infiniteQueryOptions, queryOptions, type QueryClient } from '@tanstack/react-query';
import { keptRows } from './kept-rows.ts';
import type { NotificationPreferences } from '../../../gen/api.ts';
import { ask } from './client.ts';
import { every } from './polling.ts';

const pollMs = 60_000;
const listMs = 30_000;
const rows = 30;

const keyOf = (organizationId: string) => ['notifications', organizationId] as const;
const path = '/api/v1/notifications';

/** Number of unread notifications. */
export const unreadQuery = (organizationId: string) =>
  queryOptions({
    queryKey: [...keyOf(organizationId), 'unread'],
    queryFn: async ({ signal }) => {
      const query = { limit: 1, unreadOnly: true };
      return (await ask(organizationId, 'get', path, { query }, { signal })).data.unread;
    },
    refetchInterval: every(pollMs),
  });

export const notificationsQuery = (organizationId: string, unreadOnly: boolean) =>
  infiniteQueryOptions({
    queryKey: [...keyOf(organizationId), 'list', unreadOnly],
    initialPageParam: '',
    queryFn: async ({ signal, pageParam }) => {
      const query = { limit: rows, unreadOnly, ...(pageParam !== '' && { cursor: pageParam }) };
      return (await ask(organizationId, 'get', path, { query }, { signal })).data;
    },
    getNextPageParam: (last) => last.page.nextCursor ?? undefined,
    placeholderData: (before) => keptRows(before),
    refetchInterval: every(listMs),
  });

export const preferencesQuery = (organizationId: string) =>
  queryOptions({
    queryKey: [...keyOf(organizationId), 'preferences'],
    queryFn: async ({ signal }) => {
      const { data } = await ask(
        organizationId,
        'get',
        '/api/v1/notification-preferences',
        {},
        { signal },
      );
      return data.notificationPreferences;
    },
  });

/** Counts this notification and all before it as read. */
export const readThrough = (organizationId: string, sequence: string) =>
  ask(organizationId, 'patch', path, { body: { readThrough: sequence } });

export type Choice = Partial<
  Pick<NotificationPreferences, 'mutedKinds' | 'mutedDatabases' | 'mailKinds' | 'digestKinds'>
>;

export async function choose(organizationId: string, body: Choice) {
  const { data } = await ask(organizationId, 'patch', '/api/v1/notification-preferences', {
    body,
  });
  return data.notificationPreferences;
}

/** Invalidates the data of the bell and the list. */
export const renew = (client: QueryClient, organizationId: string) =>
  client.invalidateQueries({ queryKey: keyOf(organizationId) });
