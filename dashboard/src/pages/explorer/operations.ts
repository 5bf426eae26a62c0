/** The reading operations of the ledger, with the fields that each takes. */
export const operations = {
  query_accounts: {
    title: 'Query accounts',
    rows: 'account',
    fields: ['ledger', 'code', 'userData', 'range', 'limit', 'reversed'],
  },
  query_transfers: {
    title: 'Query transfers',
    rows: 'transfer',
    fields: ['ledger', 'code', 'userData', 'range', 'limit', 'reversed'],
  },
  get_account_transfers: {
    title: 'Transfers of an account',
    rows: 'transfer',
    fields: ['account_id', 'sides', 'code', 'userData', 'range', 'limit', 'reversed'],
  },
  get_account_balances: {
    title: 'Balances of an account',
    rows: 'balance',
    fields: ['account_id', 'sides', 'code', 'userData', 'range', 'limit', 'reversed'],
  },
  lookup_accounts: { title: 'Accounts by ID', rows: 'account', fields: ['ids'] },
  lookup_transfers: { title: 'Transfers by ID', rows: 'transfer', fields: ['ids'] },
} as const satisfies Readonly<
  Record<
    string,
    { title: string; rows: 'account' | 'transfer' | 'balance'; fields: readonly Field[] }
  >
>;

export type Field =
  | 'account_id'
  | 'ids'
  | 'sides'
  | 'ledger'
  | 'code'
  | 'userData'
  | 'range'
  | 'limit'
  | 'reversed';
export type OperationName = keyof typeof operations;
export const operationNames = Object.keys(operations) as OperationName[];

export const takes = (operation: OperationName, field: Field): boolean =>
  (operations[operation].fields as readonly Field[]).includes(field);
