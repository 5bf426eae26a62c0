/** Other forms of an ID, and what it tells of itself. */
import { hexadecimal } from './digits.ts';
import { formatted } from './field-names.ts';

const timeShift = 80n;
/** No ID of the ledger is older than the clients that make such IDs. */
const firstMs = BigInt(Date.UTC(2020, 0, 1));
/** A client’s clock may be ahead. */
const aheadMs = 86_400_000n;

/** The hexadecimal form, and that of a UUID where the ID is as long as one. */
export const formsOf = (id: string): readonly string[] =>
  BigInt(id) >> 64n === 0n ? [hexadecimal(id)] : [hexadecimal(id), formatted(id, 'UUID')];

/**
 * Nanoseconds at which the official clients made the ID: its high 48 bits are the time in milliseconds. `undefined` if that is no likely
 * time: the ID was then made in another way.
 */
export function madeAbout(id: string, nowMs: number): string | undefined {
  const ms = BigInt(id) >> timeShift;
  return ms >= firstMs && ms <= BigInt(nowMs) + aheadMs ? `${ms}000000` : undefined;
}
