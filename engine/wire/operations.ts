/** Operation codes and the layout of their bodies. Codes below 128 belong to the protocol, the rest to the ledger. */
import { bodySizeMax } from './limits.ts';
import { Account, AccountFilter, ChangeEvent, ChangeEventsFilter, QueryFilter } from './records.ts';

export const Operation = {
  register: 2,
  /** Only in the log: moves the replicas to other rules (engine/replica/rules.ts). */
  upgrade: 5,
  noop: 6,
  /** Only in the log: pauses writes (engine/replica/write-pause.ts). */
  pause: 7,
  pulse: 128,
  createAccountsUnbatched: 129,
  createTransfersUnbatched: 130,
  lookupAccountsUnbatched: 131,
  lookupTransfersUnbatched: 132,
  getAccountTransfersUnbatched: 133,
  getAccountBalancesUnbatched: 134,
  queryAccountsUnbatched: 135,
  queryTransfersUnbatched: 136,
  getChangeEvents: 137,
  createAccountsSparse: 138,
  createTransfersSparse: 139,
  lookupAccounts: 140,
  lookupTransfers: 141,
  getAccountTransfers: 142,
  getAccountBalances: 143,
  queryAccounts: 144,
  queryTransfers: 145,
  createAccounts: 146,
  createTransfers: 147,
} as const;
export type Operation = (typeof Operation)[keyof typeof Operation];

/** Layout of a ledger operation's request and reply. */
export interface OperationShape {
  /** Bytes of one event (an account, an id, a filter) and of one result. */
  readonly eventSize: number;
  readonly resultSize: number;
  /** True if body and reply are multi-batches (see multi-batch.ts). */
  readonly multiBatch: boolean;
  /** True if a batch holds any number of events; otherwise it holds exactly one filter. */
  readonly batchable: boolean;
  /** True if the operation changes the ledger, and so is logged. */
  readonly write: boolean;
  /** Byte offset of the filter's `limit` (u32), for operations that take a filter. */
  readonly limitOffset?: number;
}

/** Bytes of a record. */
const size = ({ words }: { readonly words: number }): number => words * 4;

const recordSize = size(Account);

const create = (resultSize: number, multiBatch: boolean): OperationShape => ({
  eventSize: recordSize,
  resultSize,
  multiBatch,
  batchable: true,
  write: true,
});
const lookup = (multiBatch: boolean): OperationShape => ({
  eventSize: 16,
  resultSize: recordSize,
  multiBatch,
  batchable: true,
  write: false,
});
const filter = (
  layout: { readonly words: number; readonly limit: number },
  multiBatch: boolean,
  resultSize = recordSize,
): OperationShape => ({
  eventSize: size(layout),
  resultSize,
  multiBatch,
  batchable: false,
  write: false,
  limitOffset: layout.limit * 4,
});

const shapes: ReadonlyMap<number, OperationShape> = new Map<number, OperationShape>([
  [Operation.createAccountsUnbatched, create(8, false)],
  [Operation.createTransfersUnbatched, create(8, false)],
  [Operation.lookupAccountsUnbatched, lookup(false)],
  [Operation.lookupTransfersUnbatched, lookup(false)],
  [Operation.getAccountTransfersUnbatched, filter(AccountFilter, false)],
  [Operation.getAccountBalancesUnbatched, filter(AccountFilter, false)],
  [Operation.queryAccountsUnbatched, filter(QueryFilter, false)],
  [Operation.queryTransfersUnbatched, filter(QueryFilter, false)],
  [Operation.getChangeEvents, filter(ChangeEventsFilter, false, size(ChangeEvent))],
  [Operation.createAccountsSparse, create(8, true)],
  [Operation.createTransfersSparse, create(8, true)],
  [Operation.lookupAccounts, lookup(true)],
  [Operation.lookupTransfers, lookup(true)],
  [Operation.getAccountTransfers, filter(AccountFilter, true)],
  [Operation.getAccountBalances, filter(AccountFilter, true)],
  [Operation.queryAccounts, filter(QueryFilter, true)],
  [Operation.queryTransfers, filter(QueryFilter, true)],
  [Operation.createAccounts, create(16, true)],
  [Operation.createTransfers, create(16, true)],
]);

/** Returns the shape of an operation that a client may send to the ledger, or `undefined` for every other code. */
export function shapeOf(operation: number): OperationShape | undefined {
  return shapes.get(operation);
}

/** Returns whether an operation changes nothing: it is not logged, and may be executed any number of times. */
export const isRead = (operation: number): boolean => shapeOf(operation)?.write === false;

/** Returns the bytes of a multi-batch's trailer for `batches` batches with elements of `elementSize` bytes. */
export function trailerSize(elementSize: number, batches: number): number {
  return Math.ceil((2 * batches + 2) / elementSize) * elementSize;
}

/** Returns the maximum number of events in a batch if bodies may have `batchSizeLimit` bytes. */
export function eventMax(
  { eventSize, resultSize, multiBatch }: OperationShape,
  batchSizeLimit: number,
): number {
  if (!multiBatch)
    return Math.min(Math.floor(batchSizeLimit / eventSize), Math.floor(bodySizeMax / resultSize));
  return Math.min(
    Math.floor((batchSizeLimit - trailerSize(eventSize, 1)) / eventSize),
    Math.floor((bodySizeMax - trailerSize(resultSize, 1)) / resultSize),
  );
}

/** Returns the maximum number of results in a reply to one batch. The message size bounds replies, not the batch limit. */
export function resultMax(shape: OperationShape, batchSizeLimit: number): number {
  if (shape.batchable) return eventMax(shape, batchSizeLimit);
  const room = shape.multiBatch ? bodySizeMax - trailerSize(shape.resultSize, 1) : bodySizeMax;
  return Math.floor(room / shape.resultSize);
}
