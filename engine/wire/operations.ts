/** Operation codes and what their bodies are made of. Codes below 128 belong to the protocol, the rest to the ledger. */
import { bodySizeMax } from './limits.ts';

export const Operation = {
  register: 2,
  /** In the log only: the replicas go on by other rules (engine/replica/rules.ts). */
  upgrade: 5,
  noop: 6,
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

/** How a ledger operation's request and reply are laid out. */
export interface OperationShape {
  /** Bytes of one event (an account, an id, a filter) and of one result. */
  readonly eventSize: number;
  readonly resultSize: number;
  /** The body is a multi-batch (see multi-batch.ts), the reply too. */
  readonly multiBatch: boolean;
  /** A batch holds any number of events; otherwise exactly one filter. */
  readonly batchable: boolean;
  /** Changes the ledger, hence is logged. */
  readonly write: boolean;
  /** Byte offset of the filter's `limit` (u32), for operations that take a filter. */
  readonly limitOffset?: number;
}

const create = (resultSize: number, multiBatch: boolean): OperationShape => ({
  eventSize: 128,
  resultSize,
  multiBatch,
  batchable: true,
  write: true,
});
const lookup = (multiBatch: boolean): OperationShape => ({
  eventSize: 16,
  resultSize: 128,
  multiBatch,
  batchable: true,
  write: false,
});
const filter = (
  eventSize: number,
  limitOffset: number,
  multiBatch: boolean,
  resultSize = 128,
): OperationShape => ({
  eventSize,
  resultSize,
  multiBatch,
  batchable: false,
  write: false,
  limitOffset,
});

const shapes: ReadonlyMap<number, OperationShape> = new Map<number, OperationShape>([
  [Operation.createAccountsUnbatched, create(8, false)],
  [Operation.createTransfersUnbatched, create(8, false)],
  [Operation.lookupAccountsUnbatched, lookup(false)],
  [Operation.lookupTransfersUnbatched, lookup(false)],
  [Operation.getAccountTransfersUnbatched, filter(128, 120, false)],
  [Operation.getAccountBalancesUnbatched, filter(128, 120, false)],
  [Operation.queryAccountsUnbatched, filter(64, 56, false)],
  [Operation.queryTransfersUnbatched, filter(64, 56, false)],
  [Operation.getChangeEvents, filter(64, 16, false, 384)],
  [Operation.createAccountsSparse, create(8, true)],
  [Operation.createTransfersSparse, create(8, true)],
  [Operation.lookupAccounts, lookup(true)],
  [Operation.lookupTransfers, lookup(true)],
  [Operation.getAccountTransfers, filter(128, 120, true)],
  [Operation.getAccountBalances, filter(128, 120, true)],
  [Operation.queryAccounts, filter(64, 56, true)],
  [Operation.queryTransfers, filter(64, 56, true)],
  [Operation.createAccounts, create(16, true)],
  [Operation.createTransfers, create(16, true)],
]);

/** The shape of an operation that a client may send to the ledger; undefined for every other code. */
export function shapeOf(operation: number): OperationShape | undefined {
  return shapes.get(operation);
}

/** Bytes of a multi-batch's trailer of `batches` batches of elements of `elementSize` bytes. */
export function trailerSize(elementSize: number, batches: number): number {
  return Math.ceil((2 * batches + 2) / elementSize) * elementSize;
}

/** The most events that one batch may hold when bodies may have `batchSizeLimit` bytes. */
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

/** The most results that a reply to one batch may hold. Replies are bounded by a message, never by the batch limit. */
export function resultMax(shape: OperationShape, batchSizeLimit: number): number {
  if (shape.batchable) return eventMax(shape, batchSizeLimit);
  const room = shape.multiBatch ? bodySizeMax - trailerSize(shape.resultSize, 1) : bodySizeMax;
  return Math.floor(room / shape.resultSize);
}
