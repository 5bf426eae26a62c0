/** Estimated monthly prices, in exact decimals: ten-thousandths of the currency's unit. */
import type { CatalogSpec } from '../resources.ts';

export interface Price {
  readonly currency: string;
  /** Decimal with two places. */
  readonly monthly: string;
}

/** Of all replicas with their volumes; `undefined` where the catalog has no price for one of its parts. */
export function priceOf(
  catalog: CatalogSpec,
  chosen: { size: string; tier: string; sizeGb: number; replicas: number },
): Price | undefined {
  const size = catalog.prices?.sizes?.find((row) => row.size === chosen.size);
  const storage = catalog.prices?.storage?.find((row) => row.tier === chosen.tier);
  if (catalog.prices === undefined || size === undefined || storage === undefined) return undefined;
  const one =
    tenThousandths(size.monthly) + tenThousandths(storage.monthlyPerGb) * BigInt(chosen.sizeGb);
  const cents = (one * BigInt(chosen.replicas) + 50n) / 100n;
  const monthly = `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`;
  return { currency: catalog.prices.currency, monthly };
}

function tenThousandths(decimal: string): bigint {
  const [whole = '0', fraction = ''] = decimal.split('.');
  return BigInt(whole) * 10_000n + BigInt(fraction.padEnd(4, '0'));
}
