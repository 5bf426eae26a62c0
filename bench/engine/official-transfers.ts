/** Transfers of 1 between the 10,000 accounts of a benchmark, for the official Node.js client. Each has an ID of its own. */
export function officialTransfers() {
  let id = 1n << 100n;
  return () => ({
    id: (id += 1n),
    debit_account_id: 1n + (id % 5000n),
    credit_account_id: 5001n + (id % 5000n),
    amount: 1n,
    pending_id: 0n,
    user_data_128: 0n,
    user_data_64: 0n,
    user_data_32: 0,
    timeout: 0,
    ledger: 1,
    code: 1,
    flags: 0,
    timestamp: 0n,
  });
}
