/** Action of the state machine for each operation code. engine/wire defines the layout. */
import { assert } from '../../base/assert.ts';
import { Operation, type OperationShape, shapeOf } from '../wire/operations.ts';

export const Action = {
  createAccounts: 0,
  createTransfers: 1,
  lookupAccounts: 2,
  lookupTransfers: 3,
  getAccountTransfers: 4,
  getAccountBalances: 5,
  queryAccounts: 6,
  queryTransfers: 7,
  getChangeEvents: 8,
} as const;
export type Action = (typeof Action)[keyof typeof Action];

export interface LedgerOperation {
  readonly action: Action;
  readonly shape: OperationShape;
}

const actions: ReadonlyMap<number, Action> = new Map<number, Action>([
  [Operation.createAccountsUnbatched, Action.createAccounts],
  [Operation.createTransfersUnbatched, Action.createTransfers],
  [Operation.lookupAccountsUnbatched, Action.lookupAccounts],
  [Operation.lookupTransfersUnbatched, Action.lookupTransfers],
  [Operation.getAccountTransfersUnbatched, Action.getAccountTransfers],
  [Operation.getAccountBalancesUnbatched, Action.getAccountBalances],
  [Operation.queryAccountsUnbatched, Action.queryAccounts],
  [Operation.queryTransfersUnbatched, Action.queryTransfers],
  [Operation.getChangeEvents, Action.getChangeEvents],
  [Operation.createAccountsSparse, Action.createAccounts],
  [Operation.createTransfersSparse, Action.createTransfers],
  [Operation.lookupAccounts, Action.lookupAccounts],
  [Operation.lookupTransfers, Action.lookupTransfers],
  [Operation.getAccountTransfers, Action.getAccountTransfers],
  [Operation.getAccountBalances, Action.getAccountBalances],
  [Operation.queryAccounts, Action.queryAccounts],
  [Operation.queryTransfers, Action.queryTransfers],
  [Operation.createAccounts, Action.createAccounts],
  [Operation.createTransfers, Action.createTransfers],
]);

/** Returns the operation of a request, which must be valid. */
export function ledgerOperation(code: number): LedgerOperation {
  const action = actions.get(code);
  const shape = shapeOf(code);
  assert(action !== undefined && shape !== undefined, 'a request has an operation of the ledger');
  return { action, shape };
}
