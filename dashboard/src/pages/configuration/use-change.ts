/** Requests a change of a database. It is refused if the configuration has changed meanwhile. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { PreviewChangeRequest } from '../../../../gen/api.ts';
import { ask, intentKey } from '../../data/client.ts';
import { databaseKey } from '../../data/queries.ts';
import { say } from '../../ui/announcer.ts';
import { useDatabase } from '../database/use-database.ts';

interface Wanted {
  readonly request: PreviewChangeRequest;
  /** `now`, or a time. */
  readonly applyAt: string;
}

export function useChange(etag: string | undefined, onAccepted: () => void) {
  const { database, organizationId } = useDatabase();
  const queryClient = useQueryClient();
  const [intent, setIntent] = useState(intentKey);
  return useMutation({
    mutationFn: ({ request, applyAt }: Wanted) =>
      ask(
        organizationId,
        'post',
        '/api/v1/databases/{databaseId}/changes',
        { params: { databaseId: database.id }, body: { ...request, applyAt } },
        {
          headers: {
            'Idempotency-Key': intent,
            ...(etag !== undefined && { 'If-Match': etag }),
          },
        },
      ),
    onSuccess: ({ data }) => {
      say(data.change.status === 'QUEUED' ? 'The change waits' : 'The change has begun');
      onAccepted();
    },
    onSettled: () => {
      setIntent(intentKey());
      return queryClient.invalidateQueries({ queryKey: databaseKey(organizationId, database.id) });
    },
  });
}
