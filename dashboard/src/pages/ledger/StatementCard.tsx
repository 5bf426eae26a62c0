import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import type { Account } from '../../../../gen/api.ts';
import { saveText } from '../../lib/download.ts';
import { csvOf } from '../../lib/records.ts';
import { exactLedgerTime, readBound } from '../../lib/time.ts';
import { useNow } from '../../shell/context.ts';
import { Button } from '../../ui/Button.tsx';
import { Input } from '../../ui/Field.tsx';
import { Card } from '../../ui/Page.tsx';
import { Failed } from '../../ui/Failed.tsx';
import { Empty, Skeleton } from '../../ui/States.tsx';
import { BalanceChart } from './BalanceChart.tsx';
import styles from './Ledger.module.css';
import { statementQuery } from './queries.ts';
import { readSpanSearch, type SpanSearch } from './search.ts';
import { statementColumns, statementLines, type Statement } from './statement.ts';
import { StatementTable } from './StatementTable.tsx';
import { useLedgerAddress } from './use-ledger.ts';

const path = '/o/$slug/databases/$name/explorer/accounts/$accountId';

/** The statement of an account over a span of time, which is kept in the address. */
export function StatementCard({ account }: { readonly account: Account }) {
  const search = useSearch({ from: path });
  const navigate = useNavigate({ from: path });
  const [openedAt] = useState(useNow());
  const from = search.from === undefined ? undefined : readBound(search.from, openedAt);
  const to = search.to === undefined ? undefined : readBound(search.to, openedAt);
  const [read, setRead] = useState(0);
  const at = useLedgerAddress();
  const statement = useQuery(statementQuery(at, account, { from, to }, setRead));
  return (
    <Card title="Statement">
      <div className={styles.stack}>
        <SpanForm
          key={JSON.stringify(search)}
          search={search}
          onApply={(next) => void navigate({ search: next, replace: true })}
        />
        {statement.isPending && (
          <>
            {read > 0 && <p role="status">{read} transfers read</p>}
            <Skeleton lines={6} />
          </>
        )}
        <Failed read={statement} />
        {statement.data !== undefined && <Shown account={account} statement={statement.data} />}
      </div>
    </Card>
  );
}

function Shown({ account, statement }: { account: Account; statement: Statement }) {
  const printing = usePrinting();
  const save = () => {
    const lines = statementLines(statement, (time) => exactLedgerTime(time, 'utc'));
    const text = csvOf(statementColumns, lines);
    saveText(`statement-${account.id}.csv`, text, 'text/csv');
  };
  const { rows } = statement;
  return (
    <>
      <BalanceChart ledger={account.ledger} statement={statement} />
      <div className={styles.titles}>
        <p className={styles.soft} role="status">
          {rows.length === 1 ? '1 transfer' : `${rows.length} transfers`}. A pending transfer and
          its expiry post nothing.
        </p>
        <div className={styles.bar}>
          <Button small onClick={save}>
            Save as CSV
          </Button>
          <Button small onClick={() => print()}>
            Print
          </Button>
        </div>
      </div>
      {rows.length === 0 ? (
        <Empty title="No transfer in this span">The balance is the same before and after it.</Empty>
      ) : (
        <StatementTable ledger={account.ledger} statement={statement} whole={printing} />
      )}
    </>
  );
}

/** Whether the page is being printed, by the button or by the browser's own command. All rows are drawn then, before it goes on. */
function usePrinting(): boolean {
  const [printing, setPrinting] = useState(false);
  useEffect(() => {
    const set = (next: boolean) => () => flushSync(() => setPrinting(next));
    const [begin, end] = [set(true), set(false)];
    addEventListener('beforeprint', begin);
    addEventListener('afterprint', end);
    return () => {
      removeEventListener('beforeprint', begin);
      removeEventListener('afterprint', end);
    };
  }, []);
  return printing;
}

const spans = [
  ['-24h', 'Last 24 hours'],
  ['-7d', 'Last 7 days'],
  ['-30d', 'Last 30 days'],
] as const;

interface SpanProps {
  readonly search: SpanSearch;
  readonly onApply: (search: SpanSearch) => void;
}

function SpanForm({ search, onApply }: SpanProps) {
  const [draft, setDraft] = useState(search);
  const [tried, setTried] = useState(false);
  const now = useNow();
  const wrong = (text: string | undefined) =>
    text !== undefined && readBound(text, now) === undefined
      ? 'A time such as 2026-11-22 14:00, -1h, or nanoseconds.'
      : undefined;
  const set = (name: keyof SpanSearch, value: string) =>
    setDraft(readSpanSearch({ ...draft, [name]: value }));
  return (
    <form
      className={styles.bar}
      onSubmit={(event) => {
        event.preventDefault();
        setTried(true);
        if (wrong(draft.from) === undefined && wrong(draft.to) === undefined) onApply(draft);
      }}
    >
      {(['from', 'to'] as const).map((name) => (
        <Input
          key={name}
          label={name === 'from' ? 'From' : 'To'}
          mono
          placeholder={name === 'from' ? 'its beginning' : 'now'}
          value={draft[name] ?? ''}
          error={tried ? wrong(draft[name]) : undefined}
          onChange={(event) => set(name, event.target.value)}
        />
      ))}
      <Button type="submit">Show</Button>
      {spans.map(([from, title]) => (
        <Button key={from} look="quiet" small onClick={() => onApply({ from })}>
          {title}
        </Button>
      ))}
    </form>
  );
}
