import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { saveBlob } from '../../lib/download.ts';
import { say } from '../../ui/announcer.ts';
import { Button } from '../../ui/Button.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { useStopper } from '../../ui/use-stopper.ts';
import { useDatabase } from '../database/use-database.ts';
import { readLinesFile } from './lines-file.ts';
import { pagesOf } from './queries.ts';
import type { LogSearch } from './search.ts';

/** Saves all lines that match, also those that are not on the page: the oldest first, one JSON document a line. */
export function SaveLines({ choice }: { readonly choice: LogSearch }) {
  const { database, organizationId } = useDatabase();
  const [read, setRead] = useState(0);
  const stopper = useStopper();
  const save = useMutation({
    mutationFn: () => {
      const signal = stopper.begin();
      const page = pagesOf(organizationId, database.id, choice, signal);
      return readLinesFile({ page, onRead: setRead, signal });
    },
    onSuccess: ({ content, count, isWhole }) => {
      saveBlob(`logs-${database.name}.jsonl`, content);
      say(isWhole ? `${count} lines are saved` : `The first ${count} lines are saved`);
    },
    onSettled: () => setRead(0),
  });
  const error = save.isError && !stopper.wasStopped() ? save.error : save.data?.error;
  return (
    <>
      <Button small busy={save.isPending} onClick={() => save.mutate()}>
        Save lines
      </Button>
      {save.isPending && (
        <>
          <Button small onClick={stopper.stop}>
            Stop
          </Button>
          <span role="status">{read} lines read</span>
        </>
      )}
      {save.data?.isWhole === false && (
        <span role="status">
          The file has the first {save.data.count} lines; there are later ones.
        </span>
      )}
      {error !== undefined && <Problem error={error} />}
    </>
  );
}
