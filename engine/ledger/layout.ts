/**
 * Layouts of the ledger's rows, in u32 words as in engine/wire/records.ts; tables.md describes them. An account's row is its
 * wire record.
 */

/** Transfer as a row. */
export const Transfer = {
  words: 36,
  id: 0,
  debitAccount: 4,
  creditAccount: 5,
  /** Low 64 bits; with RowFlag.wide the first word is the wide row's index. */
  amount: 6,
  pendingTransfer: 8,
  userData32: 9,
  userData128: 10,
  userData64: 14,
  timeout: 16,
  /** code in the lower half, flags and RowFlag in the upper. */
  codeFlags: 17,
  timestamp: 18,
  /** Eight u64: the debit account's balances after the event, then the credit account's, in the account's order. */
  balances: 20,
} as const;

/** An expired pending transfer. Its accounts are the transfer's, so that loading needs no look at the transfer's row. */
export const Expiry = {
  words: 24,
  timestamp: 0,
  transfer: 2,
  /** Number of transfers when it expired, from which the order of all events can be restored. */
  transfersBefore: 3,
  /** RowFlag, in the upper half as in a transfer. */
  flags: 4,
  wide: 5,
  balances: 6,
  debitAccount: 22,
  creditAccount: 23,
} as const;

/** Amount and balances in full, for transfers and expiries with a value above 64 bits: nine u128. */
export const Wide = { words: 36, amount: 0, balances: 4 } as const;

export const BurnedId = { words: 4 } as const;

/** Number of the table of accounts in checkpoints. */
export const ACCOUNTS_TABLE = 1;
/** Accounts that leave memory are read by so many: their table has no pages of its own. */
export const ACCOUNTS_A_PAGE = 32;

/** Numbers of the tables of pages; they never change their meaning. */
export const PageTableId = { transfers: 7, wides: 8, expiries: 9, burnedIds: 10 } as const;
