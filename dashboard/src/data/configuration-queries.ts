/** Queries for a database's configuration, its parameters, its changes and its earlier revisions. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { ask } from './client.ts';
import { every } from './polling.ts';
import { databaseKey } from './queries.ts';

const rows = 20;
const busyMs = 2_000;
const calmMs = 10_000;

export const configurationQuery = (organizationId: string, databaseId: string) =>
  queryOptions({
    queryKey: [...databaseKey(organizationId, databaseId), 'configuration'],
    queryFn: ({ signal }) =>
      ask(
        organizationId,
        'get',
        '/api/v1/databases/{databaseId}/configuration',
        { params: { databaseId } },
        { signal },
      ),
    refetchInterval: every(calmMs),
  });

export const parametersQuery = (organizationId: string, databaseId: string) =>
  queryOptions({
    queryKey: [...databaseKey(organizationId, databaseId), 'parameters'],
    queryFn: async ({ signal }) =>
      (
        await ask(
          organizationId,
          'get',
          '/api/v1/databases/{databaseId}/parameters',
          { params: { databaseId } },
          { signal },
        )
      ).data.data,
  });

const windowKey = (organizationId: string) => ['maintenance-window', organizationId] as const;

/** What depends on a window: it, and the changes that wait for it. That of the organization counts for many databases. */
export const windowKeys = (organizationId: string, databaseId: string | undefined) =>
  databaseId === undefined
    ? [windowKey(organizationId), ['database', organizationId]]
    : [databaseKey(organizationId, databaseId)];

/** `databaseId` absent: the window of the organization. */
export const maintenanceWindowQuery = (organizationId: string, databaseId: string | undefined) =>
  queryOptions({
    queryKey:
      databaseId === undefined
        ? windowKey(organizationId)
        : [...databaseKey(organizationId, databaseId), 'maintenance-window'],
    queryFn: async ({ signal }) => {
      const { data, etag } = await (databaseId === undefined
        ? ask(organizationId, 'get', '/api/v1/maintenance-window', {}, { signal })
        : ask(
            organizationId,
            'get',
            '/api/v1/databases/{databaseId}/maintenance-window',
            { params: { databaseId } },
            { signal },
          ));
      return { window: data.maintenanceWindow, etag };
    },
    refetchInterval: every(calmMs),
  });

export const changesQuery = (organizationId: string, databaseId: string) =>
  queryOptions({
    queryKey: [...databaseKey(organizationId, databaseId), 'changes'],
    queryFn: async ({ signal }) =>
      (
        await ask(
          organizationId,
          'get',
          '/api/v1/databases/{databaseId}/changes',
          { params: { databaseId }, query: { limit: rows } },
          { signal },
        )
      ).data.data,
    refetchInterval: (query) =>
      every(query.state.data?.some(({ status }) => status === 'APPLYING') ? busyMs : calmMs)(),
  });

export const revisionsQuery = (organizationId: string, databaseId: string) =>
  infiniteQueryOptions({
    queryKey: [...databaseKey(organizationId, databaseId), 'revisions'],
    initialPageParam: '',
    queryFn: async ({ signal, pageParam }) => {
      const query = { limit: rows, ...(pageParam !== '' && { cursor: pageParam }) };
      const { data } = await ask(
        organizationId,
        'get',
        '/api/v1/databases/{databaseId}/profiles',
        { params: { databaseId }, query },
        { signal },
      );
      return data;
    },
    getNextPageParam: (last) => last.page.nextCursor ?? undefined,
  });
