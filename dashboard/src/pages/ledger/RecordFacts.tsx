import type { Account, Transfer } from '../../../../gen/api.ts';
import { hexadecimal } from '../../lib/digits.ts';
import { exactLedgerTime } from '../../lib/time.ts';
import { useZone } from '../../shell/context.ts';
import { Copy } from '../../ui/Copy.tsx';
import { Facts } from '../../ui/Page.tsx';
import styles from './Ledger.module.css';

/** Fields that accounts and transfers share: ID, kind, flags, time, user data. */
export function RecordFacts({
  record,
  flags,
  kind,
}: {
  readonly record: Account | Transfer;
  readonly flags: readonly string[];
  readonly kind: 'account' | 'transfer';
}) {
  const zone = useZone();
  const data = (['user_data_128', 'user_data_64', 'user_data_32'] as const)
    .map((name) => [name, record[name].toString()] as const)
    .filter(([, value]) => value !== '0');
  return (
    <Facts
      rows={[
        [
          'ID',
          <span key="id">
            <code>{record.id}</code> <Copy text={record.id} what={`the ${kind}’s ID`} />
            <div className={styles.soft}>{hexadecimal(record.id)}</div>
          </span>,
        ],
        ['Ledger', record.ledger],
        ['Code', record.code],
        [
          'Flags',
          flags.length === 0 ? (
            'none'
          ) : (
            <span key="flags" className={styles.chips}>
              {flags.map((flag) => (
                <span key={flag} className={styles.chip}>
                  {flag}
                </span>
              ))}
            </span>
          ),
        ],
        [
          'Made',
          <time key="time" title={`${record.timestamp} ns`}>
            {exactLedgerTime(record.timestamp, zone)}
          </time>,
        ],
        ...data.map(
          ([name, value]) =>
            [
              name,
              <span key={name}>
                <code>{value}</code> <Copy text={value} what={name} />
              </span>,
            ] as const,
        ),
      ]}
    />
  );
}
