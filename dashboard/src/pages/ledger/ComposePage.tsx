import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import type { EventResult } from '../../../../gen/api.ts';
import { askLedger } from '../../data/ledger.ts';
import { useOrganization, whyNot } from '../../shell/context.ts';
import { Button } from '../../ui/Button.tsx';
import { NameField } from '../../ui/NameField.tsx';
import { Card, useTitle } from '../../ui/Page.tsx';
import { Failed } from '../../ui/Failed.tsx';
import { Skeleton } from '../../ui/States.tsx';
import { useDatabase } from '../database/use-database.ts';
import { planTransfers, type Planned, type TransferDraft } from './compose.ts';
import { ComposeForm } from './ComposeForm.tsx';
import { ComposeResult } from './ComposeResult.tsx';
import styles from './Ledger.module.css';
import { LedgerNav } from './LedgerNav.tsx';
import { firstLedgerQuery } from './queries.ts';
import { LeaveSending } from './LeaveSending.tsx';
import { SendProblem } from './SendProblem.tsx';
import { useAmounts, useLedgerAddress } from './use-ledger.ts';
import { draftId, isUnknown, useSend } from './use-send.ts';

const path = '/o/$slug/databases/$name/explorer/new-transfer';

/** One transfer or several linked ones: composed, foreseen, sent. */
export function ComposePage() {
  const search = useSearch({ from: path });
  const at = useLedgerAddress();
  const first = useQuery({ ...firstLedgerQuery(at), enabled: search.ledger === undefined });
  const [round, setRound] = useState(0);
  const ledger = search.ledger ?? first.data ?? (first.isError ? '' : undefined);
  useTitle('New transfer');
  return (
    <div className={styles.page}>
      <LedgerNav />
      <h2>New transfer</h2>
      {ledger === undefined ? (
        <Skeleton />
      ) : (
        <Composer
          key={round}
          ledger={ledger}
          debit={round === 0 ? (search.debit ?? '') : ''}
          onNew={() => setRound(round + 1)}
        />
      )}
    </div>
  );
}

interface ComposerProps {
  readonly ledger: string;
  readonly debit: string;
  readonly onNew: () => void;
}

function Composer({ ledger, debit, onNew }: ComposerProps) {
  const [draft, setDraft] = useState<TransferDraft>(() => ({
    ledger,
    code: '1',
    legs: [{ id: draftId(), debit, credit: '', amount: '' }],
    linked: true,
    pending: false,
    timeout: '',
  }));
  const [tried, setTried] = useState(false);
  const [checked, setChecked] = useState<readonly Planned[]>();
  const [checks, setChecks] = useState(0);
  const { label } = useAmounts(draft.ledger);
  const { transfers, errors } = planTransfers(draft, label);
  const send = useSend('create_transfers');
  const isSent = send.isSuccess;
  return (
    <div className={`${styles.pair} ${styles.halves}`}>
      {(send.isPending || isUnknown(send.error)) && <LeaveSending what="transfers" />}
      <Card>
        <ComposeForm
          draft={draft}
          errors={tried ? errors : {}}
          fixed={send.isPending}
          onChange={(next) => {
            setDraft(next);
            setChecked(undefined);
            send.reset();
          }}
          onCheck={() => {
            setTried(true);
            setChecked(transfers);
            setChecks(checks + 1);
          }}
        />
      </Card>
      <div className={styles.stack}>
        {checked === undefined ? (
          <Card title="Result">
            <p className={styles.soft}>
              See the result first: what the ledger would answer, and all balances before and after.
              Nothing is sent until then.
            </p>
          </Card>
        ) : (
          <Foreseen key={checks} transfers={checked} sent={isSent ? send.data : undefined}>
            {isSent ? (
              <AfterSending
                refused={send.data.some(({ status }) => !isThere(status))}
                onNew={onNew}
                onAgain={() => {
                  const legs = draft.legs.map((leg) => ({ ...leg, id: draftId() }));
                  setDraft({ ...draft, legs });
                  setChecked(undefined);
                  send.reset();
                }}
              />
            ) : (
              <Send
                transfers={checked}
                busy={send.isPending}
                error={send.error}
                onSend={() => send.mutate(checked)}
              />
            )}
          </Foreseen>
        )}
      </div>
    </div>
  );
}

const isThere = (status: string): boolean => status === 'created' || status === 'exists';

interface AfterProps {
  readonly refused: boolean;
  readonly onNew: () => void;
  readonly onAgain: () => void;
}

const AfterSending = ({ refused, onNew, onAgain }: AfterProps) => (
  <div className={styles.bar}>
    {/* The ledger gives the ID of a refused transfer to no other one. */}
    {refused && (
      <Button look="main" onClick={onAgain}>
        Same again with new IDs
      </Button>
    )}
    <Button look={refused ? 'plain' : 'main'} onClick={onNew}>
      New draft
    </Button>
  </div>
);

interface ForeseenProps {
  readonly transfers: readonly Planned[];
  readonly sent: readonly EventResult[] | undefined;
  readonly children: ReactNode;
}

/** The accounts of the draft are read once for it: the result is of that instant. */
function Foreseen({ transfers, sent, children }: ForeseenProps) {
  const at = useLedgerAddress();
  const ids = [
    ...new Set(transfers.flatMap((one) => [one.debit_account_id, one.credit_account_id])),
  ];
  // A write does not invalidate this query, so the foreseen result stays on the page.
  const accounts = useQuery({
    queryKey: ['foreseen', at.databaseId, transfers],
    queryFn: async ({ signal }) =>
      (await askLedger({ ...at, signal }, 'lookup_accounts', { ids })).result,
    staleTime: Infinity,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  if (accounts.isError) {
    return <Failed read={accounts} />;
  }
  if (accounts.data === undefined) return <Skeleton lines={4} />;
  return (
    <ComposeResult transfers={transfers} accounts={accounts.data} sent={sent}>
      {children}
    </ComposeResult>
  );
}

interface SendProps {
  readonly transfers: readonly Planned[];
  readonly busy: boolean;
  readonly error: unknown;
  readonly onSend: () => void;
}

/** Several transfers, or a protected database, ask for its name. */
function Send({ transfers, busy, error, onSend }: SendProps) {
  const organization = useOrganization();
  const { database } = useDatabase();
  const { shown } = useAmounts(transfers[0]?.ledger ?? '');
  const [typed, setTyped] = useState('');
  const asks = transfers.length > 1 || database.deletionProtection;
  const sum = transfers.reduce((total, { amount }) => total + BigInt(amount), 0n);
  const refused =
    whyNot(organization, 'writeLedger') ??
    (asks && typed !== database.name ? `Type ${database.name} first.` : undefined);
  return (
    <form
      className={styles.stack}
      onSubmit={(event) => {
        event.preventDefault();
        if (refused === undefined && !busy) onSend();
      }}
    >
      <p>
        {transfers.length === 1 ? 'One transfer' : `${transfers.length} transfers`} of {shown(sum)}{' '}
        in all, on ledger {transfers[0]?.ledger}. Posted transfers cannot be changed.
      </p>
      {asks && <NameField name={database.name} typed={typed} onType={setTyped} />}
      {error !== null && <SendProblem error={error} what="transfers" />}
      <div>
        <Button type="submit" look="write" busy={busy} disabledReason={refused}>
          {error === null ? `Send to ${database.name}` : 'Send the same again'}
        </Button>
      </div>
    </form>
  );
}
