/** Finds what is wrong with the names of columns. */
import { nearest } from '../../base/nearest.ts';
import { columnNames, rowColumns } from './row-columns.ts';
import { REPORTED_MAX, shown, type RowFault } from './row-faults.ts';
import type { RowsName } from './staged-key.ts';

/** Describes a name that is no column. It counts, because looking for something like it takes long. */
export class UnknownColumns {
  readonly #rows: RowsName;
  #guesses = 0;

  constructor(rows: RowsName) {
    this.#rows = rows;
  }

  faultOf(line: number, name: string): RowFault {
    const names = columnNames(this.#rows);
    this.#guesses += 1;
    const meant = this.#guesses <= REPORTED_MAX ? nearest(name, names) : undefined;
    const hint = meant === undefined ? `The columns are ${names.join(', ')}.` : `Is it ${meant}?`;
    const detail = `${shown(name)} is no column of ${this.#rows}. ${hint}`;
    return { line, code: 'column_unknown', detail };
  }
}

export const columnTwice = (line: number, name: string): RowFault => ({
  line,
  field: name,
  code: 'column_twice',
  detail: 'It is there twice. Remove one.',
});

/** All faults of a header. */
export function headerFaults(
  line: number,
  names: readonly string[],
  rows: RowsName,
): readonly RowFault[] {
  const unknown = new UnknownColumns(rows);
  const known = new Set(columnNames(rows));
  const ofNames = names.flatMap((name, at) => {
    if (!known.has(name)) return [unknown.faultOf(line, name)];
    return names.indexOf(name) < at ? [columnTwice(line, name)] : [];
  });
  const missing = rowColumns[rows].required
    .filter((name) => !names.includes(name))
    .map((name) => ({
      line,
      field: name,
      code: 'column_missing',
      detail: `The header has no such column. Files with ${rows} need it.`,
    }));
  return [...ofNames, ...missing];
}
