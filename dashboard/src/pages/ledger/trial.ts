/** The trial balance of a ledger: over all of its accounts, debits equal credits. */
import type { Account } from '../../../../gen/api.ts';
import { balanceOf } from '../../lib/records.ts';

export interface TrialSums {
  readonly accounts: number;
  readonly debits_posted: bigint;
  readonly credits_posted: bigint;
  readonly debits_pending: bigint;
  readonly credits_pending: bigint;
  /** Sums of the balances of its accounts, each on its own side. */
  readonly debitBalances: bigint;
  readonly creditBalances: bigint;
}

interface TrialRow extends TrialSums {
  readonly code: number;
}

export interface Trial {
  /** One row for each code. */
  readonly rows: readonly TrialRow[];
  readonly total: TrialSums;
  /** Whether debits equal credits, posted and pending. */
  readonly isEven: boolean;
}

const nothing: TrialSums = {
  accounts: 0,
  debits_posted: 0n,
  credits_posted: 0n,
  debits_pending: 0n,
  credits_pending: 0n,
  debitBalances: 0n,
  creditBalances: 0n,
};

const joined = (a: TrialSums, b: TrialSums): TrialSums => ({
  accounts: a.accounts + b.accounts,
  debits_posted: a.debits_posted + b.debits_posted,
  credits_posted: a.credits_posted + b.credits_posted,
  debits_pending: a.debits_pending + b.debits_pending,
  credits_pending: a.credits_pending + b.credits_pending,
  debitBalances: a.debitBalances + b.debitBalances,
  creditBalances: a.creditBalances + b.creditBalances,
});

function rowOf(account: Account): TrialSums {
  const balance = balanceOf(account);
  return {
    accounts: 1,
    debits_posted: BigInt(account.debits_posted),
    credits_posted: BigInt(account.credits_posted),
    debits_pending: BigInt(account.debits_pending),
    credits_pending: BigInt(account.credits_pending),
    debitBalances: balance > 0n ? balance : 0n,
    creditBalances: balance < 0n ? -balance : 0n,
  };
}

/** `accounts`: all of one ledger. */
export function trialOf(accounts: readonly Account[]): Trial {
  const byCode = new Map<number, TrialSums>();
  for (const account of accounts) {
    byCode.set(account.code, joined(byCode.get(account.code) ?? nothing, rowOf(account)));
  }
  const rows = [...byCode]
    .map(([code, sums]) => ({ code, ...sums }))
    .sort((a, b) => a.code - b.code);
  const total = rows.reduce<TrialSums>(joined, nothing);
  const isEven =
    total.debits_posted === total.credits_posted && total.debits_pending === total.credits_pending;
  return { rows, total, isEven };
}
