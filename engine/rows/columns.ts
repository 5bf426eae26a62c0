/** Columns of files with accounts and transfers: those that `ledgerhouse export` writes, and which of them a file must have. */
import { rowColumns } from '../../domain/import-files/row-columns.ts';
import type { RowsName } from '../../domain/import-files/staged-key.ts';
import { accountFields, type RecordField, transferFields } from '../wire/record-fields.ts';
import { Account } from '../wire/records.ts';

export interface Column extends RecordField {
  /** Whether a file must have it. All others may be absent, and are 0 then. */
  readonly isRequired: boolean;
  /** Whether every row must have a value. An empty one is 0 elsewhere. */
  readonly isFilled: boolean;
}

export interface RowKind {
  readonly name: RowsName;
  readonly columns: readonly Column[];
}

/** Bytes of a record of either kind. */
export const RECORD_SIZE = Account.words * 4;
/** Offsets of flags and timestamp, the same in records of both kinds. */
export const FLAGS_OFFSET = Account.codeFlags * 4 + 2;
export const TIMESTAMP_OFFSET = Account.timestamp * 4;

const columnsOf = (
  fields: readonly RecordField[],
  rows: RowsName,
  filled: readonly string[],
): readonly Column[] =>
  fields.map((field) => ({
    ...field,
    isRequired: rowColumns[rows].required.includes(field.name),
    isFilled: filled.includes(field.name),
  }));

export const accountRows: RowKind = {
  name: 'accounts',
  columns: columnsOf(accountFields, 'accounts', ['id']),
};

export const transferRows: RowKind = {
  name: 'transfers',
  columns: columnsOf(transferFields, 'transfers', ['id', 'amount']),
};
