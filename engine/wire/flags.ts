/** Flags with TigerBeetle's names: bits of records and of filters. */

export const AccountFlag = {
  linked: 0x01,
  debits_must_not_exceed_credits: 0x02,
  credits_must_not_exceed_debits: 0x04,
  history: 0x08,
  imported: 0x10,
  closed: 0x20,
  reserved: 0xffc0,
} as const;

export const TransferFlag = {
  linked: 0x001,
  pending: 0x002,
  post_pending_transfer: 0x004,
  void_pending_transfer: 0x008,
  balancing_debit: 0x010,
  balancing_credit: 0x020,
  closing_debit: 0x040,
  closing_credit: 0x080,
  imported: 0x100,
  reserved: 0xfe00,
} as const;

/** Flags of get_account_transfers' and get_account_balances' filter. */
export const AccountFilterFlag = { debits: 1, credits: 2, reversed: 4 } as const;

/** Flags of query_accounts' and query_transfers' filter. */
export const QueryFilterFlag = { reversed: 1 } as const;
