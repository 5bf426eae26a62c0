/** IPv4 ranges, as in a NetworkPolicy's `ipBlock`. */
interface Range {
  /** First address, as an unsigned 32-bit number. */
  readonly base: number;
  readonly bits: number;
}

/** Returns the ranges that cover `cidr` without `except`. Throws `RangeError` for an invalid IPv4 range. */
export function subtract(cidr: string, except: readonly string[]): string[] {
  let ranges = [parse(cidr)];
  for (const hole of except.map(parse)) ranges = ranges.flatMap((range) => without(range, hole));
  return ranges.map(format);
}

function without(range: Range, hole: Range): Range[] {
  if (contains(hole, range)) return [];
  if (!contains(range, hole)) return [range];
  // Halve the range until the hole is one of the halves.
  const bits = range.bits + 1;
  const upper = range.base + 2 ** (32 - bits);
  return [range.base, upper].flatMap((base) => without({ base, bits }, hole));
}

const contains = (outer: Range, inner: Range) =>
  outer.bits <= inner.bits && mask(inner.base, outer.bits) === outer.base;

const mask = (address: number, bits: number) => address - (address % 2 ** (32 - bits));

function parse(cidr: string): Range {
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})\/(\d{1,2})$/.exec(cidr);
  const numbers = match?.slice(1).map(Number) ?? [];
  const bits = numbers.pop();
  if (bits === undefined || bits > 32 || numbers.some((part) => part > 255)) {
    throw new RangeError(`"${cidr}" is no IPv4 range`);
  }
  const address = numbers.reduce((sum, part) => sum * 256 + part, 0);
  return { base: mask(address, bits), bits };
}

function format({ base, bits }: Range): string {
  const parts = [24, 16, 8, 0].map((shift) => Math.floor(base / 2 ** shift) % 256);
  return `${parts.join('.')}/${bits}`;
}
