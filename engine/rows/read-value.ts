/** Reads one value of a row: an unsigned integer in digits, or a time. */
import { shown } from '../../domain/import-files/row-faults.ts';
import { parseTime } from '../../domain/moment.ts';
import { type Column } from './columns.ts';

const MAX_DIGITS = 39;
/** Numbers of so many digits are exact. */
const EXACT_DIGITS = 15;

export interface WrongValue {
  readonly code: string;
  readonly detail: string;
}

/** Writes the value into the record. Returns what is wrong with it instead, if something is. */
export function readValue(
  text: string,
  column: Column,
  record: DataView,
  at: number,
): WrongValue | undefined {
  const to = at + column.offset;
  if (text === '') {
    if (!column.isFilled) return undefined;
    return { code: 'value_missing', detail: 'It is empty. Every row needs one.' };
  }
  if (text.length <= EXACT_DIGITS && isDigits(text)) {
    const value = Number(text);
    if (column.width === 2 ? value > 0xffff : column.width === 4 && value > 0xffff_ffff)
      return tooLarge(text, column);
    if (column.width === 2) record.setUint16(to, value, true);
    else {
      record.setUint32(to, value % 0x1_0000_0000, true);
      if (column.width > 4) record.setUint32(to + 4, Math.floor(value / 0x1_0000_0000), true);
    }
    return undefined;
  }
  const value = integerOf(text, column);
  if (value === undefined) return notAnInteger(text, column);
  if (value >> BigInt(column.width * 8) !== 0n) return tooLarge(text, column);
  if (column.width === 2) record.setUint16(to, Number(value), true);
  else if (column.width === 4) record.setUint32(to, Number(value), true);
  else {
    record.setBigUint64(to, BigInt.asUintN(64, value), true);
    if (column.width === 16) record.setBigUint64(to + 8, value >> 64n, true);
  }
  return undefined;
}

function isDigits(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code < 0x30 || code > 0x39) return false;
  }
  return true;
}

function integerOf(text: string, { name }: Column): bigint | undefined {
  if (text.length <= MAX_DIGITS && isDigits(text)) return BigInt(text);
  return name === 'timestamp' ? parseTime(text) : undefined;
}

const tooLarge = (text: string, { width }: Column): WrongValue => ({
  code: 'value_too_large',
  detail: `${shown(text)} does not fit into ${width * 8} bits.`,
});

function notAnInteger(text: string, { name }: Column): WrongValue {
  const detail = `${shown(text)} is not ${name === 'timestamp' ? 'nanoseconds since 1970 and not a time such as 2026-01-31T12:00:00Z' : 'an unsigned integer in digits'}.${advice(text, name)}`;
  return { code: 'value_not_an_integer', detail };
}

function advice(text: string, name: string): string {
  if (/^\d[\d.,]*E\+?\d+$/i.test(text))
    return ' A spreadsheet has rounded it: write the file again without one, or with this column as text.';
  if (/^\d+[.,]\d+$/.test(text))
    return name === 'amount'
      ? ' Amounts are whole numbers of the smallest unit, such as cents.'
      : ' Write a whole number.';
  if (/^-\d/.test(text))
    return name === 'amount'
      ? ' An amount cannot be negative: exchange the accounts of the transfer.'
      : ' It cannot be negative.';
  if (/^\s|\s$/.test(text)) return ' Remove the spaces around it.';
  if (name.endsWith('id') && /^[0-9a-f-]{32,36}$/i.test(text))
    return ' Write the 128 bits of a UUID as a decimal number.';
  return '';
}
