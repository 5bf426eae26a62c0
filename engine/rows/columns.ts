/** Columns of files with accounts and transfers: those that `ledgerhouse export` writes, and where a record holds them. */
import { Account, WireTransfer } from '../wire/records.ts';

export interface Column {
  readonly name: string;
  /** In bytes, from the beginning of the record. */
  readonly offset: number;
  /** In bytes. */
  readonly width: 2 | 4 | 8 | 16;
  /** Whether a file must have it. All others may be absent, and are 0 then. */
  readonly isRequired: boolean;
  /** Whether every row must have a value. An empty one is 0 elsewhere. */
  readonly isFilled: boolean;
}

export interface RowKind {
  readonly name: 'accounts' | 'transfers';
  readonly columns: readonly Column[];
}

/** Bytes of a record of either kind. */
export const RECORD_SIZE = Account.words * 4;
/** Where records of both kinds have them. */
export const FLAGS_OFFSET = Account.codeFlags * 4 + 2;
export const TIMESTAMP_OFFSET = Account.timestamp * 4;

const column = (
  name: string,
  word: number,
  width: Column['width'],
  need?: 'required' | 'filled',
): Column => ({
  name,
  offset: word * 4,
  width,
  isRequired: need !== undefined,
  isFilled: need === 'filled',
});

const ends = (codeFlags: number): readonly Column[] => [
  column('code', codeFlags, 2, 'required'),
  { ...column('flags', codeFlags, 2), offset: FLAGS_OFFSET },
  column('timestamp', Account.timestamp, 8),
];

export const accountRows: RowKind = {
  name: 'accounts',
  columns: [
    column('id', Account.id, 16, 'filled'),
    column('debits_pending', Account.debitsPending, 16),
    column('debits_posted', Account.debitsPosted, 16),
    column('credits_pending', Account.creditsPending, 16),
    column('credits_posted', Account.creditsPosted, 16),
    column('user_data_128', Account.userData128, 16),
    column('user_data_64', Account.userData64, 8),
    column('user_data_32', Account.userData32, 4),
    column('ledger', Account.ledger, 4, 'required'),
    ...ends(Account.codeFlags),
  ],
};

export const transferRows: RowKind = {
  name: 'transfers',
  columns: [
    column('id', WireTransfer.id, 16, 'filled'),
    column('debit_account_id', WireTransfer.debitAccountId, 16, 'required'),
    column('credit_account_id', WireTransfer.creditAccountId, 16, 'required'),
    column('amount', WireTransfer.amount, 16, 'filled'),
    column('pending_id', WireTransfer.pendingId, 16),
    column('user_data_128', WireTransfer.userData128, 16),
    column('user_data_64', WireTransfer.userData64, 8),
    column('user_data_32', WireTransfer.userData32, 4),
    column('timeout', WireTransfer.timeout, 4),
    column('ledger', WireTransfer.ledger, 4, 'required'),
    ...ends(WireTransfer.codeFlags),
  ],
};
