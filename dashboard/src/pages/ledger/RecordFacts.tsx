import type { Account, Transfer } from '../../../../gen/api.ts';
import { formatted } from '../../lib/field-names.ts';
import { formsOf, madeAbout } from '../../lib/id-forms.ts';
import { said } from '../../lib/said.ts';
import { exactLedgerTime, zonedLedgerTime } from '../../lib/time.ts';
import { useNow, useZone } from '../../shell/context.ts';
import { Copy } from '../../ui/Copy.tsx';
import { Facts } from '../../ui/Page.tsx';
import styles from './Ledger.module.css';
import { useFieldNames } from './use-ledger.ts';

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
  const names = useFieldNames();
  const about = madeAbout(record.id, useNow().getTime());
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
            {formsOf(record.id).map((form) => (
              <div key={form} className={styles.soft}>
                {form}
              </div>
            ))}
            {about !== undefined && (
              <div className={styles.soft}>made about {zonedLedgerTime(about, zone)}</div>
            )}
          </span>,
        ],
        ['Ledger', record.ledger],
        ['Code', names.code(kind, record.code)],
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
        ...data.map(([name, value]) => {
          const named = names.data(kind, name);
          const title = named === undefined ? name : `${said(named.name)} (${name})`;
          return [
            title,
            <span key={name}>
              <code>{formatted(value, named?.format ?? 'integer')}</code>{' '}
              <Copy text={value} what={title} />
            </span>,
          ] as const;
        }),
      ]}
    />
  );
}
