/**
 * Transfers and filters for costly queries: two fields, each frequent, that never occur together. A query for both walks
 * through both lists to their ends.
 */
import { encodeMultiBatch } from '../../../engine/wire/multi-batch.ts';

/** Body that creates transfers from account 1 to account 2. Odd ids have code 1 and user_data_32 7, even ones 2 and 8. */
export function crossedTransfers(first: number, count: number): Uint8Array {
  const words = new Uint32Array(count * 32);
  for (let i = 0; i < count; i += 1) {
    const odd = (first + i) % 2;
    words.set([first + i, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 1], i * 32);
    words.set([8 - odd, 0, 1, 2 - odd], i * 32 + 26);
  }
  return encodeMultiBatch([new Uint8Array(words.buffer)], 128);
}

/** Body of a query with so many filters, each of which asks for the code of one kind and the user data of the other. */
export function endlessFilters(count: number): Uint8Array {
  const words = new Uint32Array(16);
  words.set([8, 0, 1], 6);
  words[14] = 1;
  const filter = new Uint8Array(words.buffer);
  return encodeMultiBatch(
    Array.from({ length: count }, () => filter),
    64,
  );
}
