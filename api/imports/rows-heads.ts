/** First bytes of files with rows: what is wrong with them, as a refusal that names every file and field. */
import { rowsNames } from '../../domain/import-files/row-files.ts';
import { FILE_HEAD_SIZE } from '../../domain/import-files/file-head.ts';
import { rowsHeadFaults } from '../../domain/import-files/row-head.ts';
import { Refusal, type FieldError } from '../model/refusal.ts';

interface RowsStart {
  /** Index of the file. */
  readonly index: number;
  /** Its first bytes, 16 KiB or all of it; absent if nobody has read them yet. */
  readonly start: Uint8Array | undefined;
}

/** Throws a `Refusal` if any of the files cannot be rows of its kind. */
export function requireRows(files: readonly RowsStart[]): void {
  const errors = rowsErrors(files);
  if (errors.length > 0) throw rowsWrong(errors);
}

export const rowsErrors = (files: readonly RowsStart[]): readonly FieldError[] =>
  files.flatMap(({ index, start }) => {
    const rows = rowsNames[index];
    if (start === undefined || rows === undefined) return [];
    return rowsHeadFaults(start.subarray(0, FILE_HEAD_SIZE), rows).map(
      ({ line, field, code, detail }) => ({
        pointer: `#/rows/${rows}/head`,
        code,
        detail: `${line === 0 ? '' : `Line ${line}: `}${field === undefined ? '' : `${field}: `}${detail}`,
      }),
    );
  });

export const rowsWrong = (errors: readonly FieldError[]): Refusal =>
  new Refusal('import_files_wrong', {
    detail: errors
      .slice(0, 3)
      .map(({ pointer = '', detail }) => `${pointer.split('/')[2] ?? ''}: ${detail}`)
      .join(' '),
    errors: errors.slice(0, 100),
  });
