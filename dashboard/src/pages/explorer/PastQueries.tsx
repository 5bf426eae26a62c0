import { useState } from 'react';
import { Button } from '../../ui/Button.tsx';
import styles from './Explorer.module.css';
import { forgetQueries, pastQueries, wordsOfQuery } from './history.ts';
import type { ExplorerSearch } from './search.ts';

interface Props {
  readonly databaseId: string;
  readonly onRun: (search: ExplorerSearch) => void;
}

/** The last queries of this browser; one of them can be run again. */
export function PastQueries({ databaseId, onRun }: Props) {
  const [open, setOpen] = useState(false);
  return (
    <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>Earlier queries</summary>
      {open && <List databaseId={databaseId} onRun={onRun} />}
    </details>
  );
}

function List({ databaseId, onRun }: Props) {
  const [queries, setQueries] = useState(() => pastQueries(databaseId));
  if (queries.length === 0) return <p>None in this browser yet.</p>;
  return (
    <>
      <ol className={styles.past}>
        {queries.map((search) => (
          <li key={JSON.stringify(search)}>
            <button type="button" onClick={() => onRun(search)}>
              {wordsOfQuery(search)}
            </button>
          </li>
        ))}
      </ol>
      <Button
        small
        look="quiet"
        onClick={() => {
          forgetQueries(databaseId);
          setQueries([]);
        }}
      >
        Forget them
      </Button>
    </>
  );
}
