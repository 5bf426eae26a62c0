/** The queries of the pages: one key and one request for each thing. */
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { keptRows } from './kept-rows.ts';
import type { Database } from '../../../gen/api.ts';
import { given } from '../lib/search.ts';
import { ask, mine } from './client.ts';
import { every } from './polling.ts';
import { ProblemError } from './problem-error.ts';

const listMs = 30_000;
const pageMs = 10_000;
const jobMs = 2_000;
/** Rows of a page of a list. */
const rows = 50;

export const sessionQuery = () =>
  queryOptions({
    queryKey: ['session'],
    queryFn: async ({ signal }) => (await ask(mine, 'get', '/api/v1/session', {}, { signal })).data,
    staleTime: 60_000,
  });

export const ownSessionsQuery = () =>
  queryOptions({
    queryKey: ['sessions'],
    queryFn: async ({ signal }) =>
      (await ask(mine, 'get', '/api/v1/sessions', { query: { limit: 100 } }, { signal })).data,
  });

interface DatabaseFilter {
  readonly q?: string | undefined;
  readonly status?: Database['status'] | undefined;
  readonly provider?: string | undefined;
  readonly region?: string | undefined;
  readonly label?: string | undefined;
  readonly deleted?: boolean | undefined;
  readonly sort?: 'name' | 'createdAt' | '-createdAt' | undefined;
}

export const databasesQuery = (organizationId: string, filter: DatabaseFilter = {}) =>
  infiniteQueryOptions({
    queryKey: ['databases', organizationId, filter],
    initialPageParam: '',
    queryFn: async ({ signal, pageParam }) => {
      const { status, label, deleted, ...same } = filter;
      const query = {
        limit: rows,
        ...given(same),
        ...(status !== undefined && { status: [status] }),
        ...(label !== undefined && { label: [label] }),
        ...(deleted === true && { includeDeleted: true }),
        ...(pageParam !== '' && { cursor: pageParam }),
      };
      return (await ask(organizationId, 'get', '/api/v1/databases', { query }, { signal })).data;
    },
    getNextPageParam: (last) => last.page.nextCursor ?? undefined,
    placeholderData: (before) => keptRows(before),
    refetchInterval: every(listMs),
  });

/** Pages of 100: a choice of more would be of no use to people. */
const namePagesMax = 10;

/** Names of the organization's databases, in their order: for choices, which must have all of them, and in place of IDs. */
export const databaseNamesQuery = (organizationId: string) =>
  queryOptions({
    queryKey: ['databases', organizationId, 'names'],
    queryFn: async ({ signal }) => {
      const names: Pick<Database, 'id' | 'name'>[] = [];
      const addNames = async (cursor: string | undefined) => {
        const query = {
          limit: 100,
          sort: 'name',
          ...(cursor !== undefined && { cursor }),
        } as const;
        const path = '/api/v1/databases';
        const { data } = await ask(organizationId, 'get', path, { query }, { signal });
        names.push(...data.data.map(({ id, name }) => ({ id, name })));
        return data.page.nextCursor;
      };
      let cursor: string | undefined;
      for (let pages = 0; pages < namePagesMax; pages += 1) {
        const next: string | null = await addNames(cursor);
        if (next === null) break;
        cursor = next;
      }
      return names;
    },
    staleTime: 30_000,
    refetchInterval: every(2 * listMs),
  });

/** The ID of a database by its name; deleted databases may share a name, so `id` says which one is meant. */
export const databaseIdQuery = (organizationId: string, name: string) =>
  queryOptions({
    queryKey: ['databases', organizationId, 'named', name],
    queryFn: async ({ signal }) => {
      const query = { name, includeDeleted: true, limit: 100 };
      const { data } = await ask(organizationId, 'get', '/api/v1/databases', { query }, { signal });
      const living = data.data.find(({ status }) => !['DELETING', 'DELETED'].includes(status));
      const found = living ?? data.data[0];
      if (found === undefined) throw missingDatabase(name);
      return found.id;
    },
    staleTime: 30_000,
  });

const missingDatabase = (name: string) =>
  new ProblemError({
    type: 'about:blank',
    title: 'No such database',
    status: 404,
    detail: `There is no database “${name}” here, or it is not among those that you may see.`,
    instance: '',
    code: 'database_not_found',
    requestId: '',
    retryable: false,
  });

export const databaseKey = (organizationId: string, databaseId: string) =>
  ['database', organizationId, databaseId] as const;

export const databaseQuery = (organizationId: string, databaseId: string) =>
  queryOptions({
    queryKey: databaseKey(organizationId, databaseId),
    queryFn: ({ signal }) =>
      ask(
        organizationId,
        'get',
        '/api/v1/databases/{databaseId}',
        { params: { databaseId } },
        { signal },
      ),
    refetchInterval: (query) =>
      every(query.state.data?.data.database.activeJobId === null ? pageMs : jobMs)(),
  });

export const databaseJobsQuery = (organizationId: string, databaseId: string) =>
  queryOptions({
    queryKey: [...databaseKey(organizationId, databaseId), 'jobs'],
    queryFn: async ({ signal }) =>
      (
        await ask(
          organizationId,
          'get',
          '/api/v1/databases/{databaseId}/jobs',
          { params: { databaseId }, query: { limit: 10 } },
          { signal },
        )
      ).data,
    refetchInterval: (query) =>
      every(
        query.state.data?.data.some(({ finishedAt }) => finishedAt === null) ? jobMs : pageMs,
      )(),
  });

export const catalogQuery = (organizationId: string) =>
  queryOptions({
    queryKey: ['catalog', organizationId],
    queryFn: async ({ signal }) =>
      (await ask(organizationId, 'get', '/api/v1/catalog/create', {}, { signal })).data,
    staleTime: 60_000,
  });
