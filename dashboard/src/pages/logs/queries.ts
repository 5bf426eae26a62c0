/** Queries of the page of a database's logs: pages of earlier lines, and the lines that are kept from then on. */
import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  type QueryClient,
} from '@tanstack/react-query';
import type { LogLine } from '../../../../gen/api.ts';
import { ask } from '../../data/client.ts';
import { every } from '../../data/polling.ts';
import { databaseKey } from '../../data/queries.ts';
import { nodes, spanDefault, spans, type LogSearch } from './search.ts';

const path = '/api/v1/databases/{databaseId}/logs';
const rows = 100;
const followedAtOnce = 500;
const followMs = 2_000;

const filterOf = ({ severity, component, node, search }: LogSearch) => ({
  ...(severity !== undefined && { severity }),
  ...(component !== undefined && { component: [component] }),
  ...(node !== undefined && { node: nodes.indexOf(node) }),
  ...(search !== undefined && { search }),
});

/** The newest lines first. All pages have the same beginning of the span as the first one. */
export const earlierLinesQuery = (organizationId: string, databaseId: string, choice: LogSearch) =>
  infiniteQueryOptions({
    queryKey: [...databaseKey(organizationId, databaseId), 'logs', choice],
    initialPageParam: { since: '', cursor: '' },
    queryFn: async ({ signal, pageParam }) => {
      const begin = Date.now() - spans[choice.span ?? spanDefault].ms;
      const since = pageParam.since === '' ? new Date(begin).toISOString() : pageParam.since;
      const query = {
        ...filterOf(choice),
        since,
        limit: rows,
        ...(pageParam.cursor !== '' && { cursor: pageParam.cursor }),
      };
      const { data } = await ask(
        organizationId,
        'get',
        path,
        { params: { databaseId }, query },
        { signal },
      );
      return { ...data, since };
    },
    getNextPageParam: ({ since, page }) =>
      page.nextCursor === null ? undefined : { since, cursor: page.nextCursor },
    // New lines come by themselves.
    staleTime: Infinity,
    gcTime: 0,
    refetchOnWindowFocus: false,
    placeholderData: keepPreviousData,
  });

interface Followed {
  /** The newest first. */
  readonly lines: readonly LogLine[];
  /** ID of the last kept line among the known ones. */
  readonly after: string;
}

/** Most lines held of those that came while somebody watched. */
export const followedMax = 1_000;

/** `begin`: the place at which the first page says to continue. A hidden tab sends no requests. */
export const followedLinesQuery = (
  queryClient: QueryClient,
  organizationId: string,
  databaseId: string,
  choice: LogSearch,
  begin: string | undefined,
) => {
  const queryKey = [...databaseKey(organizationId, databaseId), 'followed-logs', choice];
  return queryOptions({
    queryKey,
    enabled: begin !== undefined,
    queryFn: async ({ signal }): Promise<Followed> => {
      const before = queryClient.getQueryData<Followed>(queryKey) ?? {
        lines: [],
        after: begin ?? '0',
      };
      const query = { ...filterOf(choice), after: before.after, limit: followedAtOnce };
      const { data } = await ask(
        organizationId,
        'get',
        path,
        { params: { databaseId }, query },
        { signal },
      );
      const came = [...data.data].reverse();
      return {
        lines: [...came, ...before.lines].slice(0, followedMax),
        after: data.page.after,
      };
    },
    refetchInterval: every(followMs),
    gcTime: 0,
  });
};
