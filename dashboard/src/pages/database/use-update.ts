/** A change of protection or labels, refused if somebody else changed the database meanwhile. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { UpdateDatabaseRequest } from '../../../../gen/api.ts';
import { ask } from '../../data/client.ts';
import { databaseKey } from '../../data/queries.ts';
import { useDatabase } from './use-database.ts';

export function useUpdate() {
  const { database, etag, organizationId } = useDatabase();
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (body: UpdateDatabaseRequest) =>
      ask(
        organizationId,
        'patch',
        '/api/v1/databases/{databaseId}',
        { params: { databaseId: database.id }, body },
        { headers: etag === undefined ? {} : { 'If-Match': etag } },
      ),
    onSettled: () =>
      queryClient.invalidateQueries({ queryKey: databaseKey(organizationId, database.id) }),
  });
}
