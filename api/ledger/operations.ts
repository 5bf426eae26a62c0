/** The eight operations of the ledger route, with their inputs and results. */
import { bodySizeMax } from '../../engine/wire/limits.ts';
import { eventMax, Operation, resultMax, shapeOf } from '../../engine/wire/operations.ts';
import { assert } from '../../base/assert.ts';
import { account, accountFilter, balance, queryFilter, transfer, type Layout } from './layouts.ts';

export interface LedgerOperation {
  readonly name: string;
  readonly kind: 'read' | 'write';
  /** Operation code of the wire protocol. */
  readonly code: number;
  /** Contents of the body: events to create, ids to look up, or one filter. */
  readonly input:
    | { readonly kind: 'events'; readonly layout: Layout; readonly noun: string }
    | { readonly kind: 'ids' }
    | { readonly kind: 'filter'; readonly layout: Layout };
  /** Type of a reply's rows; a create operation returns statuses. */
  readonly rows: Layout | 'statuses';
  readonly eventSize: number;
  readonly resultSize: number;
}

type Declared = Omit<LedgerOperation, 'name' | 'kind' | 'eventSize' | 'resultSize'>;

const declared = {
  create_accounts: {
    code: Operation.createAccounts,
    input: { kind: 'events', layout: account, noun: 'accounts' },
    rows: 'statuses',
  },
  create_transfers: {
    code: Operation.createTransfers,
    input: { kind: 'events', layout: transfer, noun: 'transfers' },
    rows: 'statuses',
  },
  lookup_accounts: { code: Operation.lookupAccounts, input: { kind: 'ids' }, rows: account },
  lookup_transfers: { code: Operation.lookupTransfers, input: { kind: 'ids' }, rows: transfer },
  get_account_transfers: {
    code: Operation.getAccountTransfers,
    input: { kind: 'filter', layout: accountFilter },
    rows: transfer,
  },
  get_account_balances: {
    code: Operation.getAccountBalances,
    input: { kind: 'filter', layout: accountFilter },
    rows: balance,
  },
  query_accounts: {
    code: Operation.queryAccounts,
    input: { kind: 'filter', layout: queryFilter },
    rows: account,
  },
  query_transfers: {
    code: Operation.queryTransfers,
    input: { kind: 'filter', layout: queryFilter },
    rows: transfer,
  },
} as const satisfies Record<string, Declared>;
export type LedgerOperationName = keyof typeof declared;

export const ledgerOperations = Object.fromEntries(
  Object.entries(declared).map(([name, rest]) => {
    const shape = shapeOf(rest.code);
    assert(shape !== undefined && shape.multiBatch, `${name} is an operation of the wire`);
    const operation: LedgerOperation = {
      ...rest,
      name,
      kind: shape.write ? 'write' : 'read',
      eventSize: shape.eventSize,
      resultSize: shape.resultSize,
    };
    return [name, operation];
  }),
) as Record<LedgerOperationName, LedgerOperation>;

const shape = shapeOf(Operation.createTransfers);
assert(shape !== undefined, 'create_transfers is an operation of the wire');

/** Maximum events of a request and rows of an answer, in a cluster with production's batch size. */
export const eventsMax = eventMax(shape, bodySizeMax);
export const rowsMax = resultMax(shape, bodySizeMax);
export const rowsDefault = 100;
