/** The database that the address names. */
import { useSuspenseQuery } from '@tanstack/react-query';
import { useParams, useSearch } from '@tanstack/react-router';
import { databaseIdQuery, databaseQuery } from '../../data/queries.ts';
import { useOrganization } from '../../shell/context.ts';

export function useDatabase() {
  const { id: organizationId } = useOrganization();
  const { name } = useParams({ from: '/o/$slug/databases/$name' });
  const { id } = useSearch({ from: '/o/$slug/databases/$name' });
  const named = useSuspenseQuery({
    ...databaseIdQuery(organizationId, name),
    ...(id !== undefined && { queryKey: ['databases', 'given', id], queryFn: () => id }),
  });
  const query = useSuspenseQuery(databaseQuery(organizationId, named.data));
  const { data, etag } = query.data;
  return { ...data, etag, query, organizationId };
}
