/** Cuts a stream of bytes into other chunks. */
import { assert } from '../../base/assert.ts';

/** Yields the bytes of `chunks` in parts of the given sizes, each in its own memory. There must be as many bytes as all sizes take. */
export async function* joinBytes(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  sizes: readonly number[],
): AsyncGenerator<Uint8Array> {
  let index = 0;
  let part = new Uint8Array(sizes[0] ?? 0);
  let filled = 0;
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length;) {
      const length = Math.min(chunk.length - at, part.length - filled);
      assert(length > 0, 'a stream has the bytes that were announced, not more');
      part.set(chunk.subarray(at, at + length), filled);
      at += length;
      filled += length;
      if (filled < part.length) continue;
      yield part;
      index += 1;
      part = new Uint8Array(sizes[index] ?? 0);
      filled = 0;
    }
  }
  assert(index === sizes.length, 'a stream has the bytes that were announced, not fewer');
}
