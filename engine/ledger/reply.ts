/** Counts of a request's batches, and a writer of reply bodies, record by record in a reused buffer. */
import { assert } from '../../base/assert.ts';
import { bodySizeMax } from '../wire/limits.ts';
import { decodeMultiBatch, writeTrailer } from '../wire/multi-batch.ts';
import { type OperationShape, trailerSize } from '../wire/operations.ts';
import { CREATED } from '../wire/statuses.ts';

/** Returns the number of elements in each batch of a valid body. */
export function batchCounts(shape: OperationShape, body: Uint8Array): readonly number[] {
  if (!shape.multiBatch) return [body.length / shape.eventSize];
  const counts = decodeMultiBatch(body, shape.eventSize);
  assert(counts !== undefined, 'a request that reaches the ledger is a valid multi-batch');
  return counts;
}

/** Bodies of this size and more are not copied: their sessions keep the rest of the buffer. */
const GIVEN_FROM = (bodySizeMax * 7) / 8;

export class ReplyWriter {
  #bytes = new Uint8Array(bodySizeMax);
  words = new Uint32Array(this.#bytes.buffer);
  /** Offset of the next record, in words. */
  at = 0;
  #batchAt = 0;
  readonly #counts: number[] = [];

  begin(): void {
    this.at = 0;
    this.#batchAt = 0;
    this.#counts.length = 0;
  }

  /** Writes a batch's results from their dense form: timestamp u64, status u32, reserved u32. */
  writeResults(results: Uint32Array, count: number, shape: OperationShape): void {
    if (shape.resultSize === 16) {
      this.words.set(results.subarray(0, count * 4), this.at);
      this.at += count * 4;
      return;
    }
    // Clients before 0.17 get only the failed events: index u32, status u32.
    for (let i = 0; i < count; i += 1) {
      const status = results[i * 4 + 2]!;
      if (status === CREATED >>> 0) continue;
      this.words[this.at] = i;
      this.words[this.at + 1] = status;
      this.at += 2;
    }
  }

  endBatch(shape: OperationShape): void {
    this.#counts.push(((this.at - this.#batchAt) * 4) / shape.resultSize);
    this.#batchAt = this.at;
  }

  /** Returns the finished body, in its own memory. */
  end(shape: OperationShape): Uint8Array {
    const payload = this.at * 4;
    if (!shape.multiBatch) return this.#take(payload);
    const size = payload + trailerSize(shape.resultSize, this.#counts.length);
    assert(size <= bodySizeMax, 'the reply to a valid request fits a message');
    writeTrailer(this.#bytes, payload, shape.resultSize, this.#counts);
    return this.#take(size);
  }

  /** Returns the written bytes: a copy, or the buffer itself if most of it is used. */
  #take(size: number): Uint8Array {
    const bytes = this.#bytes;
    if (size < GIVEN_FROM) return bytes.slice(0, size);
    this.#bytes = new Uint8Array(bodySizeMax);
    this.words = new Uint32Array(this.#bytes.buffer);
    return bytes.subarray(0, size);
  }
}
