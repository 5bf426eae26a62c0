/** The tool's table of the eight operations of the ledger route. */
export const ledgerOperations = [
  { command: 'create-accounts', name: 'create_accounts', kind: 'write' },
  { command: 'create-transfers', name: 'create_transfers', kind: 'write' },
  { command: 'lookup-accounts', name: 'lookup_accounts', kind: 'read' },
  { command: 'lookup-transfers', name: 'lookup_transfers', kind: 'read' },
  { command: 'get-account-transfers', name: 'get_account_transfers', kind: 'read' },
  { command: 'get-account-balances', name: 'get_account_balances', kind: 'read' },
  { command: 'query-accounts', name: 'query_accounts', kind: 'read' },
  { command: 'query-transfers', name: 'query_transfers', kind: 'read' },
] as const;
export type LedgerOperation = (typeof ledgerOperations)[number];
export type LedgerOperationName = LedgerOperation['name'];
