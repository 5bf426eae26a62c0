/** Columns of files with accounts and transfers: those that `ledgerhouse export` writes, and which of them a file must have. */
import { accountFields, type RecordField, transferFields } from '../wire/record-fields.ts';
import { Account } from '../wire/records.ts';

export interface Column extends RecordField {
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

/** `filled` are required, too. */
const columnsOf = (
  fields: readonly RecordField[],
  {
    required,
    filled,
  }: { readonly required: readonly string[]; readonly filled: readonly string[] },
): readonly Column[] =>
  fields.map((field) => {
    const isFilled = filled.includes(field.name);
    return { ...field, isRequired: isFilled || required.includes(field.name), isFilled };
  });

export const accountRows: RowKind = {
  name: 'accounts',
  columns: columnsOf(accountFields, { required: ['ledger', 'code'], filled: ['id'] }),
};

export const transferRows: RowKind = {
  name: 'transfers',
  columns: columnsOf(transferFields, {
    required: ['debit_account_id', 'credit_account_id', 'ledger', 'code'],
    filled: ['id', 'amount'],
  }),
};
