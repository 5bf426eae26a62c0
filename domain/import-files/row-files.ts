/** Files with accounts and transfers of one import: the names of their columns tell which is which. */
import type { RowFault } from './row-faults.ts';
import { rowsHeadFaults, rowsIn } from './row-head.ts';
import type { RowsName } from './staged-key.ts';

/** The files of an import of rows, by their index. */
export const rowsNames: readonly RowsName[] = ['accounts', 'transfers'];

interface Named {
  readonly name: string;
  /** Its first 16 KiB, or all of a smaller file. */
  readonly headBytes: Uint8Array;
}

export interface RowFilesFault extends RowFault {
  /** Index of the file; `undefined`: the files as a whole. */
  readonly file?: number;
}

const byName = /\.(?:csv|ndjson|jsonl)(?:\.gz|\.zst)?$/i;

/** Whether the files are meant as rows. A data file among them is a fault that is reported later. */
export const areRows = (files: readonly Named[]): boolean =>
  files.some(({ name, headBytes }) => byName.test(name) || rowsIn(headBytes) !== undefined);

/** Whether the first file has the transfers, and the second one the accounts. */
export const areSwapped = ([one, other]: readonly Pick<Named, 'headBytes'>[]): boolean =>
  one !== undefined &&
  other !== undefined &&
  (rowsIn(one.headBytes) === 'transfers' || rowsIn(other.headBytes) === 'accounts');

/** Everything that the first bytes say to be wrong. The accounts come first. */
export function rowFilesFaults(
  files: readonly Pick<Named, 'headBytes'>[],
): readonly RowFilesFault[] {
  const [one, other] = files;
  if (one === undefined || files.length > rowsNames.length) {
    const detail = 'Choose one file with accounts, and one with transfers if there are any.';
    return [{ line: 0, code: 'wrong_file_count', detail }];
  }
  if (other === undefined && rowsIn(one.headBytes) === 'transfers') {
    const detail = 'It has the columns of transfers. Choose the file with the accounts, too.';
    return [{ file: 0, line: 0, code: 'accounts_missing', detail }];
  }
  return files.flatMap(({ headBytes }, file) =>
    rowsHeadFaults(headBytes, file === 0 ? 'accounts' : 'transfers').map((fault) => ({
      ...fault,
      file,
    })),
  );
}
