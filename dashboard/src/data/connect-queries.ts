/** What the page for connecting reads. */
import { queryOptions } from '@tanstack/react-query';
import type { ConnectionSnippet } from '../../../gen/api.ts';
import { ask, intentKey } from './client.ts';
import { every } from './polling.ts';

const keptMs = 15 * 60_000;
/** The service holds the request until something is seen. */
const waitSeconds = 20;
const againMs = 500;

/**
 * A check that waits for a lookup. It is made when the page is opened; `number` tells the checks of a page apart, of which each has
 * one intent.
 */
export const newCheckQuery = (organizationId: string, databaseId: string, number: number) => {
  const key = intentKey();
  return queryOptions({
    queryKey: ['connect', organizationId, databaseId, 'check', number],
    queryFn: async () =>
      (
        await ask(
          organizationId,
          'post',
          '/api/v1/databases/{databaseId}/connection-checks',
          { params: { databaseId }, body: {} },
          { headers: { 'Idempotency-Key': key } },
        )
      ).data.connectionCheck,
    staleTime: keptMs,
    gcTime: keptMs,
  });
};

/** How the check stands; asked again and again while it waits. */
export const checkQuery = (organizationId: string, databaseId: string, checkId: string) =>
  queryOptions({
    queryKey: ['connect', organizationId, databaseId, 'standing', checkId],
    enabled: checkId !== '',
    queryFn: async ({ signal, client, queryKey }) => {
      // The first answer comes at once, and the following ones when something has changed.
      const isFirst = client.getQueryData(queryKey) === undefined;
      return (
        await ask(
          organizationId,
          'get',
          '/api/v1/databases/{databaseId}/connection-checks/{checkId}',
          {
            params: { databaseId, checkId },
            query: { waitSeconds: isFirst ? 0 : waitSeconds },
          },
          { signal },
        )
      ).data.connectionCheck;
    },
    refetchInterval: (query) =>
      query.state.data === undefined || query.state.data.status === 'WAITING'
        ? every(againMs)()
        : false,
  });

export const snippetQuery = (
  organizationId: string,
  databaseId: string,
  language: ConnectionSnippet['language'],
  checkId: string,
) =>
  queryOptions({
    queryKey: ['connect', organizationId, databaseId, 'snippet', language, checkId],
    enabled: checkId !== '',
    queryFn: async ({ signal }) =>
      (
        await ask(
          organizationId,
          'get',
          '/api/v1/databases/{databaseId}/snippets',
          { params: { databaseId }, query: { language, checkId } },
          { signal },
        )
      ).data.snippet,
    staleTime: keptMs,
  });
