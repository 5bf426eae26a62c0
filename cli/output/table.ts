/** A table for people: each column is as wide as its widest cell, with two blanks between columns. */
import { printable } from './printable.ts';

export interface Column<Row> {
  readonly title: string;
  readonly align?: 'left' | 'right';
  cell(row: Row): string;
  /** Applied after the widths are known, because colors take no room. */
  paint?(text: string, row: Row): string;
}

export function table<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const cells = rows.map((row) => columns.map((column) => printable(column.cell(row))));
  const widths = columns.map(({ title }, index) =>
    cells.reduce((width, row) => Math.max(width, row[index]?.length ?? 0), title.length),
  );
  const pad = (text: string, index: number) => {
    const column = columns[index];
    const width = widths[index] ?? 0;
    if (column?.align === 'right') return text.padStart(width);
    return index === columns.length - 1 ? text : text.padEnd(width);
  };
  const header = columns.map(({ title }, index) => pad(title, index)).join('  ');
  const lines = rows.map((row, rowIndex) =>
    columns
      .map((column, index) => {
        const text = pad(cells[rowIndex]?.[index] ?? '', index);
        return column.paint?.(text, row) ?? text;
      })
      .join('  '),
  );
  return `${[header, ...lines].map((line) => line.trimEnd()).join('\n')}\n`;
}

/** Names and values, one pair on each line. */
export function fields(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `${name.padEnd(width)}  ${printable(value)}\n`).join('');
}
