import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../../data/client.ts';
import { patiently } from '../../data/patience.ts';
import { auditParameters, type AuditFilter } from '../../data/settings-queries.ts';
import { saveBlob } from '../../lib/download.ts';
import { useOrganization } from '../../shell/context.ts';
import { say } from '../../ui/announcer.ts';
import { Button } from '../../ui/Button.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { useStopper } from '../../ui/use-stopper.ts';

const path = '/api/v1/audit-events/export';
/** Events of one request. */
const pageSize = 1_000;
const pagesMax = 200;

/** Saves all events that the filters leave as CSV, the oldest first, page after page. */
export function SaveEvents({ filter }: { readonly filter: AuditFilter }) {
  const organization = useOrganization();
  const [read, setRead] = useState(0);
  const stopper = useStopper();
  const save = useMutation({
    mutationFn: async () => {
      const signal = stopper.begin();
      const parts: string[] = [];
      let cursor: string | undefined;
      do {
        const query = {
          format: 'csv',
          limit: pageSize,
          ...auditParameters(filter),
          ...(cursor !== undefined && { cursor }),
        } as const;
        const { text, headers } = await patiently(
          () => ask(organization.id, 'get', path, { query }, { signal, isText: true }),
          { signal },
        );
        parts.push(text);
        setRead(parts.length * pageSize);
        cursor = headers.get('next-cursor') ?? undefined;
      } while (cursor !== undefined && parts.length < pagesMax);
      return { content: new Blob(parts, { type: 'text/csv' }), isWhole: cursor === undefined };
    },
    onSuccess: ({ content, isWhole }) => {
      saveBlob(`audit-${organization.slug}.csv`, content);
      say(isWhole ? 'All events are saved' : 'The oldest events are saved; there are more');
    },
    onSettled: () => setRead(0),
  });
  return (
    <>
      {save.isError && !stopper.wasStopped() && <Problem error={save.error} />}
      {save.data?.isWhole === false && (
        <span role="status">
          The file has the oldest {pagesMax * pageSize} events. Narrow the time for the others.
        </span>
      )}
      {save.isPending && read > 0 && <span role="status">about {read} events read</span>}
      {save.isPending ? (
        <Button onClick={stopper.stop}>Stop</Button>
      ) : (
        <Button onClick={() => save.mutate()}>Save as CSV</Button>
      )}
    </>
  );
}
