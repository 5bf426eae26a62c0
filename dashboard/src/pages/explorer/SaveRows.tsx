import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { askAllPages, rowsMax } from '../../data/ledger.ts';
import { saveText } from '../../lib/download.ts';
import { parseExactly } from '../../lib/exact-json.ts';
import { csvOf } from '../../lib/records.ts';
import { say } from '../../ui/announcer.ts';
import { Button } from '../../ui/Button.tsx';
import { Problem } from '../../ui/Problem.tsx';
import { useLedgerAddress } from '../ledger/use-ledger.ts';
import { columnsOf, type RecordKind, type RecordRow } from './columns.ts';
import type { OperationName } from './operations.ts';

/** Most answers that go into one file. */
const pagesMax = 24;

/** The columns of a file: the fields that the ledger stores. */
export const storedColumns = (kind: RecordKind): readonly string[] =>
  columnsOf[kind].map(({ name }) => name).filter((name) => name !== 'net');

interface Props {
  readonly kind: RecordKind;
  readonly operation: OperationName;
  /** The request that was sent. */
  readonly body: string;
  /** The rows on the page. */
  readonly rows: readonly RecordRow[];
  /** Whether there are more. */
  readonly hasMore: boolean;
}

/** Saves all rows that match, also those that are not on the page. */
export function SaveRows({ kind, operation, body, rows, hasMore }: Props) {
  const at = useLedgerAddress();
  const [read, setRead] = useState(0);
  const save = useMutation({
    mutationFn: async () => {
      if (!hasMore) return rows;
      const filter = { ...(parseExactly(body) as object), limit: rowsMax };
      const all = await askAllPages(at, operation, filter, { pagesMax, onRows: setRead });
      if (!all.isWhole) say(`The file has the first ${all.rows.length} rows; there are more`);
      return all.rows;
    },
    onSuccess: (all) => saveText(`${operation}.csv`, csvOf(storedColumns(kind), all), 'text/csv'),
  });
  return (
    <>
      {save.isError && <Problem error={save.error} />}
      <div>
        <Button small busy={save.isPending} onClick={() => save.mutate()}>
          {hasMore ? 'Save all rows as CSV' : 'Save as CSV'}
        </Button>{' '}
        {save.isPending && read > 0 && <span role="status">{read} rows read</span>}
      </div>
    </>
  );
}
