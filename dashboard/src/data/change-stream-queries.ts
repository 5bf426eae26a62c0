/** Queries for the change streams of a database. */
import { queryOptions } from '@tanstack/react-query';
import { ask } from './client.ts';
import { every } from './polling.ts';
import { databaseKey } from './queries.ts';

const movingMs = 5_000;
const calmMs = 15_000;

export const changeStreamsKey = (organizationId: string, databaseId: string) =>
  [...databaseKey(organizationId, databaseId), 'change-streams'] as const;

/** One stream as it is now, with its ETag. */
export const changeStreamQuery = (organizationId: string, databaseId: string, streamId: string) =>
  queryOptions({
    queryKey: [...changeStreamsKey(organizationId, databaseId), streamId],
    queryFn: ({ signal }) => {
      const path = '/api/v1/databases/{databaseId}/change-streams/{streamId}';
      return ask(organizationId, 'get', path, { params: { databaseId, streamId } }, { signal });
    },
    // A form that is opened again soon waits for what there is then.
    staleTime: 0,
  });

export const changeStreamsQuery = (organizationId: string, databaseId: string) =>
  queryOptions({
    queryKey: changeStreamsKey(organizationId, databaseId),
    queryFn: async ({ signal }) => {
      const path = '/api/v1/databases/{databaseId}/change-streams';
      const parts = { params: { databaseId } };
      return (await ask(organizationId, 'get', path, parts, { signal })).data.data;
    },
    refetchInterval: (query) =>
      every(
        query.state.data?.some(({ state }) => state === 'RUNNING' || state === 'RETRYING')
          ? movingMs
          : calmMs,
      )(),
  });
