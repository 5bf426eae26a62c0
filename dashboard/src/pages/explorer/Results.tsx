import { Suspense, useMemo } from 'react';
import { csvOf } from '../../lib/records.ts';
import { shellWord } from '../../lib/shell-word.ts';
import { Button } from '../../ui/Button.tsx';
import { Code } from '../../ui/Code.tsx';
import { Copy } from '../../ui/Copy.tsx';
import { latePart } from '../../ui/late-part.tsx';
import { Empty, Skeleton } from '../../ui/States.tsx';
import { Tabs } from '../../ui/Tabs.tsx';
import { useDatabase } from '../database/use-database.ts';
import type { RecordKind, RecordRow } from './columns.ts';
import styles from './Explorer.module.css';
import { operations, type OperationName } from './operations.ts';
import { SaveRows, storedColumns } from './SaveRows.tsx';
import type { LedgerRows } from './use-ledger-rows.ts';

const ResultTable = latePart(
  'The table of rows',
  async () => (await import('./ResultTable.tsx')).ResultTable,
);

type TabName = 'table' | 'json' | 'csv' | 'request';

interface Props {
  readonly kind: RecordKind;
  readonly rows: LedgerRows;
  readonly operation: OperationName;
  readonly body: string;
  readonly tab: TabName;
  readonly onTab: (tab: TabName) => void;
  readonly onOpen: (row: RecordRow) => void;
}

export function Results({ kind, rows, operation, body, tab, onTab, onOpen }: Props) {
  const { rows: all, answer, answers, query } = rows;
  const { database } = useDatabase();
  if (answer === undefined) return null;
  const { execution } = answer;
  const missing = answers.flatMap((one) => one.missing ?? []);
  return (
    <>
      <p className={styles.line} role="status">
        <span>
          {all.length === 1 ? '1 row' : `${all.length} rows`}
          {query.hasNextPage && ', there are more'}
        </span>
        <span>
          ledger {execution.ledgerMs} ms, gateway {execution.gatewayMs} ms
        </span>
        <span>
          <code>{execution.requestId}</code>{' '}
          <Copy text={execution.requestId} what="the request’s ID" />
        </span>
        <a href={answer.documentationUrl} target="_blank" rel="noreferrer">
          About {operations[operation].title.toLowerCase()}
        </a>
      </p>
      {missing.length > 0 && (
        <p>
          Not there: <code>{missing.join(', ')}</code>
        </p>
      )}
      {answer.warnings?.map(({ detail }) => (
        <p key={detail}>{detail}</p>
      ))}
      {all.length === 0 ? (
        <Empty title="No row matches">Nothing in this ledger has all that was asked for.</Empty>
      ) : (
        <Tabs
          label="Views of the answer"
          tabs={[
            ['table', 'Table'],
            ['json', 'JSON'],
            ['csv', 'CSV'],
            ['request', 'Request'],
          ]}
          chosen={tab}
          onChoose={onTab}
        >
          {tab === 'table' && (
            <Suspense fallback={<Skeleton lines={8} />}>
              <ResultTable kind={kind} rows={all} onOpen={onOpen} />
            </Suspense>
          )}
          {tab === 'json' && <Json rows={all} />}
          {tab === 'csv' && (
            <>
              <SaveRows
                kind={kind}
                operation={operation}
                body={body}
                rows={all}
                hasMore={query.hasNextPage}
              />
              <Csv kind={kind} rows={all} />
            </>
          )}
          {tab === 'request' && (
            <>
              <p className={styles.line}>With the command line, with curl, and the body alone:</p>
              <Code text={cliOf(database.id, operation, body)} what="the command" />
              <Code
                text={curlOf(database.connection.httpUrl, operation, body)}
                what="the request with curl"
              />
              <Code text={body} what="the body" />
            </>
          )}
        </Tabs>
      )}
      {query.hasNextPage && (
        <div>
          <Button busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
            Show more rows
          </Button>
        </div>
      )}
    </>
  );
}

/** Rows that are shown as text at once; more would make the page slow. */
const shownMax = 500;

const cut = (count: number): string =>
  `The first ${shownMax} of ${count} rows. A file that is saved as CSV holds all.`;

function Json({ rows }: { readonly rows: readonly RecordRow[] }) {
  // All integers above 32 bits are strings in the answer, so that writing them again changes nothing.
  const text = useMemo(() => JSON.stringify(rows.slice(0, shownMax), undefined, 2), [rows]);
  return <Long text={text} count={rows.length} what="the rows as JSON" />;
}

function Csv({ kind, rows }: { readonly kind: RecordKind; readonly rows: readonly RecordRow[] }) {
  const text = csvOf(storedColumns(kind), rows.slice(0, shownMax));
  return <Long text={text} count={rows.length} what="the rows as CSV" />;
}

const Long = ({ text, count, what }: { text: string; count: number; what: string }) => (
  <>
    {count > shownMax && <p className={styles.line}>{cut(count)}</p>}
    <Code text={text} what={what} />
  </>
);

const curlOf = (httpUrl: string, operation: OperationName, body: string): string =>
  [
    `curl -X POST ${shellWord(`${httpUrl}/${operation}`)}`,
    '-H "x-api-key: $LEDGERHOUSE_API_KEY"',
    "-H 'Content-Type: application/json'",
    `-d ${shellWord(body)}`,
  ].join(' \\\n  ');

const cliOf = (databaseId: string, operation: OperationName, body: string): string =>
  `ledgerhouse tb ${operation.replaceAll('_', '-')} ${databaseId} --payload ${shellWord(body)}`;
