/** Difference of the monthly price that a change makes, in exact decimals. Pure. */
import { priceLinesOf } from '../../domain/catalog/price.ts';
import { isReplicatedByEtcd } from '../../domain/catalog/resolve.ts';
import { replicasOf } from '../../domain/catalog/topologies.ts';
import type { CatalogSpec, TopologyName } from '../../domain/custom-resources.ts';
import type { PriceDelta } from '../model/configuration-change.ts';
import type { ProfileChoice } from '../store/database-record.ts';
import type { Configuration } from './differences.ts';

/** `before`: with the agreed price, which counts while nothing changes. Null without prices. */
export function priceDeltaOf(
  catalog: CatalogSpec,
  before: ProfileChoice,
  after: ProfileChoice,
): PriceDelta | null {
  const [from, to] = [monthlyCents(catalog, before), monthlyCents(catalog, after)];
  const { currency } = after.price ?? {};
  if (from === undefined || to === undefined || currency === undefined) return null;
  return { currency, amount: written(to - from) };
}

export const isDearer = (delta: PriceDelta | null): boolean =>
  delta !== null && !delta.amount.startsWith('-') && delta.amount !== '0.00';

/** A stopped database costs only its volumes. */
function monthlyCents(catalog: CatalogSpec, choice: ProfileChoice): bigint | undefined {
  if (choice.price === null) return undefined;
  if (!choice.suspended) return cents(choice.price.monthly);
  const storage = choice.price.storage ?? storageOf(catalog, choice);
  return storage === undefined ? undefined : cents(storage);
}

function storageOf(catalog: CatalogSpec, choice: Configuration): string | undefined {
  const replicas = replicasOf[choice.clusterConfiguration as TopologyName];
  const [, storage] = priceLinesOf(catalog, {
    size: choice.clusterSize,
    tier: choice.storageTier,
    storageGb: choice.selectedStorageGb,
    replicas,
    members: isReplicatedByEtcd(choice.engine, replicas),
  });
  return storage?.amount;
}

const cents = (decimal: string): bigint => {
  const [whole = '0', fraction = ''] = decimal.split('.');
  return BigInt(whole) * 100n + BigInt(fraction.padEnd(2, '0').slice(0, 2));
};

function written(amount: bigint): string {
  const size = amount < 0n ? -amount : amount;
  return `${amount < 0n ? '-' : ''}${size / 100n}.${String(size % 100n).padStart(2, '0')}`;
}

/** A choice with the volumes' part of its price, which a stopped database still costs. */
export function withStoragePrice(
  catalog: CatalogSpec | undefined,
  before: ProfileChoice,
  choice: ProfileChoice,
): ProfileChoice {
  const { price } = choice;
  if (price === null) return choice;
  const agreed = before.price;
  if (agreed?.monthly === price.monthly && agreed.currency === price.currency) {
    return { ...choice, price: agreed };
  }
  const storage = catalog && storageOf(catalog, choice);
  return storage === undefined ? choice : { ...choice, price: { ...price, storage } };
}
