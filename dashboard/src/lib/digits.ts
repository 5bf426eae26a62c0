/**
 * Integers of up to 128 bits as strings of digits. They never become a `number`, which holds 53 bits. Arithmetic is done with
 * `BigInt`, and shown by `Intl`, which takes digits exactly.
 */

const grouping = new Intl.NumberFormat('en', { useGrouping: true, maximumFractionDigits: 0 });

/** `1234567` as `1,234,567`. */
export const grouped = (digits: string): string =>
  /^-?\d+$/.test(digits) ? grouping.format(BigInt(digits)) : digits;

export const most128 = 2n ** 128n - 1n;

/** The value of digits that a person typed, separators allowed. `undefined` if it is no integer of that many bits. */
export function readInteger(text: string, bits: 16 | 32 | 64 | 128): string | undefined {
  const plain = text.trim().replaceAll(/[,_\s]/g, '');
  if (/^0x[0-9a-f]{1,32}$/i.test(plain)) return within(BigInt(plain), bits);
  return /^\d{1,39}$/.test(plain) ? within(BigInt(plain), bits) : undefined;
}

const within = (value: bigint, bits: number): string | undefined =>
  value < 1n << BigInt(bits) ? value.toString() : undefined;

export const hexadecimal = (digits: string): string => `0x${BigInt(digits).toString(16)}`;

/** A new ID of 128 bits whose high 48 bits are the time in milliseconds, as the official clients make them. */
export function newId(nowMs: number, random: Uint8Array): string {
  const low = random.reduce((value, byte) => (value << 8n) | BigInt(byte), 0n) & ((1n << 80n) - 1n);
  return ((BigInt(nowMs) << 80n) | low).toString();
}
