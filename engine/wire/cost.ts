/** Cost of a request for its ledger: the events that it writes, or the maximum number of records in its answer. */
import { bodySizeMax } from './limits.ts';
import { decodeMultiBatch } from './multi-batch.ts';
import { resultMax, shapeOf } from './operations.ts';

/** Returns a number of events or records, at least 1. A body that is not valid costs 1: the engine refuses it. */
export function costOf(operation: number, body: Uint8Array): number {
  const shape = shapeOf(operation);
  if (shape === undefined) return 1;
  const { eventSize, multiBatch, limitOffset } = shape;
  const events = multiBatch
    ? (decodeMultiBatch(body, eventSize)?.reduce((sum, one) => sum + one, 0) ?? 0)
    : Math.floor(body.length / eventSize);
  if (limitOffset === undefined) return Math.max(1, events);
  const view = new DataView(body.buffer, body.byteOffset, body.length);
  const most = resultMax(shape, bodySizeMax);
  let records = 0;
  // One answer has room for `most` records, however many filters ask for them.
  for (let i = 0; i < events && records < most; i += 1) {
    records += view.getUint32(i * eventSize + limitOffset, true);
  }
  return Math.max(1, Math.min(records, most));
}
