/** Whether a request's body is one that its operation takes. A body that is not costs the client its session. */
import { bodySizeMax } from './limits.ts';
import { decodeMultiBatch } from './multi-batch.ts';
import { eventMax, resultMax, shapeOf, trailerSize, type OperationShape } from './operations.ts';

/** `batchSizeLimit` is what the session was granted when it registered. */
export function inputValid(operation: number, body: Uint8Array, batchSizeLimit: number): boolean {
  const shape = shapeOf(operation);
  if (shape === undefined) return false;
  if (!shape.multiBatch) {
    if (body.length % shape.eventSize !== 0) return false;
    return fits(shape, body.length / shape.eventSize, batchSizeLimit);
  }
  const counts = decodeMultiBatch(body, shape.eventSize);
  if (counts === undefined) return false;
  let results = 0;
  let at = 0;
  for (const count of counts) {
    if (!fits(shape, count, batchSizeLimit)) return false;
    results += expectedResults(shape, body, at, count, batchSizeLimit);
    at += count * shape.eventSize;
  }
  return results * shape.resultSize + trailerSize(shape.resultSize, counts.length) <= bodySizeMax;
}

function fits(shape: OperationShape, events: number, batchSizeLimit: number): boolean {
  return shape.batchable ? events <= eventMax(shape, batchSizeLimit) : events === 1;
}

/** The most results that a batch can have: one an event, or as many as its filter's limit admits. */
function expectedResults(
  shape: OperationShape,
  body: Uint8Array,
  at: number,
  events: number,
  batchSizeLimit: number,
): number {
  if (shape.limitOffset === undefined) return events;
  const view = new DataView(body.buffer, body.byteOffset + at + shape.limitOffset, 4);
  return Math.min(view.getUint32(0, true), resultMax(shape, batchSizeLimit));
}
