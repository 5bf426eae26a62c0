import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Transfer } from '../../../../gen/api.ts';
import { isTransfer, transferFlagNames } from '../../lib/records.ts';
import { exactLedgerTime } from '../../lib/time.ts';
import { useZone } from '../../shell/context.ts';
import { Copy } from '../../ui/Copy.tsx';
import { Card, useTitle } from '../../ui/Page.tsx';
import { Failed } from '../../ui/Failed.tsx';
import { Badge, Skeleton } from '../../ui/States.tsx';
import { Digits } from './Digits.tsx';
import styles from './Ledger.module.css';
import { LedgerNav } from './LedgerNav.tsx';
import { LedgerProblem } from './LedgerProblem.tsx';
import { AccountLink, TransferLink } from './Links.tsx';
import type { PendingLife } from './pending.ts';
import { chainQuery, pendingQuery, transferQuery } from './queries.ts';
import { RecordFacts } from './RecordFacts.tsx';
import { useAmounts, useLedgerAddress } from './use-ledger.ts';

/** One transfer: the amount that it moved, its chain, and the outcome of a pending one. */
export function TransferPage() {
  const { transferId } = useParams({
    from: '/o/$slug/databases/$name/explorer/transfers/$transferId',
  });
  const at = useLedgerAddress();
  const transfer = useQuery(transferQuery(at, transferId));
  useTitle(`Transfer ${transferId}`);
  return (
    <div className={styles.page}>
      <LedgerNav />
      <h2>
        Transfer {transferId} <Copy text={transferId} what="the transfer’s ID" />
      </h2>
      {transfer.isPending && <Skeleton lines={6} />}
      {transfer.isError && (
        <LedgerProblem error={transfer.error} onRetry={() => transfer.refetch()} />
      )}
      {transfer.data !== undefined && (
        <div className={styles.pair}>
          <div className={styles.stack}>
            <Movement transfer={transfer.data} />
            {isTransfer(transfer.data.flags, 'pending') && <Life transfer={transfer.data} />}
            <Chain transfer={transfer.data} />
          </div>
          <Card title="Record">
            <RecordFacts
              record={transfer.data}
              flags={transferFlagNames(transfer.data.flags)}
              kind="transfer"
            />
          </Card>
        </div>
      )}
    </div>
  );
}

function Movement({ transfer }: { readonly transfer: Transfer }) {
  const { shown } = useAmounts(transfer.ledger);
  const { amount, pending_id: pendingId, flags } = transfer;
  const does = isTransfer(flags, 'post_pending_transfer')
    ? 'It posts'
    : isTransfer(flags, 'void_pending_transfer')
      ? 'It voids'
      : undefined;
  return (
    <Card title="Amount">
      <div className={styles.stack}>
        <p className={styles.big}>
          <Digits text={shown(amount)} /> <Copy text={amount} what="the amount" />
        </p>
        <div className={styles.arrow}>
          <div>
            <div className={styles.soft}>Debit account</div>
            <AccountLink id={transfer.debit_account_id} />
          </div>
          <span aria-hidden>→</span>
          <div>
            <div className={styles.soft}>Credit account</div>
            <AccountLink id={transfer.credit_account_id} />
          </div>
        </div>
        {does !== undefined && (
          <p>
            {does} the pending transfer <TransferLink id={pendingId} />.
          </p>
        )}
      </div>
    </Card>
  );
}

function Life({ transfer }: { readonly transfer: Transfer }) {
  const at = useLedgerAddress();
  const life = useQuery(pendingQuery(at, transfer));
  return (
    <Card title="What became of it">
      {life.isPending && <Skeleton lines={1} />}
      <Failed read={life} />
      {life.data !== undefined && <LifeWords transfer={transfer} life={life.data} />}
    </Card>
  );
}

function LifeWords({ transfer, life }: { transfer: Transfer; life: PendingLife }) {
  const zone = useZone();
  const { shown } = useAmounts(transfer.ledger);
  const line = (badge: ReactNode, words: ReactNode) => (
    <p>
      {badge} {words}
    </p>
  );
  switch (life.state) {
    case 'posted':
      return line(
        <Badge tone="good">Posted</Badge>,
        <>
          {shown(life.by.amount)} of {shown(transfer.amount)}, by <TransferLink id={life.by.id} />{' '}
          on {exactLedgerTime(life.by.timestamp, zone)}.
        </>,
      );
    case 'voided':
      return line(
        <Badge tone="warn">Voided</Badge>,
        <>
          by <TransferLink id={life.by.id} /> on {exactLedgerTime(life.by.timestamp, zone)}.
        </>,
      );
    case 'expired':
      return line(<Badge tone="warn">Expired</Badge>, `on ${exactLedgerTime(life.at, zone)}.`);
    case 'open':
      return line(
        <Badge tone="busy">Open</Badge>,
        life.until === undefined
          ? 'It waits for a transfer that posts or voids it, without an end.'
          : `It expires on ${exactLedgerTime(life.until, zone)}.`,
      );
    case 'unknown':
      break;
  }
  return line(
    <Badge tone="soft">Not known</Badge>,
    'Its account has more transfers behind it than are read here, and none of these names it.',
  );
}

function Chain({ transfer }: { readonly transfer: Transfer }) {
  const at = useLedgerAddress();
  const chain = useQuery(chainQuery(at, transfer));
  const { shown } = useAmounts(transfer.ledger);
  if (chain.isError && chain.data === undefined) return <Failed read={chain} />;
  if (chain.isPending) return <Skeleton lines={2} />;
  const rows = chain.data ?? [];
  if (rows.length < 2 || isTransfer(transfer.flags, 'imported')) return null;
  return (
    <Card title="Its chain">
      <div className={styles.stack}>
        <p className={styles.soft}>
          These {rows.length} transfers were sent together: all of them happened, or none would
          have.
        </p>
        <ol className={styles.chain}>
          {rows.map((one) => (
            <li key={one.id} aria-current={one.id === transfer.id || undefined}>
              <TransferLink id={one.id} />
              <span className={styles.amount}>{shown(one.amount)}</span>
              <span>
                <AccountLink id={one.debit_account_id} /> →{' '}
                <AccountLink id={one.credit_account_id} />
              </span>
            </li>
          ))}
        </ol>
      </div>
    </Card>
  );
}
