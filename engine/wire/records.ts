/**
 * Layouts of records and filters on the wire: those of TigerBeetle 0.17. Numbers are u32 words: `words` is the size, the others are
 * offsets. A row of the ledger's account table has the layout of an account, with the present balances.
 */

/** Account, as wire record and as row. */
export const Account = {
  words: 32,
  id: 0,
  debitsPending: 4,
  debitsPosted: 8,
  creditsPending: 12,
  creditsPosted: 16,
  userData128: 20,
  userData64: 24,
  userData32: 26,
  /** Must be zero on the wire. In memory it is 1 if the account was created closed. */
  reserved: 27,
  ledger: 28,
  /** code in the lower half, flags in the upper. */
  codeFlags: 29,
  timestamp: 30,
} as const;

/** Transfer on the wire. */
export const WireTransfer = {
  words: 32,
  id: 0,
  debitAccountId: 4,
  creditAccountId: 8,
  amount: 12,
  pendingId: 16,
  userData128: 20,
  userData64: 24,
  userData32: 26,
  timeout: 27,
  ledger: 28,
  codeFlags: 29,
  timestamp: 30,
} as const;

/** Result of get_account_balances. */
export const AccountBalance = {
  words: 32,
  debitsPending: 0,
  debitsPosted: 4,
  creditsPending: 8,
  creditsPosted: 12,
  timestamp: 16,
} as const;

/** Filter of get_account_transfers and get_account_balances. */
export const AccountFilter = {
  words: 32,
  accountId: 0,
  userData128: 4,
  userData64: 8,
  userData32: 10,
  /** The upper half is the first two reserved bytes. */
  code: 11,
  reserved: 12,
  timestampMin: 26,
  timestampMax: 28,
  limit: 30,
  flags: 31,
} as const;

/** Filter of query_accounts and query_transfers. */
export const QueryFilter = {
  words: 16,
  userData128: 0,
  userData64: 4,
  userData32: 6,
  ledger: 7,
  /** The upper half is the first two reserved bytes. */
  code: 8,
  reserved: 9,
  timestampMin: 10,
  timestampMax: 12,
  limit: 14,
  flags: 15,
} as const;

/** Filter of get_change_events. */
export const ChangeEventsFilter = {
  words: 16,
  timestampMin: 0,
  timestampMax: 2,
  limit: 4,
  reserved: 5,
} as const;

/** Result of get_change_events. */
export const ChangeEvent = {
  words: 96,
  transferId: 0,
  transferAmount: 4,
  transferPendingId: 8,
  transferUserData128: 12,
  transferUserData64: 16,
  transferUserData32: 18,
  transferTimeout: 19,
  transferCodeFlags: 20,
  ledger: 21,
  type: 22,
  reserved: 23,
  debitAccount: 32,
  creditAccount: 60,
  timestamp: 88,
  transferTimestamp: 90,
  debitAccountTimestamp: 92,
  creditAccountTimestamp: 94,
} as const;
