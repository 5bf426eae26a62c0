/**
 * Integers of 64 and 128 bits of the ledger as `bigint`. The API writes them as digits in strings and reads them so, and a `number`
 * holds only 53 bits.
 */

const integerFields = [
  'id',
  'account_id',
  'debit_account_id',
  'credit_account_id',
  'pending_id',
  'amount',
  'debits_pending',
  'debits_posted',
  'credits_pending',
  'credits_posted',
  'user_data_128',
  'user_data_64',
  'timestamp',
  'timestamp_min',
  'timestamp_max',
  'missing',
] as const;
type IntegerField = (typeof integerFields)[number];
const names: ReadonlySet<string> = new Set(integerFields);

/** An answer of the ledger with its integers as `bigint`. */
export type Exact<T> = T extends readonly (infer E)[]
  ? readonly Exact<E>[]
  : T extends object
    ? { readonly [K in keyof T]: K extends IntegerField ? ExactField<T[K]> : Exact<T[K]> }
    : T;
type ExactField<T> = T extends readonly unknown[]
  ? readonly bigint[]
  : T extends string | number
    ? bigint
    : T;

/** A request to the ledger in which every integer may also be a `bigint`. */
export type WithBigints<T> = T extends readonly (infer E)[]
  ? readonly WithBigints<E>[]
  : T extends object
    ? { readonly [K in keyof T]: T[K] extends string | number | undefined ? T[K] | bigint : T[K] }
    : T | bigint;

/** Reads an answer of a ledger operation. */
export function parseExact<T>(text: string): Exact<T> {
  return JSON.parse(text, (name, value: unknown) => {
    if (!names.has(name)) return value;
    return Array.isArray(value) ? value.map(exactly) : exactly(value);
  }) as Exact<T>;
}

const exactly = (value: unknown): unknown =>
  typeof value === 'string' && /^\d{1,39}$/.test(value) ? BigInt(value) : value;

/** Writes a request to the ledger, its `bigint`s as digits. Throws a `RangeError` for a number that is not exact. */
export const stringifyExact = (value: unknown): string =>
  JSON.stringify(value, (name, part: unknown) => {
    if (typeof part === 'bigint') return String(part);
    if (typeof part === 'number' && !Number.isSafeInteger(part)) {
      throw new RangeError(`${name} is ${part}, which is not exact: use a bigint`);
    }
    return part;
  });
