/**
 * Converts unsigned integers of up to 128 bits between decimal digits (ASCII) and four 32-bit words, least significant first. It
 * calculates with doubles, which are exact below 2^53: a word times a million plus a carry is smaller. BigInt takes about four
 * times as long (bench/api/codec.ts), and integers are most of a request.
 */

const u128Digits = 39;

const two32 = 2 ** 32;
const zero = 0x30;
/** `headDigits` digits are always exact as a double; after them, `stepDigits` are taken at a time. */
const headDigits = 15;
const stepDigits = 6;
const powers = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000] as const;

/** Reads the digits in `bytes[from, to)`, at least one. Returns false for more than 39 digits or a value above 2^128 - 1. */
export function readDecimal(
  bytes: Uint8Array,
  from: number,
  to: number,
  words: Uint32Array,
): boolean {
  if (to - from > u128Digits) return false;
  let at = from;
  const headEnd = Math.min(to, at + headDigits);
  let head = 0;
  for (; at < headEnd; at += 1) head = head * 10 + (bytes[at] as number) - zero;
  const high = Math.floor(head / two32);
  words[0] = head - high * two32;
  words[1] = high;
  words[2] = 0;
  words[3] = 0;
  while (at < to) {
    const stepEnd = Math.min(to, at + stepDigits);
    const scale = powers[stepEnd - at] as number;
    let carry = 0;
    for (; at < stepEnd; at += 1) carry = carry * 10 + (bytes[at] as number) - zero;
    for (let i = 0; i < 4; i += 1) {
      const product = (words[i] as number) * scale + carry;
      carry = Math.floor(product / two32);
      words[i] = product - carry * two32;
    }
    if (carry !== 0) return false;
  }
  return true;
}

/** Six digits at a time, most significant last. */
const steps = new Uint32Array(4);

/** The digits of 000 to 999. */
const triples = new TextEncoder().encode(
  Array.from({ length: 1_000 }, (_, value) => String(value).padStart(3, '0')).join(''),
);

/** Writes the value without leading zeros at `at`. Returns the end. There must be room for 39 digits. */
export function writeDecimal(
  bytes: Uint8Array,
  at: number,
  w0: number,
  w1: number,
  w2: number,
  w3: number,
): number {
  let count = 0;
  let a = w0;
  let b = w1;
  let c = w2;
  let d = w3;
  // The rest, below 2^53, is written at once.
  while (d !== 0 || c !== 0 || b >= 0x20_0000) {
    let rest = d % 1_000_000;
    d = (d - rest) / 1_000_000;
    let part = rest * two32 + c;
    c = Math.floor(part / 1_000_000);
    rest = part - c * 1_000_000;
    part = rest * two32 + b;
    b = Math.floor(part / 1_000_000);
    rest = part - b * 1_000_000;
    part = rest * two32 + a;
    a = Math.floor(part / 1_000_000);
    steps[count] = part - a * 1_000_000;
    count += 1;
  }
  let end = writeSafeInteger(bytes, at, b * two32 + a);
  for (let i = count - 1; i >= 0; i -= 1) end = writeDigits(bytes, end, steps[i] as number, 6);
  return end;
}

/** Same as `writeDecimal`, for an integer below 2^53. */
export function writeSafeInteger(bytes: Uint8Array, at: number, value: number): number {
  if (value < 10) {
    bytes[at] = zero + value;
    return at + 1;
  }
  if (value < 1e9) return writeDigits(bytes, at, value, digitsOf(value));
  const high = Math.floor(value / 1e9);
  return writeDigits(bytes, writeSafeInteger(bytes, at, high), value - high * 1e9, 9);
}

/** Writes exactly `count` digits of an integer below 10^9. */
function writeDigits(bytes: Uint8Array, at: number, value: number, count: number): number {
  let rest = value | 0;
  let from = at + count;
  while (from - at >= 3) {
    const next = (rest / 1_000) | 0;
    const triple = (rest - next * 1_000) * 3;
    bytes[from - 1] = triples[triple + 2] as number;
    bytes[from - 2] = triples[triple + 1] as number;
    bytes[from - 3] = triples[triple] as number;
    from -= 3;
    rest = next;
  }
  while (from > at) {
    const next = (rest / 10) | 0;
    from -= 1;
    bytes[from] = zero + rest - next * 10;
    rest = next;
  }
  return at + count;
}

function digitsOf(value: number): number {
  let count = 1;
  for (let bound = 10; value >= bound; bound *= 10) count += 1;
  return count;
}
