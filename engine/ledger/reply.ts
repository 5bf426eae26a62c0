/**
 * Batches of a request's body, and a reply body that grows record by record, in one buffer that is used again and again.
 *
 *   body = records of all batches ‖ 0xFF … ‖ count[n-1] … count[0] ‖ n      (u16 each; the trailer is whole elements)
 */
import { assert } from '../../base/assert.ts';
import { Framing, type Operation } from './operations.ts';
import { CREATED } from './status.ts';

/** The protocol's message without its header. */
export const BODY_BYTES_MAX = 1024 * 1024 - 256;

/** How many elements each batch of a valid body has. */
export function batchCounts(operation: Operation, body: Uint8Array): readonly number[] {
  if (operation.framing === Framing.raw) return [body.length / operation.eventBytes];
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
  const batches = view.getUint16(body.length - 2, true);
  return Array.from({ length: batches }, (_, i) => view.getUint16(body.length - 4 - i * 2, true));
}

export class ReplyWriter {
  readonly #bytes = new Uint8Array(BODY_BYTES_MAX);
  readonly words = new Uint32Array(this.#bytes.buffer);
  /** Where the next record goes, in words. */
  at = 0;
  #batchAt = 0;
  readonly #counts: number[] = [];

  begin(): void {
    this.at = 0;
    this.#batchAt = 0;
    this.#counts.length = 0;
  }

  /** Writes a batch's results from their dense form: timestamp u64, status u32, reserved u32. */
  writeResults(results: Uint32Array, count: number, isSparse: boolean): void {
    if (!isSparse) {
      this.words.set(results.subarray(0, count * 4), this.at);
      this.at += count * 4;
      return;
    }
    for (let i = 0; i < count; i += 1) {
      const status = results[i * 4 + 2]!;
      if (status === CREATED >>> 0) continue;
      this.words[this.at] = i;
      this.words[this.at + 1] = status;
      this.at += 2;
    }
  }

  endBatch(resultBytes: number): void {
    this.#counts.push(((this.at - this.#batchAt) * 4) / resultBytes);
    this.#batchAt = this.at;
  }

  /** The finished body, in memory of its own. */
  end(operation: Operation): Uint8Array {
    const payload = this.at * 4;
    if (operation.framing === Framing.raw) return this.#bytes.slice(0, payload);
    const element = operation.resultBytes;
    const counted = this.#counts.length * 2 + 2;
    const size = payload + Math.ceil(counted / element) * element;
    assert(size <= BODY_BYTES_MAX, 'a reply fits its message, the request was valid');
    const body = new Uint8Array(size);
    body.set(this.#bytes.subarray(0, payload));
    body.fill(0xff, payload, size - counted);
    const view = new DataView(body.buffer);
    view.setUint16(size - 2, this.#counts.length, true);
    for (const [i, count] of this.#counts.entries()) view.setUint16(size - 4 - i * 2, count, true);
    return body;
  }
}
