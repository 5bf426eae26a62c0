/** Radix sort of (key, row) entries, digit by digit from the lowest. Entries with equal keys keep their order. */

const DIGIT_BITS = 11;
const DIGITS = 3;
const VALUES = 1 << DIGIT_BITS;
const MASK = VALUES - 1;

/** Entries to be sorted, and as much room again. */
export interface Entries {
  keys: Uint32Array;
  rows: Uint32Array;
  otherKeys: Uint32Array;
  otherRows: Uint32Array;
}

export const newEntries = (count: number): Entries => ({
  keys: new Uint32Array(count),
  rows: new Uint32Array(count),
  otherKeys: new Uint32Array(count),
  otherRows: new Uint32Array(count),
});

/** Sorts the first `count` entries by their keys, with a pause after each pass. */
export function* sortEntries(entries: Entries, count: number): Generator<number> {
  const sizes = countDigits(entries.keys, count);
  yield count >>> 1;
  for (let digit = 0; digit < DIGITS; digit += 1) {
    const starts = sizes.subarray(digit * VALUES, (digit + 1) * VALUES);
    // All keys have this digit in common.
    if (starts.includes(count)) continue;
    let start = 0;
    for (let value = 0; value < VALUES; value += 1) {
      const size = starts[value]!;
      starts[value] = start;
      start += size;
    }
    scatter(entries, count, digit * DIGIT_BITS, starts);
    const { keys, rows } = entries;
    entries.keys = entries.otherKeys;
    entries.rows = entries.otherRows;
    entries.otherKeys = keys;
    entries.otherRows = rows;
    yield count;
  }
}

function countDigits(keys: Uint32Array, count: number): Uint32Array {
  const sizes = new Uint32Array(DIGITS * VALUES);
  for (let i = 0; i < count; i += 1) {
    const key = keys[i]!;
    sizes[key & MASK]! += 1;
    sizes[VALUES + ((key >>> DIGIT_BITS) & MASK)]! += 1;
    sizes[2 * VALUES + (key >>> (2 * DIGIT_BITS))]! += 1;
  }
  return sizes;
}

function scatter(
  { keys, rows, otherKeys, otherRows }: Entries,
  count: number,
  shift: number,
  starts: Uint32Array,
): void {
  for (let i = 0; i < count; i += 1) {
    const key = keys[i]!;
    const digit = (key >>> shift) & MASK;
    const to = starts[digit]!;
    starts[digit] = to + 1;
    otherKeys[to] = key;
    otherRows[to] = rows[i]!;
  }
}
