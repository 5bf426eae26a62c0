import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { readInteger } from '../../lib/digits.ts';
import { saveText } from '../../lib/download.ts';
import { csvOf } from '../../lib/records.ts';
import { said } from '../../lib/said.ts';
import { Button, buttonClass } from '../../ui/Button.tsx';
import { Input } from '../../ui/Field.tsx';
import { Failed } from '../../ui/Failed.tsx';
import { useTitle } from '../../ui/Page.tsx';
import { Badge, Empty, Skeleton } from '../../ui/States.tsx';
import { Table, table } from '../../ui/Table.tsx';
import styles from './Ledger.module.css';
import { LedgerNav } from './LedgerNav.tsx';
import { firstLedgerQuery, trialQuery, type TrialAnswer } from './queries.ts';
import type { TrialSums } from './trial.ts';
import { useAmounts, useFieldNames, useLedgerAddress } from './use-ledger.ts';

const path = '/o/$slug/databases/$name/explorer/trial-balance';

/** The trial balance of a ledger: its sums of debits and credits, by code and in total. */
export function TrialPage() {
  const search = useSearch({ from: path });
  const navigate = useNavigate({ from: path });
  const params = useParams({ from: path });
  const at = useLedgerAddress();
  const first = useQuery({ ...firstLedgerQuery(at), enabled: search.ledger === undefined });
  const ledger = search.ledger ?? first.data;
  useTitle('Trial balance');
  return (
    <div className={styles.page}>
      <LedgerNav />
      <h2>Trial balance</h2>
      <Failed read={first} />
      {ledger === undefined && first.isPending && <Skeleton lines={6} />}
      {ledger === '' && (
        <Empty
          title="No account yet"
          action={
            <Link
              className={buttonClass('main')}
              to="/o/$slug/databases/$name/explorer/new-account"
              params={params}
            >
              New account
            </Link>
          }
        >
          A trial balance sums the accounts of a ledger. Make the first one.
        </Empty>
      )}
      {ledger !== undefined && ledger !== '' && (
        <>
          <LedgerForm
            key={ledger}
            ledger={ledger}
            onApply={(next) => void navigate({ search: { ledger: next } })}
          />
          <Sums ledger={ledger} />
        </>
      )}
    </div>
  );
}

function LedgerForm({ ledger, onApply }: { ledger: string; onApply: (ledger: string) => void }) {
  const [typed, setTyped] = useState(ledger);
  const digits = readInteger(typed, 32);
  return (
    <form
      className={styles.bar}
      onSubmit={(event) => {
        event.preventDefault();
        if (digits !== undefined) onApply(digits);
      }}
    >
      <Input
        label="Ledger"
        mono
        value={typed}
        error={digits === undefined ? 'Must be an integer of 32 bits.' : undefined}
        onChange={(event) => setTyped(event.target.value)}
      />
      <Button type="submit">Show</Button>
    </form>
  );
}

function Sums({ ledger }: { readonly ledger: string }) {
  const at = useLedgerAddress();
  const [read, setRead] = useState(0);
  const trial = useQuery(trialQuery(at, ledger, setRead));
  if (trial.isPending) {
    return (
      <>
        {read > 0 && <p role="status">{read} accounts read</p>}
        <Skeleton lines={6} />
      </>
    );
  }
  if (trial.data === undefined) return <Failed read={trial} />;
  if (trial.data.rows.length === 0) {
    return <Empty title="No account">The ledger {ledger} has no account in this database.</Empty>;
  }
  return (
    <>
      <Failed read={trial} />
      <TrialTable
        ledger={ledger}
        trial={trial.data}
        busy={trial.isFetching}
        onAgain={() => void trial.refetch()}
      />
    </>
  );
}

const heads = [
  'Code',
  { title: 'Accounts', end: true },
  { title: 'Debit balances', end: true },
  { title: 'Credit balances', end: true },
  { title: 'Debits posted', end: true },
  { title: 'Credits posted', end: true },
  { title: 'Debits pending', end: true },
  { title: 'Credits pending', end: true },
] as const;

interface TableProps {
  readonly ledger: string;
  readonly trial: TrialAnswer;
  /** Whether it is read again. */
  readonly busy: boolean;
  readonly onAgain: () => void;
}

function TrialTable({ ledger, trial, busy, onAgain }: TableProps) {
  const params = useParams({ from: path });
  const { label, plain } = useAmounts(ledger);
  const names = useFieldNames();
  const { rows, total, isEven, isBlurred } = trial;
  const sums = (row: TrialSums) =>
    sumNames.map((name) => (
      <td key={name} className={styles.number}>
        {plain(row[name])}
      </td>
    ));
  return (
    <div className={styles.stack}>
      <div className={styles.titles}>
        <p role="status">
          {isEven ? (
            <Badge tone="good">Debits equal credits</Badge>
          ) : (
            <Badge tone={isBlurred ? 'warn' : 'bad'}>
              {isBlurred
                ? 'Written to while it was read: read it again'
                : 'Debits and credits differ'}
            </Badge>
          )}
          {typeof label?.currency === 'string' && ` Amounts in ${said(label.currency)}.`}
        </p>
        <div className={styles.bar}>
          <Button small busy={busy} onClick={onAgain}>
            Read again
          </Button>
          <Button
            small
            onClick={() => saveText(`trial-balance-${ledger}.csv`, trialCsv(trial), 'text/csv')}
          >
            Save as CSV
          </Button>
        </div>
      </div>
      <Table label="Trial balance" heads={heads}>
        {rows.map((row) => (
          <tr key={row.code}>
            <td>
              <Link
                className={names.codeName('account', row.code) && table.name}
                to="/o/$slug/databases/$name/explorer"
                params={params}
                search={{ op: 'query_accounts', ledger, code: row.code.toString(), run: '1' }}
              >
                {names.code('account', row.code)}
              </Link>
            </td>
            <td className={styles.number}>{row.accounts}</td>
            {sums(row)}
          </tr>
        ))}
        <tr className={styles.total}>
          <th scope="row">All</th>
          <td className={styles.number}>{total.accounts}</td>
          {sums(total)}
        </tr>
      </Table>
    </div>
  );
}

const sumNames = [
  'debitBalances',
  'creditBalances',
  'debits_posted',
  'credits_posted',
  'debits_pending',
  'credits_pending',
] as const;

const trialCsv = ({ rows, total }: TrialAnswer): string =>
  csvOf(
    ['code', 'accounts', ...sumNames],
    [...rows, { code: 'all', ...total }].map((row) => ({
      ...row,
      ...Object.fromEntries(sumNames.map((name) => [name, row[name].toString()])),
    })),
  );
