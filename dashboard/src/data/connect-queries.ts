/** Queries of the page for connecting. */
import { queryOptions } from '@tanstack/react-query';
import type { ConnectionSnippet } from '../../../gen/api.ts';
import { ask, intentKey } from './client.ts';
import { every } from './polling.ts';

const keptMs = 15 * 60_000;
/** The service holds the request until it sees something. */
const waitSeconds = 20;
const againMs = 500;

/**
 * Makes a check that waits for a lookup, when the page is opened. `number` distinguishes the checks of one page; each has its
 * own intent.
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

/** State of a check, read again and again while it waits. */
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
