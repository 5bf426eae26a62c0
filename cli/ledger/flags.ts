/**
 * Flag names and their bits as in TigerBeetle, for each kind of record and filter. A test proves that they equal those of the
 * API: the tool imports none of the API's code.
 */
import { usageFailure, valueFailure } from '../failure.ts';
import { nearest } from '../../base/nearest.ts';
import { readInteger } from './integers.ts';
import type { LedgerOperationName } from './operations.ts';

type FlagNames = Readonly<Record<string, number>>;

const account: FlagNames = {
  linked: 1,
  debits_must_not_exceed_credits: 2,
  credits_must_not_exceed_debits: 4,
  history: 8,
  imported: 16,
  closed: 32,
};
const transfer: FlagNames = {
  linked: 1,
  pending: 2,
  post_pending_transfer: 4,
  void_pending_transfer: 8,
  balancing_debit: 16,
  balancing_credit: 32,
  closing_debit: 64,
  closing_credit: 128,
  imported: 256,
};
const accountFilter: FlagNames = { debits: 1, credits: 2, reversed: 4 };
const queryFilter: FlagNames = { reversed: 1 };

const all = [account, transfer, accountFilter, queryFilter].flatMap((names) => Object.keys(names));

/** Empty for lookups, which take no flags. */
export const flagNames: Readonly<Record<LedgerOperationName, FlagNames>> = {
  create_accounts: account,
  create_transfers: transfer,
  lookup_accounts: {},
  lookup_transfers: {},
  get_account_transfers: accountFilter,
  get_account_balances: accountFilter,
  query_accounts: queryFilter,
  query_transfers: queryFilter,
};

/** Flags of the records that an operation returns, for people. */
export const recordFlags: Readonly<Partial<Record<LedgerOperationName, FlagNames>>> = {
  lookup_accounts: account,
  query_accounts: account,
  lookup_transfers: transfer,
  get_account_transfers: transfer,
  query_transfers: transfer,
};

/** Combined bits of all values: names, names joined with `|`, and non-negative integers. */
export function readFlags(
  values: readonly string[],
  operation: LedgerOperationName,
  bits: 16 | 32,
): number {
  let combined = 0;
  for (const value of values.flatMap((text) => text.split('|'))) {
    combined |= bitsOf(value.trim(), operation, bits);
  }
  // Unsigned, because bit 31 would make it negative.
  return combined >>> 0;
}

function bitsOf(value: string, operation: LedgerOperationName, bits: 16 | 32): number {
  if (/^[-+]?\d/.test(value)) return Number(readInteger('--flag', value, { bits }));
  const names = flagNames[operation];
  if (Object.hasOwn(names, value)) return names[value] ?? 0;
  const valid = `valid for ${operation}: ${Object.keys(names).join(', ')}, or an integer`;
  if (all.includes(value))
    throw valueFailure(`flag "${value}" does not apply to ${operation}`, valid);
  const meant = nearest(value, Object.keys(names));
  const suggestion = meant === undefined ? '' : `; did you mean "${meant}"?`;
  throw usageFailure(`unknown flag "${value}"${suggestion}`, valid);
}

/** Names of the bits; a bit without a name is shown as a number. */
export function describeFlags(flags: number, names: FlagNames): string {
  if (flags === 0) return '0';
  const known = Object.entries(names).filter(([, bit]) => (flags & bit) !== 0);
  const rest = known.reduce((left, [, bit]) => left & ~bit, flags);
  return [...known.map(([name]) => name), ...(rest === 0 ? [] : [String(rest)])].join('|');
}
