import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { saveText } from '../../lib/download.ts';
import { say } from '../../ui/announcer.ts';
import { Button } from '../../ui/Button.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { useDatabase } from '../database/use-database.ts';
import { readAllLines } from './queries.ts';
import type { LogSearch } from './search.ts';

/** Saves all lines that match, also those that are not on the page: the oldest first, one JSON document a line. */
export function SaveLines({ choice }: { readonly choice: LogSearch }) {
  const { database, organizationId } = useDatabase();
  const [read, setRead] = useState(0);
  const save = useMutation({
    mutationFn: () => readAllLines(organizationId, database.id, choice, setRead),
    onSuccess: ({ lines, isWhole }) => {
      const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
      saveText(`logs-${database.name}.jsonl`, text, 'application/jsonl');
      say(isWhole ? `${lines.length} lines are saved` : `The first ${lines.length} are saved`);
    },
    onSettled: () => setRead(0),
  });
  return (
    <>
      <Button small busy={save.isPending} onClick={() => save.mutate()}>
        Save lines
      </Button>
      {read > 0 && <span role="status">{read} lines read</span>}
      {save.data?.isWhole === false && (
        <span role="status">
          The file has the first {save.data.lines.length} lines; there are later ones.
        </span>
      )}
      {save.isError && <Problem error={save.error} />}
    </>
  );
}
