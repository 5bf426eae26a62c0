import { nanosOf } from '../../base/kube/quantity.ts';

/** Whole GiB, rounded down: 19.9 GiB becomes 19. Returns `undefined` for an invalid quantity. */
export function gigabytesOf(quantity: string | undefined): number | undefined {
  const nanos = quantity === undefined ? undefined : nanosOf(quantity);
  return nanos === undefined || nanos < 0n ? undefined : Number(nanos / (1_000_000_000n << 30n));
}
