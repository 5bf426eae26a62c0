/**
 * Compares the accounts of a ledger that was made up to a timestamp with the cluster's. If nothing was written since, they are equal;
 * otherwise the cluster's amounts may only be larger. This finds transfers that are in no change event.
 */
import type { StateMachine } from '../ledger/state-machine.ts';
import type { PageSource } from '../log/page-reader.ts';
import { readWhole } from '../rows/read-whole.ts';
import { Operation } from '../wire/operations.ts';
import { Account } from '../wire/records.ts';
import type { ClusterReader } from './cluster-reader.ts';
import { differs } from './compare-events.ts';

interface Compared {
  readonly reader: Pick<ClusterReader, 'accounts' | 'newest'>;
  readonly ledger: StateMachine;
  readonly pages: PageSource;
  readonly until: bigint;
}

const RECORD_SIZE = Account.words * 4;
const ID_SIZE = 16;
const ACCOUNTS_AT_ONCE = 1_024;
const POSTED = [
  ['debits_posted', Account.debitsPosted],
  ['credits_posted', Account.creditsPosted],
] as const;
const PENDING = [
  ['debits_pending', Account.debitsPending],
  ['credits_pending', Account.creditsPending],
] as const;

export async function compareAccounts({ reader, ledger, pages, until }: Compared): Promise<void> {
  const largest: string[] = [];
  let count = 0;
  const compare = async (its: readonly Uint8Array[]): Promise<void> => {
    const ids = new Uint8Array(its.length * ID_SIZE);
    for (const [place, row] of its.entries()) ids.set(row.subarray(0, ID_SIZE), place * ID_SIZE);
    const own = await readWhole({ ledger, pages }, Operation.lookupAccountsUnbatched, ids);
    if (own.length !== its.length * RECORD_SIZE) throw differs('an account is missing');
    for (const [place, row] of its.entries()) {
      const made = own.subarray(place * RECORD_SIZE, (place + 1) * RECORD_SIZE);
      const more = changeOf(made, row);
      if (more !== undefined && largest.length === 0) largest.push(more);
    }
    count += its.length;
  };
  let some: Uint8Array[] = [];
  for await (const row of reader.accounts(until)) {
    some.push(row);
    if (some.length < ACCOUNTS_AT_ONCE) continue;
    await compare(some);
    some = [];
  }
  await compare(some);
  if (count !== ledger.counts().accounts)
    throw differs(`it has ${ledger.counts().accounts} accounts, the cluster ${count}`);
  // No row came after it, from before the accounts were read until now. Expiries may have: they leave posted amounts as they are.
  if (largest.length > 0 && (await reader.newest()) <= until) throw differs(largest[0]!);
}

/** Describes the first amount in which the cluster exceeds the ledger. Throws if a posted amount is smaller: those never shrink. */
function changeOf(made: Uint8Array, its: Uint8Array): string | undefined {
  const id = u128(its, 0);
  const said = (name: string, one: bigint, other: bigint) =>
    `${name} of account ${id} is ${other} in the cluster, and the events give ${one}`;
  let change: string | undefined;
  for (const [name, word] of POSTED) {
    const [one, other] = [u128(made, word), u128(its, word)];
    if (other < one) throw differs(said(name, one, other));
    if (other > one) change ??= said(name, one, other);
  }
  for (const [name, word] of PENDING) {
    const [one, other] = [u128(made, word), u128(its, word)];
    // A smaller pending amount: an expiry has released it since.
    if (other > one) change ??= said(name, one, other);
  }
  return change;
}

function u128(bytes: Uint8Array, word: number): bigint {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return (view.getBigUint64(word * 4 + 8, true) << 64n) | view.getBigUint64(word * 4, true);
}
