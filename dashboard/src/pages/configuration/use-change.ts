/** Requests a change of a database. It is refused if the configuration has changed meanwhile. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { PreviewChangeRequest } from '../../../../gen/api.ts';
import { ask } from '../../data/client.ts';
import { ifMatch } from '../../data/if-match.ts';
import { useIntent } from '../../data/intent.ts';
import { databaseKey } from '../../data/queries.ts';
import { say } from '../../ui/announcer.ts';
import { useDatabase } from '../database/use-database.ts';

interface Wanted {
  readonly request: PreviewChangeRequest;
  /** `now`, `maintenance_window`, or a time. */
  readonly applyAt: string;
}

export function useChange(etag: string | undefined, onAccepted: () => void) {
  const { database, organizationId } = useDatabase();
  const queryClient = useQueryClient();
  const intent = useIntent();
  return useMutation({
    mutationFn: ({ request, applyAt }: Wanted) =>
      intent.try([request, applyAt, etag], ({ headers }) =>
        ask(
          organizationId,
          'post',
          '/api/v1/databases/{databaseId}/changes',
          { params: { databaseId: database.id }, body: { ...request, applyAt } },
          { headers: { ...headers, ...ifMatch(etag) } },
        ),
      ),
    onSuccess: ({ data }) => {
      say(data.change.status === 'QUEUED' ? 'The change waits' : 'The change has begun');
      onAccepted();
    },
    onSettled: () =>
      queryClient.invalidateQueries({ queryKey: databaseKey(organizationId, database.id) }),
  });
}
