import { useMemo } from 'react';
import { transferFlagNames } from '../../lib/records.ts';
import { exactLedgerTime, ledgerTime } from '../../lib/time.ts';
import { useZone } from '../../shell/context.ts';
import { columnWidth, LongTable, longTable } from '../../ui/LongTable.tsx';
import { shortIdLength, wordsLength } from '../../lib/short-id.ts';
import { AccountLink, TransferLink } from './Links.tsx';
import type { Statement, StatementRow } from './statement.ts';
import { useAmounts, useFieldNames } from './use-ledger.ts';

const heads = [
  { name: 'time', title: 'Time' },
  { name: 'transfer', title: 'Transfer' },
  { name: 'other', title: 'Other account' },
  { name: 'code', title: 'Code' },
  { name: 'flags', title: 'Flags' },
  { name: 'debit', title: 'Debit', end: true },
  { name: 'credit', title: 'Credit', end: true },
  { name: 'balance', title: 'Balance', end: true },
] as const;

/** Characters that a text takes in its column. */
function widthOf(column: string, text: string): number {
  if (column === 'transfer' || column === 'other') return shortIdLength(text);
  return isWords(column) ? wordsLength(text) : text.length;
}

/** Words may be cut, and are whole in the title; digits never are. */
const isWords = (column: string | undefined): boolean => column === 'code' || column === 'flags';

const otherOf = ({ side, transfer }: StatementRow): string =>
  side === 'debit' ? transfer.credit_account_id : transfer.debit_account_id;

interface Props {
  readonly ledger: number;
  readonly statement: Statement;
  /** All rows are drawn, for the printer. */
  readonly whole: boolean;
}

/** The transfers of an account with the balance after each, between the opening and the closing balance. */
export function StatementTable({ ledger, statement, whole }: Props) {
  const zone = useZone();
  const { shown, sided } = useAmounts(ledger);
  const names = useFieldNames();
  const { rows, opening, closing } = statement;
  const texts = useMemo(
    () =>
      rows.map((row) => [
        ledgerTime(row.transfer.timestamp, zone),
        row.transfer.id,
        otherOf(row),
        names.code('transfer', row.transfer.code),
        transferFlagNames(row.transfer.flags).join(', '),
        row.side === 'debit' ? shown(row.posted) : '',
        row.side === 'credit' ? shown(row.posted) : '',
        sided(row.balance),
      ]),
    [rows, zone, shown, sided, names],
  );
  const template = useMemo(() => {
    const ends = [sided(opening), sided(closing)].map(({ length }) => length);
    return heads
      .map(({ name, title }, column) => {
        const width = columnWidth(
          texts.reduce(
            (most, cells) => Math.max(most, widthOf(name, cells[column] ?? '')),
            Math.max(title.length, name === 'time' ? 23 : 0, ...(name === 'balance' ? ends : [])),
          ),
        );
        // This column takes the rest of a wide page, so that the amounts stand at its end.
        return name === 'flags' ? `minmax(${width}, 1fr)` : width;
      })
      .join(' ');
  }, [texts, opening, closing, sided]);
  const fixed = (title: string, balance: bigint, index: number) => (
    <div
      role="row"
      aria-rowindex={index}
      className={`${longTable.row} ${longTable.fixed}`}
      style={{ gridTemplateColumns: template }}
    >
      <div role="cell">{title}</div>
      {heads.slice(1, -1).map(({ name }) => (
        <div key={name} role="cell" />
      ))}
      <div role="cell" data-end>
        {sided(balance)}
      </div>
    </div>
  );
  return (
    <LongTable
      label="Statement"
      heads={heads}
      template={template}
      count={rows.length}
      whole={whole}
      first={fixed('Opening balance', opening, 2)}
      last={fixed('Closing balance', closing, rows.length + 3)}
      renderRow={(index, start) => {
        const row = rows[index];
        const cells = texts[index] ?? [];
        return (
          row !== undefined && (
            <div
              key={row.transfer.id}
              role="row"
              aria-rowindex={index + 3}
              className={longTable.row}
              style={{ gridTemplateColumns: template, transform: `translateY(${start}px)` }}
            >
              <div role="cell" title={exactLedgerTime(row.transfer.timestamp, zone)}>
                {cells[0]}
              </div>
              <div role="cell">
                <TransferLink id={row.transfer.id} />
              </div>
              <div role="cell">
                <AccountLink id={otherOf(row)} />
              </div>
              {cells.slice(3).map((text, at) => {
                const name = heads[at + 3]?.name;
                const words = isWords(name) ? { 'data-words': true, title: text } : {};
                return (
                  <div key={name} role="cell" data-end={at > 1 || undefined} {...words}>
                    {text}
                  </div>
                );
              })}
            </div>
          )
        );
      }}
    />
  );
}
