import { nanosOf } from '../manifests/quantity.ts';

/** Whole GiB, rounded down: a volume of 19.9 GiB does not have 20. `undefined` for what is no quantity. */
export function gigabytesOf(quantity: string | undefined): number | undefined {
  const nanos = quantity === undefined ? undefined : nanosOf(quantity);
  return nanos === undefined || nanos < 0n ? undefined : Number(nanos / (1_000_000_000n << 30n));
}
