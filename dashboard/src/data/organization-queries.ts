/** Queries and requests for organizations. All concern the caller, whatever organization the page is of. */
import { infiniteQueryOptions, queryOptions, type QueryClient } from '@tanstack/react-query';
import type { SuspendOrganizationRequest, UpdateOrganizationRequest } from '../../../gen/api.ts';
import { ask, mine } from './client.ts';
import { ifMatch } from './if-match.ts';
import { sessionQuery } from './queries.ts';

const all = '/api/v1/organizations';
const one = '/api/v1/organizations/{organizationId}';
const rows = 50;

const organizationsKey = ['organizations'] as const;

/** `includeDeleted` is for the administrator of the installation. */
export const organizationsQuery = (includeDeleted: boolean) =>
  infiniteQueryOptions({
    queryKey: [...organizationsKey, { includeDeleted }],
    initialPageParam: '',
    queryFn: async ({ signal, pageParam }) => {
      const query = {
        limit: rows,
        ...(includeDeleted && { includeDeleted }),
        ...(pageParam !== '' && { cursor: pageParam }),
      };
      return (await ask(mine, 'get', all, { query }, { signal })).data;
    },
    getNextPageParam: (last) => last.page.nextCursor ?? undefined,
  });

export const organizationQuery = (organizationId: string) =>
  queryOptions({
    queryKey: [...organizationsKey, organizationId],
    queryFn: async ({ signal }) => {
      const parts = { params: { organizationId } };
      const { data, etag } = await ask(mine, 'get', one, parts, { signal });
      return { organization: data.organization, etag };
    },
  });

/** `etag`: what the person saw; anything else is not overwritten. */
export const updateOrganization = (
  organizationId: string,
  body: UpdateOrganizationRequest,
  etag: string | undefined,
) => ask(mine, 'patch', one, { params: { organizationId }, body }, { headers: ifMatch(etag) });

type Headers = Readonly<Record<string, string>>;

export const suspendOrganization = (
  organizationId: string,
  body: SuspendOrganizationRequest,
  headers: Headers,
) => ask(mine, 'post', `${one}/suspend`, { params: { organizationId }, body }, { headers });

export const resumeOrganization = (organizationId: string, headers: Headers) =>
  ask(mine, 'post', `${one}/resume`, { params: { organizationId } }, { headers });

export const deleteOrganization = (organizationId: string) =>
  ask(mine, 'delete', one, { params: { organizationId } });

export const restoreOrganization = (organizationId: string, headers: Headers) =>
  ask(mine, 'post', `${one}/restore`, { params: { organizationId } }, { headers });

export const leaveOrganization = (organizationId: string, headers: Headers) =>
  ask(organizationId, 'post', '/api/v1/members/leave', {}, { headers });

/** Reads the organizations again, also those that the session lists. */
export async function renewOrganizations(queryClient: QueryClient): Promise<void> {
  await queryClient.fetchQuery({ ...sessionQuery(), staleTime: 0 });
  await queryClient.invalidateQueries({ queryKey: organizationsKey });
}
