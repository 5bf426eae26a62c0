/**
 * Foresees the ledger's answer to transfers from the current state of their accounts: the statuses, and the balances
 * afterwards.
 */
import type { Account } from '../../../../gen/api.ts';
import { most128 } from '../../lib/digits.ts';
import { isAccount } from '../../lib/records.ts';
import type { Planned } from './compose.ts';

const sumNames = ['debits_pending', 'debits_posted', 'credits_pending', 'credits_posted'] as const;
type SumName = (typeof sumNames)[number];
export type AccountSums = Readonly<Record<SumName, string>>;

interface Foreseen {
  /** By transfer: `created`, or the status of its failure. */
  readonly statuses: readonly string[];
  /** By account ID: its sums after the transfers. Missing accounts are absent. */
  readonly after: ReadonlyMap<string, AccountSums>;
}

type Known = Pick<Account, 'id' | 'ledger' | 'flags' | SumName>;

/**
 * Returns the ledger's answer to new transfers, linked or not, and the balances afterwards, given the current `accounts` of all
 * transfers (those that exist).
 */
export function foresee(transfers: readonly Planned[], accounts: readonly Known[]): Foreseen {
  const all = new Map(accounts.map((one) => [one.id, one]));
  const sums = new Map(accounts.map((one) => [one.id, sumsOf(one)]));
  const statuses: string[] = [];
  for (const chain of chainsOf(transfers)) {
    const before = new Map([...sums].map(([id, one]) => [id, { ...one }]));
    const found = chain.map((transfer) => applied(transfer, all, sums));
    const failed = found.findIndex((status) => status !== 'created');
    if (failed === -1) statuses.push(...found);
    else {
      for (const [id, one] of before) sums.set(id, one);
      statuses.push(
        ...found.map((status, index) => (index === failed ? status : 'linked_event_failed')),
      );
    }
  }
  return {
    statuses,
    after: new Map([...sums].map(([id, one]) => [id, shownSums(one)])),
  };
}

function chainsOf(transfers: readonly Planned[]): readonly (readonly Planned[])[] {
  const chains: Planned[][] = [[]];
  for (const transfer of transfers) {
    chains.at(-1)?.push(transfer);
    if (!transfer.flags.includes('linked')) chains.push([]);
  }
  return chains.filter(({ length }) => length > 0);
}

type Sums = Record<SumName, bigint>;
const sumsOf = (account: Known): Sums => ({
  debits_pending: BigInt(account.debits_pending),
  debits_posted: BigInt(account.debits_posted),
  credits_pending: BigInt(account.credits_pending),
  credits_posted: BigInt(account.credits_posted),
});
const shownSums = (sums: Sums): AccountSums => ({
  debits_pending: sums.debits_pending.toString(),
  debits_posted: sums.debits_posted.toString(),
  credits_pending: sums.credits_pending.toString(),
  credits_posted: sums.credits_posted.toString(),
});

/** Applies a transfer to the sums, in the order of the ledger's checks; changes nothing when it fails. */
function applied(
  transfer: Planned,
  accounts: ReadonlyMap<string, Known>,
  sums: ReadonlyMap<string, Sums>,
): string {
  const { debit_account_id: debitId, credit_account_id: creditId } = transfer;
  if (debitId === creditId) return 'accounts_must_be_different';
  const debit = accounts.get(debitId);
  const credit = accounts.get(creditId);
  const debitSums = sums.get(debitId);
  const creditSums = sums.get(creditId);
  if (debit === undefined || debitSums === undefined) return 'debit_account_not_found';
  if (credit === undefined || creditSums === undefined) return 'credit_account_not_found';
  if (debit.ledger !== credit.ledger) return 'accounts_must_have_the_same_ledger';
  if (transfer.ledger !== debit.ledger.toString())
    return 'transfer_must_have_the_same_ledger_as_accounts';
  if (isAccount(debit.flags, 'closed')) return 'debit_account_already_closed';
  if (isAccount(credit.flags, 'closed')) return 'credit_account_already_closed';
  const amount = BigInt(transfer.amount);
  const state = transfer.flags.includes('pending') ? 'pending' : 'posted';
  if (debitSums[`debits_${state}`] + amount > most128) return `overflows_debits_${state}`;
  if (creditSums[`credits_${state}`] + amount > most128) return `overflows_credits_${state}`;
  const debits = debitSums.debits_pending + debitSums.debits_posted + amount;
  const credits = creditSums.credits_pending + creditSums.credits_posted + amount;
  if (debits > most128) return 'overflows_debits';
  if (credits > most128) return 'overflows_credits';
  const isDebitBounded = isAccount(debit.flags, 'debits_must_not_exceed_credits');
  if (isDebitBounded && debits > debitSums.credits_posted) return 'exceeds_credits';
  const isCreditBounded = isAccount(credit.flags, 'credits_must_not_exceed_debits');
  if (isCreditBounded && credits > creditSums.debits_posted) return 'exceeds_debits';
  debitSums[`debits_${state}`] += amount;
  creditSums[`credits_${state}`] += amount;
  return 'created';
}

/** Statuses in words; others are shown as the ledger names them. */
const words: Readonly<Record<string, string>> = {
  created: 'is made',
  exists: 'was there already, the same',
  linked_event_failed: 'another one of the chain fails',
  accounts_must_be_different: 'both accounts are the same',
  debit_account_not_found: 'the debit account does not exist',
  credit_account_not_found: 'the credit account does not exist',
  accounts_must_have_the_same_ledger: 'the accounts are of different ledgers',
  transfer_must_have_the_same_ledger_as_accounts: 'the accounts are of another ledger',
  debit_account_already_closed: 'the debit account is closed',
  credit_account_already_closed: 'the credit account is closed',
  exceeds_credits: 'the debit account may not be debited more than it is credited',
  exceeds_debits: 'the credit account may not be credited more than it is debited',
  id_already_failed: 'its ID was used for a transfer that failed; a new draft gets another',
};

export const statusWords = (status: string): string => words[status] ?? status.replaceAll('_', ' ');
