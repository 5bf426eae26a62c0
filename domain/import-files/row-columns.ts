/** Names of the columns of files with accounts and transfers. */
import type { RowsName } from './staged-key.ts';

interface RowColumns {
  /** Columns that a file must have. */
  readonly required: readonly string[];
  /** All others: absent or empty ones are 0. */
  readonly optional: readonly string[];
}

export const rowColumns: Readonly<Record<RowsName, RowColumns>> = {
  accounts: {
    required: ['id', 'ledger', 'code'],
    optional: [
      'debits_pending',
      'debits_posted',
      'credits_pending',
      'credits_posted',
      'user_data_128',
      'user_data_64',
      'user_data_32',
      'flags',
      'timestamp',
    ],
  },
  transfers: {
    required: ['id', 'debit_account_id', 'credit_account_id', 'amount', 'ledger', 'code'],
    optional: [
      'pending_id',
      'user_data_128',
      'user_data_64',
      'user_data_32',
      'timeout',
      'flags',
      'timestamp',
    ],
  },
};

export const columnNames = (rows: RowsName): readonly string[] => [
  ...rowColumns[rows].required,
  ...rowColumns[rows].optional,
];
