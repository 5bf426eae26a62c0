/** Values in the rows of engine/ledger/layout.ts that no client sees. */

/** Meaning of a stored transfer's spare flag bits. */
export const RowFlag = {
  /** The amount and the balances are in a row of the wide table, whose index is in the amount's first word. */
  wide: 0x200,
  debit_account_closed: 0x400,
  credit_account_closed: 0x800,
} as const;

/** Status of a pending transfer. `none` means that the transfer is not a pending one. */
export const PendingStatus = { none: 0, pending: 1, posted: 2, voided: 3, expired: 4 } as const;
