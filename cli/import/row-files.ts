/** Files with accounts and transfers of one import: the names of their columns tell which is which. */
import { rowsHeadFaults, rowsIn } from '../../domain/import-files/row-head.ts';
import type { RowsName } from '../../domain/import-files/staged-key.ts';
import type { LocalFile } from './local-file.ts';

export const rowsNames: readonly RowsName[] = ['accounts', 'transfers'];

const byName = /\.(?:csv|ndjson|jsonl)(?:\.gz|\.zst)?$/i;

/** Whether the files are meant as rows. A data file among them is a fault that is told later. */
export const areRows = (files: readonly LocalFile[]): boolean =>
  files.some(({ name, head, headBytes }) => {
    if (head.kind !== 'foreign') return false;
    return byName.test(name) || rowsIn(headBytes) !== undefined;
  });

export interface RowsFault {
  readonly file?: string;
  readonly field?: string;
  readonly code: string;
  readonly detail: string;
}

/** The files in the order of their indexes: accounts, then transfers if there are any. Or what is wrong with them. */
export function sortRows(
  files: readonly LocalFile[],
): { readonly sorted: readonly LocalFile[] } | { readonly faults: readonly RowsFault[] } {
  const [one, other, third] = files;
  if (one === undefined || third !== undefined) {
    const detail = 'Name one file with accounts, and one with transfers if there are any.';
    return { faults: [{ code: 'wrong_file_count', detail }] };
  }
  if (other === undefined && rowsIn(one.headBytes) === 'transfers') {
    const detail = 'It has the columns of transfers. Name the file with the accounts, too.';
    return { faults: [{ file: one.name, code: 'accounts_missing', detail }] };
  }
  const isSwapped =
    other !== undefined &&
    (rowsIn(one.headBytes) === 'transfers' || rowsIn(other.headBytes) === 'accounts');
  const sorted = isSwapped ? [other, one] : files;
  const faults = sorted.flatMap(({ name, headBytes }, index) =>
    rowsHeadFaults(headBytes, index === 0 ? 'accounts' : 'transfers').map(({ line, ...fault }) => ({
      ...fault,
      file: line === 0 ? name : `${name}:${line}`,
      detail: fault.field === undefined ? fault.detail : `${fault.field}: ${fault.detail}`,
    })),
  );
  return faults.length === 0 ? { sorted } : { faults };
}
