/** The eight operations of the ledger route, with their inputs and results, and the one that reads change events. */
import { bodySizeMax } from '../../engine/wire/limits.ts';
import { eventMax, Operation, resultMax, shapeOf } from '../../engine/wire/operations.ts';
import { assert } from '../../base/assert.ts';
import { account, accountFilter, balance, queryFilter, transfer, type Layout } from './layouts.ts';

/** The gateway's view of an operation. */
export interface WireOperation {
  readonly name: string;
  readonly kind: 'read' | 'write';
  /** Operation code of the wire protocol. */
  readonly code: number;
  readonly eventSize: number;
  readonly resultSize: number;
  /** Several requests may share one message. */
  readonly multiBatch: boolean;
}

export interface LedgerOperation extends WireOperation {
  /** Contents of the body: events to create, ids to look up, or one filter. */
  readonly input:
    | { readonly kind: 'events'; readonly layout: Layout; readonly noun: string }
    | { readonly kind: 'ids' }
    | { readonly kind: 'filter'; readonly layout: Layout };
  /** Type of a reply's rows; a create operation returns statuses. */
  readonly rows: Layout | 'statuses';
}

type Declared = Pick<LedgerOperation, 'code' | 'input' | 'rows'>;

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
    const operation: LedgerOperation = { ...rest, ...wireOperation(name, rest.code) };
    assert(operation.multiBatch, `${name} takes several requests in a message`);
    return [name, operation];
  }),
) as Record<LedgerOperationName, LedgerOperation>;

/** Reads the events of a ledger in the order of their timestamps; it is no operation of the ledger route. */
export const getChangeEvents: WireOperation = wireOperation(
  'get_change_events',
  Operation.getChangeEvents,
);

function wireOperation(name: string, code: number): WireOperation {
  const shape = shapeOf(code);
  assert(shape !== undefined, `${name} is an operation of the wire`);
  const { eventSize, resultSize, multiBatch } = shape;
  return { name, code, kind: shape.write ? 'write' : 'read', eventSize, resultSize, multiBatch };
}

const shape = shapeOf(Operation.createTransfers);
assert(shape !== undefined, 'create_transfers is an operation of the wire');

/** Maximum events of a request and rows of an answer, in a cluster with production's batch size. */
export const eventsMax = eventMax(shape, bodySizeMax);
export const rowsMax = resultMax(shape, bodySizeMax);
export const rowsDefault = 100;
