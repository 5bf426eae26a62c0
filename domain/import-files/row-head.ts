/**
 * Reads what the first bytes of a file with rows say: its form, and the names of its columns. It runs in browsers, too. What is wrong
 * there is found before anything is uploaded; the rows themselves are read in the trial.
 */
import { FORM_BYTES, recogniseForm, type RowForm } from './row-form.ts';
import { LINE_BYTES_MAX, lineTooLong, notAnObject, type RowFault } from './row-faults.ts';
import { headerFaults, UnknownColumns } from './row-header.ts';
import { columnNames, rowColumns } from './row-columns.ts';
import { csvFields, jsonFields } from './row-text.ts';
import type { RowsName } from './staged-key.ts';

interface FirstLine {
  readonly form: RowForm;
  /** From 1; 0: there is none. */
  readonly line: number;
  /** Names of columns; of a JSON object that is none, `undefined`. */
  readonly names: readonly string[] | undefined;
  readonly text: string;
}

const LF = 0x0a;
/** Columns that only transfers have, and that all of them have. */
const ofTransfers = rowColumns.transfers.required.filter(
  (name) => !columnNames('accounts').includes(name),
);

/** Returns all faults of a file's first bytes: 16 KiB, or all of a smaller file. */
export function rowsHeadFaults(head: Uint8Array, rows: RowsName): readonly RowFault[] {
  const first = firstLineOf(head);
  if (!('form' in first)) return [first];
  const { form, line, names, text } = first;
  if (line === 0) return rows === 'accounts' ? [noRows] : [];
  if (names === undefined) return [notAnObject(line, text)];
  const holds = kindOf(names);
  if (holds !== undefined && holds !== rows) return [otherRows(line, holds, rows)];
  if (form === 'csv') return headerFaults(line, names, rows);
  const unknown = new UnknownColumns(rows);
  const known = columnNames(rows);
  return names.filter((name) => !known.includes(name)).map((name) => unknown.faultOf(line, name));
}

/** The rows that a file seems to hold, by the names of its columns; `undefined`: they do not say. */
export function rowsIn(head: Uint8Array): RowsName | undefined {
  const first = firstLineOf(head);
  return 'form' in first && first.names !== undefined ? kindOf(first.names) : undefined;
}

function kindOf(names: readonly string[]): RowsName | undefined {
  if (names.some((name) => ofTransfers.includes(name))) return 'transfers';
  return rowColumns.accounts.required.every((name) => names.includes(name))
    ? 'accounts'
    : undefined;
}

function firstLineOf(head: Uint8Array): FirstLine | RowFault {
  const found = recogniseForm(head.subarray(0, FORM_BYTES));
  if ('code' in found) return { line: 0, ...found };
  const { form, skip } = found;
  let line = 0;
  for (let at = skip; at < head.length;) {
    const lineEnd = head.indexOf(LF, at);
    const end = lineEnd === -1 ? head.length : lineEnd;
    line += 1;
    // A CR may follow.
    if (end - at > LINE_BYTES_MAX + 1) return lineTooLong(line);
    const text = textOf(head.subarray(at, end)).replace(/\r$/, '');
    if (text !== '') return { form, line, text, names: namesIn(form, text) };
    at = end + 1;
  }
  return { form, line: 0, text: '', names: undefined };
}

const namesIn = (form: RowForm, text: string): readonly string[] | undefined =>
  form === 'csv'
    ? (csvFields(text) ?? [text]).map((name) => name.trim())
    : jsonFields(text)?.map(([name]) => name);

/** Each byte as one character, as all of the file is read. */
const textOf = (bytes: Uint8Array): string => String.fromCharCode(...bytes);

const noRows: RowFault = {
  line: 0,
  code: 'file_empty',
  detail: 'It has no accounts. Choose the right file.',
};

const otherRows = (line: number, holds: RowsName, meant: RowsName): RowFault => ({
  line,
  code: 'rows_of_other_kind',
  detail: `It has the columns of ${holds}, and is given as the file with ${meant}. Name each file correctly; perhaps both are swapped.`,
});
