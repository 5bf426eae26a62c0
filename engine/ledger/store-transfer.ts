/** Storage of an event's outcome: the balances of both accounts after it, in 64 bits if they fit. */
import { Expiry, Transfer, Wide } from './layout.ts';
import { eventOfTransfer } from './last-event.ts';
import { Account } from '../wire/records.ts';
import type { LedgerState } from './ledger-state.ts';
import { RowFlag } from './row-values.ts';
import { AccountFlag } from '../wire/flags.ts';

/** Returns the row flags for the accounts that are closed after the event. */
export function closedFlags(
  debit: Uint32Array,
  debitAt: number,
  credit: Uint32Array,
  creditAt: number,
): number {
  const debitFlags = debit[debitAt + Account.codeFlags]! >>> 16;
  const creditFlags = credit[creditAt + Account.codeFlags]! >>> 16;
  return (
    ((debitFlags & AccountFlag.closed) === 0 ? 0 : RowFlag.debit_account_closed) |
    ((creditFlags & AccountFlag.closed) === 0 ? 0 : RowFlag.credit_account_closed)
  );
}

/** Returns whether no balance of the account exceeds 64 bits. */
export function isNarrow(account: Uint32Array, at: number): boolean {
  return (
    (account[at + Account.debitsPending + 2]! |
      account[at + Account.debitsPending + 3]! |
      account[at + Account.debitsPosted + 2]! |
      account[at + Account.debitsPosted + 3]! |
      account[at + Account.creditsPending + 2]! |
      account[at + Account.creditsPending + 3]! |
      account[at + Account.creditsPosted + 2]! |
      account[at + Account.creditsPosted + 3]!) ===
    0
  );
}

/** Copies the low 64 bits of the account's four balances to `row[to …]`. */
export function copyNarrow(row: Uint32Array, to: number, account: Uint32Array, at: number): void {
  row[to] = account[at + Account.debitsPending]!;
  row[to + 1] = account[at + Account.debitsPending + 1]!;
  row[to + 2] = account[at + Account.debitsPosted]!;
  row[to + 3] = account[at + Account.debitsPosted + 1]!;
  row[to + 4] = account[at + Account.creditsPending]!;
  row[to + 5] = account[at + Account.creditsPending + 1]!;
  row[to + 6] = account[at + Account.creditsPosted]!;
  row[to + 7] = account[at + Account.creditsPosted + 1]!;
}

/** Stores amount and balances in full; returns the wide row's index. */
export function storeWide(
  state: LedgerState,
  amount: Uint32Array,
  amountAt: number,
  accounts: { debit: number; credit: number },
): number {
  const wide = state.wides.push();
  const row = state.wides.chunkOf(wide);
  const offset = state.wides.offsetOf(wide);
  row.set(amount.subarray(amountAt, amountAt + 4), offset + Wide.amount);
  let to = offset + Wide.balances;
  for (const account of [accounts.debit, accounts.credit]) {
    const from = state.liveAccounts.offsetOf(account) + Account.debitsPending;
    row.set(state.liveAccounts.chunkOf(account).subarray(from, from + 16), to);
    to += 16;
  }
  return wide;
}

/**
 * Writes amount, flags and balances of the newest transfer's row, as the last step of its event: `row[offset …]` holds
 * everything else, and the accounts have moved already.
 */
export function storeOutcome(
  state: LedgerState,
  row: Uint32Array,
  offset: number,
  codeFlags: number,
  amount: Uint32Array,
  amountAt: number,
): void {
  const debitAccount = row[offset + Transfer.debitAccount]!;
  const creditAccount = row[offset + Transfer.creditAccount]!;
  const debit = state.liveAccounts.chunkOf(debitAccount);
  const debitAt = state.liveAccounts.offsetOf(debitAccount);
  const credit = state.liveAccounts.chunkOf(creditAccount);
  const creditAt = state.liveAccounts.offsetOf(creditAccount);
  let rowFlags = closedFlags(debit, debitAt, credit, creditAt);
  copyNarrow(row, offset + Transfer.balances, debit, debitAt);
  copyNarrow(row, offset + Transfer.balances + 8, credit, creditAt);
  if (
    (amount[amountAt + 2]! | amount[amountAt + 3]!) === 0 &&
    isNarrow(debit, debitAt) &&
    isNarrow(credit, creditAt)
  ) {
    row[offset + Transfer.amount] = amount[amountAt]!;
    row[offset + Transfer.amount + 1] = amount[amountAt + 1]!;
  } else {
    rowFlags |= RowFlag.wide;
    const accounts = { debit: debitAccount, credit: creditAccount };
    row[offset + Transfer.amount] = storeWide(state, amount, amountAt, accounts);
    row[offset + Transfer.amount + 1] = 0;
  }
  row[offset + Transfer.codeFlags] = codeFlags | (rowFlags << 16);
  const event = eventOfTransfer(state.transfers.count - 1);
  debit[debitAt + Account.reserved] = event;
  credit[creditAt + Account.reserved] = event;
}

/** Place of an event's balances: in its own row at `narrow`, or in the wide row `wide` if that is not negative. */
export interface BalancesAt {
  readonly row: Uint32Array;
  readonly narrow: number;
  readonly wide: number;
}

/** Returns the place of the balances after the transfer in `row[r …]`. */
export function transferBalances(row: Uint32Array, r: number): BalancesAt {
  const isWide = ((row[r + Transfer.codeFlags]! >>> 16) & RowFlag.wide) !== 0;
  return { row, narrow: r + Transfer.balances, wide: isWide ? row[r + Transfer.amount]! : -1 };
}

/** The same of an expiry. */
export function expiryBalances(row: Uint32Array, e: number): BalancesAt {
  const isWide = ((row[e + Expiry.flags]! >>> 16) & RowFlag.wide) !== 0;
  return { row, narrow: e + Expiry.balances, wide: isWide ? row[e + Expiry.wide]! : -1 };
}

/** Writes the four u128 balances of one side after an event: `side` 0 is the debit account's, 1 the credit account's. */
export function readBalances(
  state: LedgerState,
  { row, narrow, wide }: BalancesAt,
  side: number,
  to: Uint32Array,
  at: number,
): void {
  if (wide >= 0) {
    const from = state.wides.offsetOf(wide) + Wide.balances + side * 16;
    to.set(state.wides.chunkOf(wide).subarray(from, from + 16), at);
    return;
  }
  const from = narrow + side * 8;
  for (let i = 0; i < 4; i += 1) {
    to[at + i * 4] = row[from + i * 2]!;
    to[at + i * 4 + 1] = row[from + i * 2 + 1]!;
    to[at + i * 4 + 2] = 0;
    to[at + i * 4 + 3] = 0;
  }
}

/** Sets or clears an account's `closed`. */
export function setClosed(account: Uint32Array, at: number, isClosed: boolean): void {
  const bit = AccountFlag.closed << 16;
  const codeFlags = account[at + Account.codeFlags]!;
  account[at + Account.codeFlags] = isClosed ? codeFlags | bit : codeFlags & ~bit;
}
