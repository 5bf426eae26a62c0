/** One request of the ledger on its way through the gateway. */
import { assert } from '../../base/assert.ts';
import { trailerSize } from '../../engine/wire/operations.ts';
import { bodySizeMax } from '../../engine/wire/limits.ts';
import { encodeMultiBatch, splitMultiBatch } from '../../engine/wire/multi-batch.ts';
import type { LedgerRequest } from '../ledger/decode.ts';
import { rowsMax } from '../ledger/operations.ts';
import type { GatewayFailure } from './failures.ts';

export interface GatewayReply {
  /** Whole records of the operation's result. */
  readonly rows: Uint8Array;
  /** From sending to the answer; what it waited before is the gateway's. */
  readonly ledgerMs: number;
}

export interface Call {
  readonly request: LedgerRequest;
  /** For the log only. */
  readonly requestId: string | undefined;
  readonly queuedAtMs: number;
  /** Memory that is kept for it: its records, and the body that they came in. */
  readonly bytes: number;
  readonly resolve: (reply: GatewayReply) => void;
  readonly reject: (failure: GatewayFailure) => void;
  /** Nobody waits for it any more. */
  settled: boolean;
  /** It was sent once before, to a session that had ended. */
  retried: boolean;
}

/** Rows that an answer to this request may have at most. */
export function rowsOf({ count, limit }: LedgerRequest): number {
  return limit === undefined ? count : Math.min(limit + 1, rowsMax);
}

/**
 * Takes the first call off the queue, and with it those behind it of the same operation that fit into one message: so one
 * log write and one round trip serve many small requests. Each call stays a batch of its own, hence chains and answers do.
 * Calls of other operations are overtaken; all of them are under way at once, and nobody was promised an order.
 */
export function takeMessage(queue: Call[], batchSizeLimit: number): Call[] {
  const [first] = queue;
  assert(first !== undefined, 'a message is made of at least one call');
  const { operation } = first.request;
  const taken: Call[] = [];
  const left: Call[] = [];
  let eventBytes = 0;
  let rowBytes = 0;
  let open = true;
  for (const call of queue) {
    if (!open || call.request.operation !== operation) {
      left.push(call);
      continue;
    }
    eventBytes += call.request.events.length;
    rowBytes += rowsOf(call.request) * operation.resultSize;
    const count = taken.length + 1;
    open =
      taken.length === 0 ||
      (eventBytes + trailerSize(operation.eventSize, count) <= batchSizeLimit &&
        rowBytes + trailerSize(operation.resultSize, count) <= bodySizeMax);
    (open ? taken : left).push(call);
  }
  queue.splice(0, queue.length, ...left);
  return taken;
}

export function encodeMessage(calls: readonly Call[]): Uint8Array {
  const batches = calls.map((call) => call.request.events);
  return encodeMultiBatch(batches, calls[0]?.request.operation.eventSize ?? 1);
}

/** The rows of each call, or undefined when the reply cannot be an answer to them. */
export function splitReply(
  calls: readonly Call[],
  reply: Uint8Array,
): readonly Uint8Array[] | undefined {
  const operation = calls[0]?.request.operation;
  if (operation === undefined) return undefined;
  const batches = splitMultiBatch(reply, operation.resultSize);
  if (batches?.length !== calls.length) return undefined;
  const fits = calls.every(({ request }, index) => {
    const rows = (batches[index]?.length ?? 0) / operation.resultSize;
    return operation.kind === 'write' ? rows === request.count : rows <= rowsOf(request);
  });
  return fits ? batches : undefined;
}
