/** Integers of the command line: decimal text in and out, with no double in between. */
import { valueFailure } from '../failure.ts';

export interface IntegerRange {
  readonly bits: 16 | 32 | 64 | 128;
  readonly minimum?: bigint;
}

/** Returns the integer without leading zeros. */
export function readInteger(
  option: string,
  text: string,
  { bits, minimum = 0n }: IntegerRange,
): string {
  const maximum = (1n << BigInt(bits)) - 1n;
  const range = `an integer from ${minimum} to ${maximum}`;
  // Limits the digits to those of the largest integer, besides leading zeros: BigInt of a long text is slow.
  if (!/^0*\d{1,39}$/.test(text)) {
    throw valueFailure(
      `${option} must be ${range}, not "${text}"`,
      ...(/^\d[\d_, .]*$/.test(text)
        ? ['write digits only, without separators or a fraction']
        : []),
    );
  }
  const value = BigInt(text);
  if (value > maximum || value < minimum) {
    throw valueFailure(`${option} must be ${range}; ${value} is out of range`);
  }
  return value.toString();
}
