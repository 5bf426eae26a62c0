/** The columns of each kind of record: their text and their alignment. */
import { accountFlagNames, balanceOf, sided, transferFlagNames } from '../../lib/records.ts';
import type { NamedRecord } from '../../lib/field-names.ts';
import { ledgerTime, type Zone } from '../../lib/time.ts';

export type RecordRow = Readonly<Record<string, string | number>>;
export type RecordKind = 'account' | 'transfer' | 'balance';

export interface Column {
  readonly name: string;
  readonly title: string;
  readonly kind: 'time' | 'id' | 'amount' | 'number' | 'code' | 'flags' | 'net';
}

const sums: readonly Column[] = [
  { name: 'debits_posted', title: 'Debits posted', kind: 'amount' },
  { name: 'credits_posted', title: 'Credits posted', kind: 'amount' },
  { name: 'debits_pending', title: 'Debits pending', kind: 'amount' },
  { name: 'credits_pending', title: 'Credits pending', kind: 'amount' },
];
const userData: readonly Column[] = [
  { name: 'user_data_128', title: 'User data 128', kind: 'id' },
  { name: 'user_data_64', title: 'User data 64', kind: 'id' },
  { name: 'user_data_32', title: 'User data 32', kind: 'number' },
];
const time: Column = { name: 'timestamp', title: 'Time', kind: 'time' };
const id: Column = { name: 'id', title: 'ID', kind: 'id' };
const net: Column = { name: 'net', title: 'Balance', kind: 'net' };
const ledger: Column = { name: 'ledger', title: 'Ledger', kind: 'number' };
const code: Column = { name: 'code', title: 'Code', kind: 'code' };
const flags: Column = { name: 'flags', title: 'Flags', kind: 'flags' };

export const columnsOf: Readonly<Record<RecordKind, readonly Column[]>> = {
  account: [id, net, ...sums, ledger, code, flags, time, ...userData],
  transfer: [
    time,
    id,
    { name: 'debit_account_id', title: 'Debit account', kind: 'id' },
    { name: 'credit_account_id', title: 'Credit account', kind: 'id' },
    { name: 'amount', title: 'Amount', kind: 'amount' },
    ledger,
    code,
    flags,
    { name: 'pending_id', title: 'Pending', kind: 'id' },
    { name: 'timeout', title: 'Timeout', kind: 'number' },
    ...userData,
  ],
  balance: [time, net, ...sums],
};

export interface Showing {
  readonly zone: Zone;
  /** Shows digits in the form that the label of their ledger gives. */
  readonly show: (digits: string, ledger: string) => string;
  /** Shows a code with its name. */
  readonly code: (record: NamedRecord, code: string) => string;
}

/** The text of a cell. Amounts are whole: a shortened amount is a wrong one. */
export function cellText(
  column: Column,
  row: RecordRow,
  kind: RecordKind,
  { zone, show, code: named }: Showing,
): string {
  const value = row[column.name];
  const shown = (digits: string) => show(digits, String(row['ledger'] ?? ''));
  switch (column.kind) {
    case 'time':
      return ledgerTime(String(value), zone);
    case 'amount':
      return shown(String(value));
    case 'net':
      return sided(
        balanceOf({
          debits_posted: String(row['debits_posted']),
          credits_posted: String(row['credits_posted']),
        }),
        shown,
      );
    case 'flags':
      return flagNames(row, kind).join(', ');
    case 'code':
      return kind === 'balance' ? '' : named(kind, String(value));
    case 'id':
    case 'number':
      break;
  }
  return value === undefined || value === '0' ? '' : String(value);
}

export function flagNames(row: RecordRow, kind: RecordKind): readonly string[] {
  const { flags } = row;
  if (typeof flags !== 'number') return [];
  return kind === 'account' ? accountFlagNames(flags) : transferFlagNames(flags);
}
