/**
 * Several batches in one body:
 *
 *     payload: the batches one after another │ FF padding │ count[n-1] … count[1] count[0] │ n
 *                                            └───────── trailer, whole elements ──────────┘
 *
 * The counts (u16, elements of a batch) are in reverse order, so that the first batch's count is next to n. Padding is
 * checked.
 */
import { trailerSize } from './operations.ts';

/** Maximum number of batches in a body: 65535 is not allowed. */
const batchesMax = 65_534;

/** Returns the element counts of the batches, in order, or `undefined` if the body is not a valid multi-batch. */
export function decodeMultiBatch(
  body: Uint8Array,
  elementSize: number,
): readonly number[] | undefined {
  if (body.length < 4 || body.length % elementSize !== 0) return undefined;
  const batches = u16(body, body.length - 2);
  if (batches < 1 || batches > batchesMax) return undefined;
  const trailer = trailerSize(elementSize, batches);
  if (trailer > body.length) return undefined;
  const counts: number[] = [];
  let elements = 0;
  for (let i = 0; i < batches; i += 1) {
    const count = u16(body, body.length - 4 - 2 * i);
    counts.push(count);
    elements += count;
  }
  if (elements * elementSize !== body.length - trailer) return undefined;
  const used = 2 * batches + 2;
  for (let at = body.length - trailer; at < body.length - used; at += 1) {
    if (body[at] !== 0xff) return undefined;
  }
  return counts;
}

/** Writes the trailer for `counts` after the `payloadSize` bytes that are in `body` already. Returns the body's size. */
export function writeTrailer(
  body: Uint8Array,
  payloadSize: number,
  elementSize: number,
  counts: readonly number[],
): number {
  const size = payloadSize + trailerSize(elementSize, counts.length);
  body.fill(0xff, payloadSize, size - 2 * counts.length - 2);
  putU16(body, size - 2, counts.length);
  for (let i = 0; i < counts.length; i += 1) putU16(body, size - 4 - 2 * i, counts[i] ?? 0);
  return size;
}

/** Returns a body of the given batches. Each batch must consist of whole elements. */
export function encodeMultiBatch(batches: readonly Uint8Array[], elementSize: number): Uint8Array {
  const payload = batches.reduce((sum, batch) => sum + batch.length, 0);
  const body = new Uint8Array(payload + trailerSize(elementSize, batches.length));
  let at = 0;
  for (const batch of batches) {
    body.set(batch, at);
    at += batch.length;
  }
  const counts = batches.map((batch) => batch.length / elementSize);
  writeTrailer(body, payload, elementSize, counts);
  return body;
}

/** Returns the batches of a body as views into it, or `undefined` if it is not valid. */
export function splitMultiBatch(
  body: Uint8Array,
  elementSize: number,
): readonly Uint8Array[] | undefined {
  const counts = decodeMultiBatch(body, elementSize);
  let at = 0;
  return counts?.map((count) => body.subarray(at, (at += count * elementSize)));
}

const u16 = (bytes: Uint8Array, at: number) => (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8);

function putU16(bytes: Uint8Array, at: number, value: number): void {
  bytes[at] = value & 0xff;
  bytes[at + 1] = value >>> 8;
}
