/** Changes protection or labels; refused if somebody else changed the database meanwhile. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { UpdateDatabaseRequest } from '../../../../gen/api.ts';
import { ask } from '../../data/client.ts';
import { databaseKey } from '../../data/queries.ts';
import { useDatabase } from './use-database.ts';
import { useMatching, type Seen } from './use-matching.ts';

export function useUpdate() {
  const { database, organizationId } = useDatabase();
  const matching = useMatching();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ seen, ...body }: UpdateDatabaseRequest & { readonly seen?: Seen }) =>
      matching(
        (headers) =>
          ask(
            organizationId,
            'patch',
            '/api/v1/databases/{databaseId}',
            { params: { databaseId: database.id }, body },
            { headers },
          ),
        seen,
      ),
    onSettled: () =>
      queryClient.invalidateQueries({ queryKey: databaseKey(organizationId, database.id) }),
  });
}
