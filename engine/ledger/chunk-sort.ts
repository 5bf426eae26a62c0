/**
 * Chunks of index entries, and their sort. An entry is a key and the record that has it. A chunk holds all keys first, then
 * all records, so that a search reads keys only.
 */

/** Entries of a chunk. */
export const ENTRIES = 8192;
export const ENTRIES_SHIFT = 13;
export const ENTRIES_MASK = ENTRIES - 1;
export const CHUNK_BYTES = ENTRIES * 8;

/** Keys at `0 …`, records at `ENTRIES …`. */
export type Chunk = Int32Array;

export const newChunk = (): Chunk => new Int32Array(ENTRIES * 2);

const DIGIT_BITS_MAX = 11;
const scratch = newChunk();
const starts = new Int32Array(1 << DIGIT_BITS_MAX);

/**
 * Sorts the first `count` entries by their keys, which are between `low` and `high`. Entries with equal keys keep their
 * order. The time depends on the number of entries and on `high - low` only, whatever the keys are.
 */
export function sortChunk(chunk: Chunk, count: number, low: number, high: number): void {
  const bits = 32 - Math.clz32(high - low);
  const passes = Math.ceil(bits / DIGIT_BITS_MAX);
  if (passes === 0) return;
  const width = Math.ceil(bits / passes);
  let [from, to] = [chunk, scratch];
  for (let pass = 0; pass < passes; pass += 1) {
    scatter(from, to, count, low, pass * width, (1 << width) - 1);
    [from, to] = [to, from];
  }
  if (from === chunk) return;
  chunk.set(from.subarray(0, count));
  chunk.set(from.subarray(ENTRIES, ENTRIES + count), ENTRIES);
}

function scatter(
  from: Chunk,
  to: Chunk,
  count: number,
  low: number,
  shift: number,
  mask: number,
): void {
  starts.fill(0, 0, mask + 1);
  for (let i = 0; i < count; i += 1) starts[((from[i]! - low) >>> shift) & mask]! += 1;
  let start = 0;
  for (let digit = 0; digit <= mask; digit += 1) {
    const size = starts[digit]!;
    starts[digit] = start;
    start += size;
  }
  for (let i = 0; i < count; i += 1) {
    const key = from[i]!;
    const digit = ((key - low) >>> shift) & mask;
    const at = starts[digit]!;
    starts[digit] = at + 1;
    to[at] = key;
    to[ENTRIES + at] = from[ENTRIES + i]!;
  }
}
