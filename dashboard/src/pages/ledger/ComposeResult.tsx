import type { ReactNode } from 'react';
import type { Account, EventResult } from '../../../../gen/api.ts';
import { balanceOf } from '../../lib/records.ts';
import { Card } from '../../ui/Page.tsx';
import { Badge } from '../../ui/States.tsx';
import { Table } from '../../ui/Table.tsx';
import type { Planned } from './compose.ts';
import { foresee, statusWords, type AccountSums } from './foresee.ts';
import styles from './Ledger.module.css';
import { AccountLink, TransferLink } from './Links.tsx';
import { useAmounts } from './use-ledger.ts';

interface Props {
  readonly transfers: readonly Planned[];
  /** The accounts before the transfers. */
  readonly accounts: readonly Account[];
  /** The ledger’s answer; `undefined` before they are sent. */
  readonly sent: readonly EventResult[] | undefined;
  readonly children: ReactNode;
}

/** The result of each transfer, and the balances before and after: foreseen at first, then as the ledger answered. */
export function ComposeResult({ transfers, accounts, sent, children }: Props) {
  const foreseen = foresee(transfers, accounts);
  const statuses = sent?.map(({ status }) => status) ?? foreseen.statuses;
  const fails = statuses.some((status) => status !== 'created' && status !== 'exists');
  const asForeseen = statuses.every((status, index) => status === foreseen.statuses[index]);
  return (
    <Card title={sent === undefined ? 'Result, before it is sent' : 'The ledger’s answer'}>
      <div className={styles.stack}>
        <p role="status">
          {sent === undefined ? (
            <Badge tone={fails ? 'bad' : 'busy'}>
              {fails ? 'The ledger would refuse this' : 'The ledger would make this'}
            </Badge>
          ) : (
            <Badge tone={fails ? 'bad' : 'good'}>
              {fails ? 'Not everything was made' : 'Made'}
            </Badge>
          )}
        </p>
        <ol className={styles.stack}>
          {transfers.map(({ id }, index) => (
            <li key={id}>
              {sent === undefined ? `Transfer ${index + 1}` : <TransferLink id={id} />}:{' '}
              {statusWords(statuses[index] ?? '')}
            </li>
          ))}
        </ol>
        {asForeseen && accounts.length > 0 && (
          <Balances accounts={accounts} after={foreseen.after} />
        )}
        {sent === undefined && (
          <p className={styles.soft}>
            As the accounts stand now: others may write to them before this is sent.
          </p>
        )}
        {children}
      </div>
    </Card>
  );
}

interface BalancesProps {
  readonly accounts: readonly Account[];
  readonly after: ReadonlyMap<string, AccountSums>;
}

const pendingHeads = [
  { title: 'Pending before', end: true },
  { title: 'Pending after', end: true },
] as const;

const pendingOf = ({ debits_pending: debits, credits_pending: credits }: AccountSums): bigint =>
  BigInt(debits) - BigInt(credits);

function Balances({ accounts, after }: BalancesProps) {
  const { sided } = useAmounts(accounts[0]?.ledger ?? '');
  const hasPending = accounts.some(
    (account) => pendingOf(account) !== pendingOf(after.get(account.id) ?? account),
  );
  const cells = (of: (sums: AccountSums) => bigint, account: Account) => {
    const behind = of(after.get(account.id) ?? account);
    const isSame = of(account) === behind;
    return (
      <>
        <td className={styles.number}>{sided(of(account))}</td>
        <td className={styles.number}>{isSame ? 'the same' : sided(behind)}</td>
      </>
    );
  };
  return (
    <Table
      label="Balances"
      heads={[
        'Account',
        { title: 'Before', end: true },
        { title: 'After', end: true },
        ...(hasPending ? pendingHeads : []),
      ]}
    >
      {accounts.map((account) => (
        <tr key={account.id}>
          <td>
            <AccountLink id={account.id} />
          </td>
          {cells(balanceOf, account)}
          {hasPending && cells(pendingOf, account)}
        </tr>
      ))}
    </Table>
  );
}
