import { Link, useParams } from '@tanstack/react-router';
import { grouped } from '../../lib/digits.ts';
import { formatted } from '../../lib/field-names.ts';
import { formsOf } from '../../lib/id-forms.ts';
import { said } from '../../lib/said.ts';
import { exactLedgerTime } from '../../lib/time.ts';
import { useZone } from '../../shell/context.ts';
import { Button, buttonClass } from '../../ui/Button.tsx';
import { Copy } from '../../ui/Copy.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { useFieldNames } from '../ledger/use-ledger.ts';
import { columnsOf, flagNames, type RecordKind, type RecordRow } from './columns.ts';
import styles from './Explorer.module.css';
import type { ExplorerSearch } from './search.ts';

interface Props {
  readonly kind: RecordKind;
  readonly row: RecordRow | undefined;
  readonly onClose: () => void;
  readonly onAsk: (search: ExplorerSearch) => void;
}

/** All fields of one row, with links to the records that they name. */
export function RowDrawer({ kind, row, onClose, onAsk }: Props) {
  const zone = useZone();
  const names = useFieldNames();
  const dataOf = (name: string) => (kind === 'balance' ? undefined : names.data(kind, name));
  const title = kind === 'account' ? 'Account' : kind === 'transfer' ? 'Transfer' : 'Balance';
  return (
    <Dialog open={row !== undefined} onClose={onClose} title={title} side>
      {row !== undefined && (
        <>
          <Links kind={kind} row={row} onAsk={onAsk} />
          <dl className={styles.fields}>
            {columnsOf[kind]
              .filter(({ name }) => name !== 'net')
              .map(({ name, kind: shown, title: label }) => {
                const value = String(row[name] ?? '');
                const data = dataOf(name);
                const format = data?.format ?? 'integer';
                return (
                  <div key={name}>
                    <dt>{data === undefined ? label : `${said(data.name)} (${label})`}</dt>
                    <dd>
                      {shown === 'amount' ? grouped(value) : formatted(value, format)}{' '}
                      <Copy text={value} what={label} />
                      {shown === 'code' && kind !== 'balance' && (
                        <div>{names.codeName(kind, value)}</div>
                      )}
                      {shown === 'id' &&
                        value !== '0' &&
                        format === 'integer' &&
                        formsOf(value).map((form) => <div key={form}>{form}</div>)}
                      {shown === 'time' && <div>{exactLedgerTime(value, zone)}</div>}
                      {shown === 'flags' && <div>{flagNames(row, kind).join(', ')}</div>}
                    </dd>
                  </div>
                );
              })}
          </dl>
        </>
      )}
    </Dialog>
  );
}

interface LinksProps {
  readonly kind: RecordKind;
  readonly row: RecordRow;
  readonly onAsk: (search: ExplorerSearch) => void;
}

function Links({ kind, row, onAsk }: LinksProps) {
  const params = useParams({ from: '/o/$slug/databases/$name' });
  if (kind === 'balance') return null;
  const links: readonly (readonly [string, ExplorerSearch])[] =
    kind === 'account'
      ? [
          ['Its transfers', { op: 'get_account_transfers', account_id: String(row['id']) }],
          ['Its balances', { op: 'get_account_balances', account_id: String(row['id']) }],
        ]
      : [
          [
            'Both accounts',
            {
              op: 'lookup_accounts',
              ids: `${row['debit_account_id']}\n${row['credit_account_id']}`,
            },
          ],
          ...(row['pending_id'] === '0'
            ? []
            : [
                [
                  'Its pending transfer',
                  { op: 'lookup_transfers', ids: String(row['pending_id']) },
                ] as const,
              ]),
        ];
  const id = String(row['id']);
  return (
    <div className={styles.buttons}>
      {kind === 'account' ? (
        <Link
          className={buttonClass('main', true)}
          to="/o/$slug/databases/$name/explorer/accounts/$accountId"
          params={{ ...params, accountId: id }}
          search={{}}
        >
          Its page
        </Link>
      ) : (
        <Link
          className={buttonClass('main', true)}
          to="/o/$slug/databases/$name/explorer/transfers/$transferId"
          params={{ ...params, transferId: id }}
        >
          Its page
        </Link>
      )}
      {links.map(([title, search]) => (
        <Button key={title} small onClick={() => onAsk(search)}>
          {title}
        </Button>
      ))}
    </div>
  );
}
