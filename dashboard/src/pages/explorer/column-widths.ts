/** Widths of columns. An answer has up to 8,189 rows: not every value is formatted only to know how long it is. */
import { balanceOf } from '../../lib/records.ts';
import { shortIdLength, wordsLength } from '../../lib/short-id.ts';
import { cellText, type Column, type RecordKind, type RecordRow, type Showing } from './columns.ts';

/** Most characters that a value of the column takes. */
export function widest(
  column: Column,
  rows: readonly RecordRow[],
  kind: RecordKind,
  showing: Showing,
): number {
  const seen = new Set<string>();
  let most = 0;
  for (const row of rows) {
    const likeness = likenessOf(column, row);
    if (seen.has(likeness)) continue;
    seen.add(likeness);
    const text = cellText(column, row, kind, showing);
    most = Math.max(most, lengthIn(column, text));
  }
  return most;
}

function lengthIn({ kind }: Column, text: string): number {
  if (kind === 'id') return shortIdLength(text);
  return isWords(kind) ? wordsLength(text) : text.length;
}

/** Words may be cut, and are whole in the title; digits never are. */
export const isWords = (kind: Column['kind']): boolean => kind === 'code' || kind === 'flags';

/** Rows with the same likeness take the same number of characters in the column. */
function likenessOf({ kind, name }: Column, row: RecordRow): string {
  const value = String(row[name] ?? '');
  switch (kind) {
    case 'time':
      return '';
    case 'id':
    case 'number':
      // Zero is left out.
      return value === '0' ? '0' : `${value.length}`;
    case 'flags':
    case 'code':
      return value;
    // As many digits of the same ledger have as many separators, the same scale and the same currency.
    case 'amount':
      return `${value.length} ${row['ledger']}`;
    case 'net':
      break;
  }
  const balance = balanceOf({
    debits_posted: String(row['debits_posted']),
    credits_posted: String(row['credits_posted']),
  });
  return `${balance === 0n ? 'zero' : balance.toString().length} ${balance < 0n} ${row['ledger']}`;
}
