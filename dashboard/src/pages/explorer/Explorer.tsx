import { useNavigate, useSearch } from '@tanstack/react-router';
import { Suspense, useState } from 'react';
import { useNow } from '../../shell/context.ts';
import { latePart } from '../../ui/late-part.tsx';
import { Card } from '../../ui/Page.tsx';
import { Failed } from '../../ui/Failed.tsx';
import { Empty, Skeleton } from '../../ui/States.tsx';
import { useDatabase } from '../database/use-database.ts';
import { LedgerNav } from '../ledger/LedgerNav.tsx';
import type { RecordRow } from './columns.ts';
import styles from './Explorer.module.css';
import { operations } from './operations.ts';
import { rememberQuery } from './history.ts';
import { PastQueries } from './PastQueries.tsx';
import { QueryForm } from './QueryForm.tsx';
import { planQuery } from './request.ts';
import { SavedQueries } from './saved/SavedQueries.tsx';
import type { ExplorerSearch } from './search.ts';
import { useLedgerRows } from './use-ledger-rows.ts';

const path = '/o/$slug/databases/$name/explorer';
// A query can be written before they are there.
const Results = latePart('The result', async () => (await import('./Results.tsx')).Results);
const RowDrawer = latePart(
  'The fields of the row',
  async () => (await import('./RowDrawer.tsx')).RowDrawer,
  ({ row }) => row !== undefined,
);
const SaveQuery = latePart(
  'The form that saves a query',
  async () => (await import('./saved/SaveQuery.tsx')).SaveQuery,
);

/** Sends reads to the ledger. The address holds the request; a link may run a read, and never a write. */
export function Explorer() {
  const search = useSearch({ from: path });
  const navigate = useNavigate({ from: path });
  const { database } = useDatabase();
  const operation = search.op ?? 'query_accounts';
  const now = useNow();
  const planned = planQuery(operation, search, now);
  const [opened, setOpened] = useState<RecordRow>();
  const [kept, setKept] = useState<ExplorerSearch>();
  const rows = useLedgerRows(database, operation, planned.body, search.run === '1');
  const change = (next: ExplorerSearch) => void navigate({ search: next });
  const runAgain = (next: ExplorerSearch) => {
    setOpened(undefined);
    change({ ...next, run: '1' });
    rows.again();
  };
  const { rows: kind } = operations[operation];
  return (
    <div className={styles.page}>
      <LedgerNav />
      <div className={styles.layout}>
        <Card>
          <QueryForm
            key={JSON.stringify({ ...search, tab: undefined })}
            search={search}
            busy={rows.query.isFetching}
            onRun={(next) => {
              rememberQuery(database.id, next);
              runAgain(next);
            }}
            onSave={setKept}
          />
          <SavedQueries search={search} onRun={runAgain} />
          <PastQueries
            key={`past ${JSON.stringify(search)}`}
            databaseId={database.id}
            onRun={runAgain}
          />
        </Card>
        <div className={styles.results}>
          {search.run !== '1' && (
            <Empty title="Ask the ledger">
              Choose an operation and its filters, then run it. The newest rows come first. Nothing
              here changes the ledger.
            </Empty>
          )}
          {rows.query.isLoading && <Skeleton lines={8} />}
          <Failed read={rows.query} />
          {rows.answer !== undefined && (
            <Suspense fallback={<Skeleton lines={8} />}>
              <Results
                kind={kind}
                rows={rows}
                operation={operation}
                body={planned.body ?? ''}
                tab={search.tab ?? 'table'}
                onTab={(tab) => {
                  const { tab: _before, ...rest } = search;
                  void navigate({
                    search: tab === 'table' ? rest : { ...rest, tab },
                    replace: true,
                  });
                }}
                onOpen={setOpened}
              />
            </Suspense>
          )}
        </div>
        <Suspense>
          {rows.answer !== undefined && (
            <RowDrawer
              kind={kind}
              row={opened}
              onClose={() => setOpened(undefined)}
              onAsk={(next) => {
                setOpened(undefined);
                change({ ...next, run: '1' });
              }}
            />
          )}
        </Suspense>
      </div>
      <Suspense>
        {kept !== undefined && <SaveQuery search={kept} onClose={() => setKept(undefined)} />}
      </Suspense>
    </div>
  );
}
