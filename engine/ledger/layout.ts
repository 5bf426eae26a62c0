/**
 * Offsets of fields, in u32 words. Wire records are those of the client protocol (128 bytes each); rows are our own,
 * described in tables.md. An account's row is its wire record with the present balances.
 */

/** Account, both as wire record and as row. */
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

/** An expired pending transfer. */
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
} as const;

/** Amount and balances in full, for transfers and expiries with a value above 64 bits: nine u128. */
export const Wide = { words: 36, amount: 0, balances: 4 } as const;

export const BurnedId = { words: 4 } as const;

/** get_account_balances' result. */
export const AccountBalance = { words: 32, balances: 0, timestamp: 16 } as const;

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

export const ChangeEventsFilter = {
  words: 16,
  timestampMin: 0,
  timestampMax: 2,
  limit: 4,
  reserved: 5,
} as const;

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
  debitAccount: 32,
  creditAccount: 60,
  timestamp: 88,
  transferTimestamp: 90,
  debitAccountTimestamp: 92,
  creditAccountTimestamp: 94,
} as const;
