/**
 * Amounts in the form that the label of their ledger gives: shifted by its scale, with its currency. The integer is stored and
 * sent.
 */
import { grouped, readInteger } from './digits.ts';

/** Form in which the amounts of one ledger are shown. */
export interface AmountLabel {
  /** Digits behind the point, 0 to 38. */
  readonly scale: number;
  readonly currency: string | null;
}

/** `1234567` with the scale 2 as `12,345.67`. Without a label the integer. */
export function shownAmount(digits: string, label: AmountLabel | undefined): string {
  if (label === undefined) return grouped(digits);
  const shown = shifted(digits, label.scale);
  return label.currency === null ? shown : `${shown} ${label.currency}`;
}

function shifted(digits: string, scale: number): string {
  if (scale === 0) return grouped(digits);
  const padded = digits.padStart(scale + 1, '0');
  return `${grouped(padded.slice(0, -scale))}.${padded.slice(-scale)}`;
}

/** The integer of an amount that a person typed; `undefined` if it is none, or has more decimals than the scale: nothing is rounded. */
export function readAmount(text: string, label: AmountLabel | undefined): string | undefined {
  const scale = label?.scale ?? 0;
  if (scale === 0) return readInteger(text, 128);
  const [, whole = '', decimals = ''] = /^([\d,_\s]*)(?:\.(\d*))?$/.exec(text.trim()) ?? [];
  if (whole + decimals === '' || decimals.length > scale) return undefined;
  const digits = `${whole.replaceAll(/[,_\s]/g, '')}${decimals.padEnd(scale, '0')}`;
  return readInteger(digits.replace(/^0+(?=\d)/, ''), 128);
}
