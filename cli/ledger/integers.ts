/** Integers of the command line: decimal text in, decimal text out, never a double in between. */
import { valueFailure } from '../failure.ts';

export interface IntegerRange {
  readonly bits: 16 | 32 | 64 | 128;
  readonly minimum?: bigint;
}

/** The same integer without leading zeros. */
export function readInteger(
  option: string,
  text: string,
  { bits, minimum = 0n }: IntegerRange,
): string {
  const maximum = (1n << BigInt(bits)) - 1n;
  const range = `an integer from ${minimum} to ${maximum}`;
  // No more digits than the largest has, leading zeros aside: BigInt of a long text is slow.
  if (!/^0*\d{1,39}$/.test(text)) {
    throw valueFailure(
      `${option} must be ${range}, not "${text}"`,
      ...(/^\d[\d_, .]*$/.test(text) ? ['digits only: no separators, no fraction'] : []),
    );
  }
  const value = BigInt(text);
  if (value > maximum || value < minimum) {
    throw valueFailure(`${option} must be ${range}; ${value} is out of it`);
  }
  return value.toString();
}
