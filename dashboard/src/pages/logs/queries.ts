/** Queries of the page of a database's logs: pages of earlier lines, and the lines that are kept from then on. */
import { infiniteQueryOptions, queryOptions, type QueryClient } from '@tanstack/react-query';
import { keptRows } from '../../data/kept-rows.ts';
import type { Parts } from '../../../../clients/typescript/src/planned-request.ts';
import type { LogLine, LogLineList } from '../../../../gen/api.ts';
import { serverNow } from '../../lib/clock.ts';
import { ask } from '../../data/client.ts';
import { patiently } from '../../data/patience.ts';
import { every } from '../../data/polling.ts';
import { databaseKey } from '../../data/queries.ts';
import { boundsOf, nodes, type Bounds, type LogSearch } from './search.ts';

const path = '/api/v1/databases/{databaseId}/logs';
const rows = 100;
const rowsMax = 500;
const followMs = 2_000;

const filterOf = ({ severity, component, node, search }: LogSearch) => ({
  ...(severity !== undefined && { severity }),
  ...(component !== undefined && { component: [component] }),
  ...(node !== undefined && { node: nodes.indexOf(node) }),
  ...(search !== undefined && { search }),
});

type Query = NonNullable<Parts<'get', typeof path>['query']>;

async function readLines(
  organizationId: string,
  databaseId: string,
  query: Query,
  signal?: AbortSignal,
): Promise<LogLineList> {
  const parts = { params: { databaseId }, query };
  const sending = signal === undefined ? {} : { signal };
  return (await ask(organizationId, 'get', path, parts, sending)).data;
}

interface PageParam {
  readonly bounds: Bounds | undefined;
  readonly cursor: string;
}
const firstPage: PageParam = { bounds: undefined, cursor: '' };

/** The newest lines first. All pages have the same bounds in time as the first one. */
export const earlierLinesQuery = (organizationId: string, databaseId: string, choice: LogSearch) =>
  infiniteQueryOptions({
    queryKey: [...databaseKey(organizationId, databaseId), 'logs', choice],
    initialPageParam: firstPage,
    queryFn: async ({ signal, pageParam }) => {
      const bounds = pageParam.bounds ?? boundsOf(choice, serverNow());
      const query = {
        ...filterOf(choice),
        ...bounds,
        limit: rows,
        ...(pageParam.cursor !== '' && { cursor: pageParam.cursor }),
      };
      return { ...(await readLines(organizationId, databaseId, query, signal)), bounds };
    },
    getNextPageParam: ({ bounds, page }): PageParam | undefined =>
      page.nextCursor === null ? undefined : { bounds, cursor: page.nextCursor },
    // New lines come by themselves.
    staleTime: Infinity,
    gcTime: 0,
    refetchOnWindowFocus: false,
    placeholderData: (before) => keptRows(before),
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
      const query = { ...filterOf(choice), after: before.after, limit: rowsMax };
      const { data, page } = await readLines(organizationId, databaseId, query, signal);
      const came = [...data].reverse();
      return { lines: [...came, ...before.lines].slice(0, followedMax), after: page.after };
    },
    refetchInterval: every(followMs),
    gcTime: 0,
  });
};

/** Reads the lines of a choice page by page, the oldest first. Returns the function that reads the page at a cursor. */
export function pagesOf(
  organizationId: string,
  databaseId: string,
  choice: LogSearch,
  signal: AbortSignal,
): (cursor: string | undefined) => Promise<LogLineList> {
  const filter = { ...filterOf(choice), ...boundsOf(choice, serverNow()) };
  return (cursor) => {
    const at = cursor === undefined ? {} : { cursor };
    const query = { ...filter, ...at, order: 'asc', limit: rowsMax } as const;
    return patiently(() => readLines(organizationId, databaseId, query, signal), { signal });
  };
}
