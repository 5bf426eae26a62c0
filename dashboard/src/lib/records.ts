/** Flags of the ledger's records, with TigerBeetle's names, and values that depend on them. */
import { grouped } from './digits.ts';

const accountFlags = [
  [1, 'linked'],
  [2, 'debits_must_not_exceed_credits'],
  [4, 'credits_must_not_exceed_debits'],
  [8, 'history'],
  [16, 'imported'],
  [32, 'closed'],
] as const;

const transferFlags = [
  [1, 'linked'],
  [2, 'pending'],
  [4, 'post_pending_transfer'],
  [8, 'void_pending_transfer'],
  [16, 'balancing_debit'],
  [32, 'balancing_credit'],
  [64, 'closing_debit'],
  [128, 'closing_credit'],
  [256, 'imported'],
] as const;

type Flags = readonly (readonly [bit: number, name: string])[];

/** Names of the bits; bits that this version does not know are shown as a number. */
function namesIn(flags: number, known: Flags): readonly string[] {
  const names = known.filter(([bit]) => (flags & bit) !== 0).map(([, name]) => name);
  const rest = known.reduce((left, [bit]) => left & ~bit, flags);
  return rest === 0 ? names : [...names, `0x${rest.toString(16)}`];
}

export const accountFlagNames = (flags: number) => namesIn(flags, accountFlags);
export const transferFlagNames = (flags: number) => namesIn(flags, transferFlags);

type AccountFlagName = (typeof accountFlags)[number][1];
type TransferFlagName = (typeof transferFlags)[number][1];

const bitOf = (known: Flags, name: string): number =>
  known.find(([, one]) => one === name)?.[0] ?? 0;

export const isAccount = (flags: number, name: AccountFlagName): boolean =>
  (flags & bitOf(accountFlags, name)) !== 0;
export const isTransfer = (flags: number, name: TransferFlagName): boolean =>
  (flags & bitOf(transferFlags, name)) !== 0;

interface Sums {
  readonly debits_posted: string;
  readonly credits_posted: string;
}

/** The posted debits without the posted credits: below zero on the side of credits. */
export const balanceOf = ({ debits_posted: debits, credits_posted: credits }: Sums): bigint =>
  BigInt(debits) - BigInt(credits);

/** A balance with its side: the engine has no sign. `Dr 12`, `Cr 12`, `0`. `shown` writes the digits. */
export function sided(balance: bigint, shown: (digits: string) => string = grouped): string {
  if (balance === 0n) return shown('0');
  const digits = shown((balance > 0n ? balance : -balance).toString());
  return balance > 0n ? `Dr ${digits}` : `Cr ${digits}`;
}

export const netOf = (sums: Sums): string => sided(balanceOf(sums));

interface Chained {
  readonly flags: number;
  readonly timestamp: string;
}

/**
 * Whether each row belongs to a chain of linked transfers: a run of `linked` rows, each a nanosecond after the one before, and
 * the row behind it. `rows` are in order of time, ascending or descending. A chain's rows that a filter left out are not seen.
 */
export function chainsIn(rows: readonly Chained[]): readonly (number | undefined)[] {
  const isForward = BigInt(rows[0]?.timestamp ?? 0) <= BigInt(rows.at(-1)?.timestamp ?? 0);
  const ordered = isForward ? rows : rows.toReversed();
  const chains: (number | undefined)[] = [];
  let chain = 0;
  for (const [index, row] of ordered.entries()) {
    const before = ordered[index - 1];
    const follows =
      before !== undefined &&
      isTransfer(before.flags, 'linked') &&
      BigInt(row.timestamp) === BigInt(before.timestamp) + 1n;
    if (!follows && isTransfer(row.flags, 'linked')) chain += 1;
    chains.push(follows || isTransfer(row.flags, 'linked') ? chain : undefined);
  }
  return isForward ? chains : chains.toReversed();
}

/** The chain of linked transfers that a row belongs to, in order of time; empty if it belongs to none. */
export function chainOf<T extends Chained>(rows: readonly T[], row: Chained): readonly T[] {
  const ordered = rows.toSorted((a, b) => (BigInt(a.timestamp) < BigInt(b.timestamp) ? -1 : 1));
  const chains = chainsIn(ordered);
  const chain = chains[ordered.findIndex(({ timestamp }) => timestamp === row.timestamp)];
  return chain === undefined ? [] : ordered.filter((_, index) => chains[index] === chain);
}

/** Rows as CSV with every integer as its digits. */
export function csvOf(columns: readonly string[], rows: readonly object[]): string {
  const lines = rows.map((row) =>
    columns
      .map((column) =>
        String(
          (row as Readonly<Record<string, string | number | boolean | undefined>>)[column] ?? '',
        ),
      )
      .join(','),
  );
  return `${[columns.join(','), ...lines].join('\r\n')}\r\n`;
}
