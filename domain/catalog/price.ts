/** Estimated monthly prices, in exact decimals: ten-thousandths of the currency's unit. */
import type { CatalogSpec } from '../custom-resources.ts';

interface Price {
  readonly currency: string;
  /** Decimal with two places. */
  readonly monthly: string;
}

interface Chosen {
  readonly size: string;
  readonly tier: string;
  readonly storageGb: number;
  readonly replicas: number;
  /** Whether a member of etcd runs beside each replica. */
  readonly members: boolean;
}

/** Monthly price of all replicas with their volumes; `undefined` if the catalog lacks the price of a part. */
export function priceOf(catalog: CatalogSpec, chosen: Chosen): Price | undefined {
  const parts = partsOf(catalog, chosen);
  if (parts === undefined) return undefined;
  return { currency: parts.currency, monthly: written(inCents(parts.size + parts.storage)) };
}

interface PriceLine {
  readonly item: string;
  /** Decimal with two places. */
  readonly amount: string;
}

/** The lines of the price. Their sum is the price to the cent. */
export function priceLinesOf(catalog: CatalogSpec, chosen: Chosen): readonly PriceLine[] {
  const parts = partsOf(catalog, chosen);
  if (parts === undefined) return [];
  const { size, tier, storageGb, replicas } = chosen;
  const all = inCents(parts.size + parts.storage);
  const sizes = inCents(parts.size);
  return [
    { item: `${replicas} × ${size}`, amount: written(sizes) },
    { item: `${replicas} × ${storageGb} GiB ${tier}`, amount: written(all - sizes) },
  ];
}

/** Parts of the price in ten-thousandths, for all replicas. */
function partsOf({ prices }: CatalogSpec, chosen: Chosen) {
  const size = prices?.sizes?.find((row) => row.size === chosen.size);
  const storage = prices?.storage?.find((row) => row.tier === chosen.tier);
  if (prices === undefined || size === undefined || storage === undefined) return undefined;
  const replicas = BigInt(chosen.replicas);
  const member = chosen.members ? tenThousandths(size.memberMonthly ?? '0') : 0n;
  return {
    currency: prices.currency,
    size: (tenThousandths(size.monthly) + member) * replicas,
    storage: tenThousandths(storage.monthlyPerGb) * BigInt(chosen.storageGb) * replicas,
  };
}

const inCents = (amount: bigint): bigint => (amount + 50n) / 100n;
const written = (cents: bigint): string =>
  `${cents / 100n}.${String(cents % 100n).padStart(2, '0')}`;

function tenThousandths(decimal: string): bigint {
  const [whole = '0', fraction = ''] = decimal.split('.');
  return BigInt(whole) * 10_000n + BigInt(fraction.padEnd(4, '0'));
}
