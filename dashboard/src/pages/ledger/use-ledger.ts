/** The ledger that the pages read: its address, and the form of its amounts. */
import { useMemo } from 'react';
import type { LedgerAddress } from '../../data/ledger.ts';
import { shownAmount, type AmountLabel } from '../../lib/amounts.ts';
import { fieldNamesOf, type FieldName, type NamedRecord } from '../../lib/field-names.ts';
import { ledgerLabelsOf, type LedgerLabel } from '../../lib/ledger-labels.ts';
import { sided } from '../../lib/records.ts';
import { said } from '../../lib/said.ts';
import { useDatabase } from '../database/use-database.ts';
import { useIntegers } from './integers.ts';

export function useLedgerAddress(): LedgerAddress {
  const { database, organizationId } = useDatabase();
  return useMemo(
    () => ({ organizationId, databaseId: database.id }),
    [organizationId, database.id],
  );
}

export function useLedgerLabels(): readonly LedgerLabel[] {
  const { labels } = useDatabase().database;
  return useMemo(() => ledgerLabelsOf(labels), [labels]);
}

/** Shows digits of a ledger in the form of its label, or as the integer if it has none. */
type ShowAmount = (digits: string | bigint, ledger: string) => string;

export function useShowAmount(): ShowAmount {
  const labels = useLedgerLabels();
  const asIntegers = useIntegers();
  return useMemo(() => {
    const byLedger = new Map(asIntegers ? [] : labels.map((one) => [one.ledger, one]));
    return (digits, ledger) => shownAmount(digits.toString(), byLedger.get(ledger));
  }, [labels, asIntegers]);
}

interface FieldNames {
  readonly codeName: (record: NamedRecord, code: string | number) => string | undefined;
  /** The code with its name, if it has one. */
  readonly code: (record: NamedRecord, code: string | number) => string;
  /** The name and format of user data, if it has them. */
  readonly data: (record: NamedRecord, field: string) => FieldName | undefined;
}

/** The names that people gave to the codes and the user data of this database. */
export function useFieldNames(): FieldNames {
  const { labels } = useDatabase().database;
  return useMemo(() => {
    const names = new Map(
      fieldNamesOf(labels).map((one) => [`${one.record} ${one.field} ${one.code}`, one]),
    );
    const codeName = (record: NamedRecord, code: string | number) => {
      const name = names.get(`${record} code ${code}`)?.name;
      return name === undefined ? undefined : said(name);
    };
    return {
      codeName,
      code: (record, code) => `${code} ${codeName(record, code) ?? ''}`.trim(),
      data: (record, field) => names.get(`${record} ${field} `),
    };
  }, [labels]);
}

interface Amounts {
  /** Form in which a person types an amount; `undefined`: the integer. */
  readonly label: AmountLabel | undefined;
  readonly shown: (digits: string | bigint) => string;
  /** The same without the currency, for a table that names it once. */
  readonly plain: (digits: string | bigint) => string;
  /** A balance with its side: `Dr 12`. */
  readonly sided: (balance: bigint) => string;
}

/** Form in which the amounts of one ledger are shown. */
export function useAmounts(ledger: number | string): Amounts {
  const show = useShowAmount();
  const labels = useLedgerLabels();
  const asIntegers = useIntegers();
  const key = ledger.toString();
  return useMemo(() => {
    const shown = (digits: string | bigint) => show(digits, key);
    const label = asIntegers ? undefined : labels.find((one) => one.ledger === key);
    const bare = label && { ...label, currency: null };
    return {
      label,
      shown,
      plain: (digits) => shownAmount(digits.toString(), bare),
      sided: (balance) => sided(balance, shown),
    };
  }, [show, labels, asIntegers, key]);
}
