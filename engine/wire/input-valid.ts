/** Check of a request's body against its operation. An invalid body costs the client its session. */
import { bodySizeMax } from './limits.ts';
import { decodeMultiBatch } from './multi-batch.ts';
import { eventMax, resultMax, shapeOf, trailerSize, type OperationShape } from './operations.ts';

/** Returns whether the body is valid. `batchSizeLimit` (bytes) was granted to the session when it registered. */
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

/** Returns the maximum number of results of a batch: one for each event, or as many as its filter's limit allows. */
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
