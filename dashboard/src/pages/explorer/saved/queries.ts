/** Queries that are saved in the service, for everybody who may see the database. */
import { queryOptions } from '@tanstack/react-query';
import type { CreateSavedQueryRequest, SavedQuery } from '../../../../../gen/api.ts';
import { ask } from '../../../data/client.ts';
import { databaseKey } from '../../../data/queries.ts';
import { readExplorerSearch, type ExplorerSearch } from '../search.ts';

export const savedPath = '/api/v1/databases/{databaseId}/saved-queries';
export const onePath = `${savedPath}/{queryId}` as const;

const savedKey = (organizationId: string, databaseId: string) =>
  [...databaseKey(organizationId, databaseId), 'saved-queries'] as const;

export const savedQueriesQuery = (organizationId: string, databaseId: string) =>
  queryOptions({
    queryKey: [...savedKey(organizationId, databaseId), 'list'],
    queryFn: async ({ signal }) =>
      (await ask(organizationId, 'get', savedPath, { params: { databaseId } }, { signal })).data
        .data,
  });

/** One query as it is now, with its ETag. */
export const savedQueryQuery = (organizationId: string, databaseId: string, queryId: string) =>
  queryOptions({
    queryKey: [...savedKey(organizationId, databaseId), queryId],
    queryFn: ({ signal }) =>
      ask(organizationId, 'get', onePath, { params: { databaseId, queryId } }, { signal }),
    staleTime: 0,
  });

type Asked = Pick<CreateSavedQueryRequest, 'operation'> & Pick<SavedQuery, 'filters'>;

/** What a form asks for, without how its answer is shown. */
export function askedOf(search: ExplorerSearch): Asked {
  const { op = 'query_accounts', tab: _tab, run: _run, ...filters } = search;
  return { operation: op, filters };
}

export const searchOf = ({ operation, filters }: Asked): ExplorerSearch =>
  readExplorerSearch({ ...filters, op: operation });
