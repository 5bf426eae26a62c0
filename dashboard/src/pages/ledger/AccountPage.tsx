import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { Account } from '../../../../gen/api.ts';
import { accountFlagNames, balanceOf, isAccount } from '../../lib/records.ts';
import { buttonClass } from '../../ui/Button.tsx';
import { Copy } from '../../ui/Copy.tsx';
import { Card, useTitle } from '../../ui/Page.tsx';
import { Skeleton } from '../../ui/States.tsx';
import { Digits } from './Digits.tsx';
import styles from './Ledger.module.css';
import { LedgerNav } from './LedgerNav.tsx';
import { LedgerProblem } from './LedgerProblem.tsx';
import { accountQuery } from './queries.ts';
import { RecordFacts } from './RecordFacts.tsx';
import { StatementCard } from './StatementCard.tsx';
import { useAmounts, useLedgerAddress } from './use-ledger.ts';

/** One account: its balances with their sides, and its statement. */
export function AccountPage() {
  const params = useParams({ from: '/o/$slug/databases/$name/explorer/accounts/$accountId' });
  const at = useLedgerAddress();
  const account = useQuery(accountQuery(at, params.accountId));
  useTitle(`Account ${params.accountId}`);
  return (
    <div className={styles.page}>
      <LedgerNav />
      <div className={styles.titles}>
        <h2>
          Account {params.accountId} <Copy text={params.accountId} what="the account’s ID" />
        </h2>
        {account.data !== undefined && (
          <Link
            className={buttonClass('write')}
            to="/o/$slug/databases/$name/explorer/new-transfer"
            params={params}
            search={{ debit: params.accountId, ledger: account.data.ledger.toString() }}
          >
            New transfer from it
          </Link>
        )}
      </div>
      {account.isPending && <Skeleton lines={6} />}
      {account.isError && <LedgerProblem error={account.error} onRetry={() => account.refetch()} />}
      {account.data !== undefined && (
        <>
          <div className={styles.pair}>
            <Balances account={account.data} />
            <Card title="Record">
              <RecordFacts
                record={account.data}
                flags={accountFlagNames(account.data.flags)}
                kind="account"
              />
            </Card>
          </div>
          <StatementCard key={params.accountId} account={account.data} />
        </>
      )}
    </div>
  );
}

function Balances({ account }: { readonly account: Account }) {
  const { shown, sided } = useAmounts(account.ledger);
  const bound = boundOf(account);
  const sums = [
    ['Debits posted', account.debits_posted],
    ['Credits posted', account.credits_posted],
    ['Debits pending', account.debits_pending],
    ['Credits pending', account.credits_pending],
  ] as const;
  return (
    <Card title="Balance">
      <div className={styles.stack}>
        <p className={styles.big}>
          <Digits text={sided(balanceOf(account))} />
        </p>
        {bound !== undefined && (
          <p className={styles.soft}>
            {shown(bound.left)} can still be {bound.verb}: its pending transfers count already.
          </p>
        )}
        <dl className={styles.sums}>
          {sums.map(([title, digits]) => (
            <div key={title}>
              <dt>{title}</dt>
              <dd>
                <Digits text={shown(digits)} /> <Copy text={digits} what={title.toLowerCase()} />
              </dd>
            </div>
          ))}
        </dl>
        <p className={styles.soft}>
          The ledger has no sign: Dr stands before a balance of debits, Cr before one of credits.
        </p>
      </div>
    </Card>
  );
}

/** The amount that a limited account has left on its limited side. */
function boundOf(account: Account) {
  const debits = BigInt(account.debits_posted) + BigInt(account.debits_pending);
  const credits = BigInt(account.credits_posted) + BigInt(account.credits_pending);
  if (isAccount(account.flags, 'debits_must_not_exceed_credits')) {
    return { verb: 'debited', left: BigInt(account.credits_posted) - debits };
  }
  if (isAccount(account.flags, 'credits_must_not_exceed_debits')) {
    return { verb: 'credited', left: BigInt(account.debits_posted) - credits };
  }
  return undefined;
}
