/** Flags of the ledger's records, in TigerBeetle's words, and what follows from them. */
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

/** Names of the bits; bits that this version does not know stay a number. */
function namesIn(flags: number, known: Flags): readonly string[] {
  const names = known.filter(([bit]) => (flags & bit) !== 0).map(([, name]) => name);
  const rest = known.reduce((left, [bit]) => left & ~bit, flags);
  return rest === 0 ? names : [...names, `0x${rest.toString(16)}`];
}

export const accountFlagNames = (flags: number) => namesIn(flags, accountFlags);
export const transferFlagNames = (flags: number) => namesIn(flags, transferFlags);

export const isLinked = (flags: number): boolean => (flags & 1) !== 0;

interface Sums {
  readonly debits_posted: string;
  readonly credits_posted: string;
}

/** The posted balance with its side: the engine has no sign. `Dr 12`, `Cr 12`, `0`. */
export function netOf({ debits_posted: debits, credits_posted: credits }: Sums): string {
  const net = BigInt(debits) - BigInt(credits);
  if (net === 0n) return '0';
  return net > 0n ? `Dr ${grouped(net.toString())}` : `Cr ${grouped((-net).toString())}`;
}

interface Chained {
  readonly flags: number;
  readonly timestamp: string;
}

/**
 * Whether each row belongs to a chain of linked transfers: a run of `linked` rows, each a nanosecond after the one before, and
 * the row behind it. `rows` are in order of time, either way. Members that a filter left out are not seen.
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
      isLinked(before.flags) &&
      BigInt(row.timestamp) === BigInt(before.timestamp) + 1n;
    if (!follows && isLinked(row.flags)) chain += 1;
    chains.push(follows || isLinked(row.flags) ? chain : undefined);
  }
  return isForward ? chains : chains.toReversed();
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
