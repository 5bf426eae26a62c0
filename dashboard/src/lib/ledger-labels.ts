/**
 * The form in which the amounts of each ledger are shown. It is kept in a label of the database: `ledger/978` is
 * `2 EUR Euro cents`, that is scale, currency and name.
 */
import type { AmountLabel } from './amounts.ts';

export interface LedgerLabel extends AmountLabel {
  /** Digits. */
  readonly ledger: string;
  readonly name: string;
}

const prefix = 'ledger/';
/** 2^128 has 39 digits. */
export const scaleMax = 38;

/** Labels that are not of this form are left out. */
export const ledgerLabelsOf = (labels: Readonly<Record<string, string>>): readonly LedgerLabel[] =>
  Object.entries(labels)
    .flatMap(([key, value]) => {
      const [, ledger] = /^ledger\/([1-9]\d{0,9})$/.exec(key) ?? [];
      const [, scale = '', currency, name = ''] =
        /^(\d{1,2})(?: ([A-Z]{3,8})(?: (.{1,100}))?)?$/.exec(value) ?? [];
      const digits = Number.parseInt(scale, 10);
      return ledger === undefined || scale === '' || digits > scaleMax
        ? []
        : [{ ledger, scale: digits, currency: currency ?? null, name }];
    })
    .sort((a, b) => (BigInt(a.ledger) < BigInt(b.ledger) ? -1 : 1));

/** The database's label for this form. */
export const asDatabaseLabel = ({
  ledger,
  scale,
  currency,
  name,
}: {
  readonly ledger: string;
  readonly scale: string | number;
  readonly currency: string | null;
  readonly name: string;
}): readonly [key: string, value: string] => [
  databaseLabelKeyOf(ledger),
  [scale.toString(), currency, name].filter((one) => one !== null && one !== '').join(' '),
];

export const databaseLabelKeyOf = (ledger: string): string => `${prefix}${ledger}`;
