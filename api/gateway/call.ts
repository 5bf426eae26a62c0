/** One ledger request on its way through the gateway. */
import { assert } from '../../base/assert.ts';
import { trailerSize } from '../../engine/wire/operations.ts';
import { bodySizeMax } from '../../engine/wire/limits.ts';
import { encodeMultiBatch, splitMultiBatch } from '../../engine/wire/multi-batch.ts';
import type { WireRequest } from '../ledger/decode.ts';
import { rowsMax } from '../ledger/operations.ts';
import type { GatewayFailure, GatewayFailureCode } from './failures.ts';

export interface GatewayReply {
  /** Whole records of the operation's result. */
  readonly rows: Uint8Array;
  /** Milliseconds from sending to the answer; the wait before that counts as the gateway's time. */
  readonly ledgerMs: number;
  /** The cluster's time of the request (engine/client/client.ts). */
  readonly timestamp: bigint;
}

/** How a call went; times are of the monotonic clock. */
export interface CallCourse {
  readonly queuedAtMs: number;
  /** `undefined`: it was never sent. */
  readonly sentAtMs: number | undefined;
  readonly endedAtMs: number;
  readonly result: 'answered' | GatewayFailureCode;
  /** Number of calls in the message that it was sent in. */
  readonly together: number;
}

export interface Call {
  readonly request: WireRequest;
  /** For the log only. */
  readonly requestId: string | undefined;
  readonly queuedAtMs: number;
  /** Memory held for the call: its records, and the body that they came in. */
  readonly bytes: number;
  readonly resolve: (reply: GatewayReply) => void;
  readonly reject: (failure: GatewayFailure) => void;
  /** No caller waits for the call any more. */
  settled: boolean;
  /** The call was sent once before, in a session that had ended. */
  retried: boolean;
  /** When it was last sent, and with how many calls in one message. */
  sent: { readonly atMs: number; readonly together: number } | undefined;
  /** Called once, when the call has ended for its caller. */
  readonly onEnd: ((course: CallCourse) => void) | undefined;
}

/** Maximum number of rows in an answer to this request. */
export function rowsOf({ count, limit }: WireRequest): number {
  return limit === undefined ? count : Math.min(limit + 1, rowsMax);
}

/**
 * Takes the first call off the queue, and the later calls of the same operation that fit into the same message. So one log write
 * and one round trip serve many small requests. Each call stays a batch of its own, with its own chains and answer. Calls of
 * other operations are overtaken; that is allowed, because all of them are under way at once and no order was promised.
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
      (operation.multiBatch &&
        eventBytes + trailerSize(operation.eventSize, count) <= batchSizeLimit &&
        rowBytes + trailerSize(operation.resultSize, count) <= bodySizeMax);
    (open ? taken : left).push(call);
  }
  queue.splice(0, queue.length, ...left);
  return taken;
}

export function encodeMessage(calls: readonly Call[]): Uint8Array {
  const batches = calls.map((call) => call.request.events);
  const [first] = calls;
  assert(first !== undefined, 'a message is made of at least one call');
  const { eventSize, multiBatch } = first.request.operation;
  return multiBatch ? encodeMultiBatch(batches, eventSize) : first.request.events;
}

/** Splits a reply into the rows of each call. Returns `undefined` if the reply cannot be an answer to them. */
export function splitReply(
  calls: readonly Call[],
  reply: Uint8Array,
): readonly Uint8Array[] | undefined {
  const operation = calls[0]?.request.operation;
  if (operation === undefined) return undefined;
  const { multiBatch, resultSize } = operation;
  const whole = reply.length % resultSize === 0 ? [reply] : undefined;
  const batches = multiBatch ? splitMultiBatch(reply, resultSize) : whole;
  if (batches?.length !== calls.length) return undefined;
  const fits = calls.every(({ request }, index) => {
    const rows = (batches[index]?.length ?? 0) / resultSize;
    return operation.kind === 'write' ? rows === request.count : rows <= rowsOf(request);
  });
  return fits ? batches : undefined;
}
